/* SPDX-License-Identifier: MIT */
/*
 * hazard.h - two accesses to the same bytes, one of them a write, and nothing
 * that guarantees which comes first.
 *
 * Told of each access when it has happened: of an operation's when it ends, of
 * the host's when it is made, so that what is ordered comes in its order. It
 * keeps of each byte the latest accesses that no other one follows, and
 * compares with those. Of hazards on one byte it finds the nearest: an access
 * that is ordered before another which meets a third is not named with that
 * one too. No false alarms; every byte that has a hazard is in one it finds.
 *
 * A *point* is who made an access: a node of the order, or a host thread at a
 * epoch. Two host threads can meet, too: nothing but what passes between
 * them (vector_clocks_tell, vector_clocks_hear) orders what they do.
 */
#ifndef TRACE_ORDER_HAZARD_H
#define TRACE_ORDER_HAZARD_H

#include "trace/order/vector_clocks.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hazard_range {
    uint64_t from, to;              /* bytes [from, to) */
    bool write;
    bool atomic;                    /* two atomic accesses are no hazard */
    bool flag; /* atomic reads may meet this store, but no other store may */
};

/* One pair of points. */
struct hazard {
    uint32_t first, then;           /* points; `first` was told earlier */
    uint64_t from, to;              /* from the first to the last byte of them that both touch */
    bool first_writes, then_writes; /* somewhere among them */
};

struct hazards {
    struct vector_clocks *clocks; /* the caller's; nodes have ended there when they are told of */
    void (*report)(void *context, const struct hazard *h);
    void *context;
    /* Owned by hazard.c. */
    struct hazard_point *points;
    size_t point_count, point_capacity;
    struct hazard_entry *entries;
    size_t entry_count, entry_capacity;
    uint32_t entry_free;
    struct hazard_segment *head;
    struct hazard *found;           /* by the points that are being told of */
    size_t found_count, found_capacity;
    uint64_t random;
};

void hazards_init(struct hazards *h, struct vector_clocks *clocks,
                  void (*report)(void *context, const struct hazard *hazard), void *context);
void hazards_fini(struct hazards *h);

/* A new point: the operation `node` … */
uint32_t hazards_operation(struct hazards *h, uint32_t node);
/* … a part of the host function `node`, at the present of the thread that runs it … */
uint32_t hazards_function(struct hazards *h, uint32_t node, uint32_t thread);
/* … or a host thread at its present. `lasting`: operations may still meet it, since some have not
 * ended or there are other threads. */
uint32_t hazards_host(struct hazards *h, uint32_t thread, bool lasting);
/* The node of a point; NO_NODE: the host. */
uint32_t hazards_node(const struct hazards *h, uint32_t point);

/* What the point touched; calls report once for each other point that it meets,
 * by address. `point` is the newest, or one of the newest that share
 * their epoch. */
void hazards_touch(struct hazards *h, uint32_t point, const struct hazard_range *ranges,
                   size_t count);
/* The operation that wrote this byte last; NO_NODE: the host did, or it is not known. */
uint32_t hazards_last_writer(const struct hazards *h, uint64_t at);
/* What happened to these bytes means nothing for those that will be there. */
void hazards_clear(struct hazards *h, uint64_t from, uint64_t to);

#ifdef __cplusplus
}
#endif
#endif
