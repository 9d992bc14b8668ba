/* SPDX-License-Identifier: MIT */
/*
 * happens_before.h - what comes before what, and why.
 *
 * Fed with calls in the order in which they were made, it makes nodes (a
 * device operation, or a host thread's wait) and the edges between them. It is
 * the only place that knows the rules of streams: FIFO, events, the default
 * streams, synchronisation. The model takes its dependencies from here, the
 * checks ask here, for the simulator and for a real GPU alike.
 *
 * An edge is GUARANTEED (documented: stream order, events, default-stream
 * rules, explicit synchronisation, the return of a synchronous copy) or
 * OBSERVED (cards of today do so: cudaFree waits, a large pageable copy holds
 * its caller up, a launch that loads its kernel waits for all others). Time obeys both; checks of
 * order accept GUARANTEED only.
 *
 * A dependent launch (LAUNCH_DEPENDENT) is two nodes. The kernel's waits for what the kernel before
 * it waited for, and for that kernel's trigger: a TRIGGERED edge, which orders no memory [G
 * "Programmatic Dependent Launch and Synchronization"]. The other one, the kernel's rest, comes
 * after both kernels' ends; what the kernel does after cudaGridDependencySynchronize is the rest's,
 * and so is its place in the stream. On cards that know no such launches the edge is OBSERVED: they
 * wait. From the port of launch completion the edge is BEGUN, and the rest comes after the other
 * kernel's end by observation alone: no such edge is visible to that call [H], and it waits all the
 * same [M: facts/h200-edges.txt].
 *
 * Edges point backwards: from a node to earlier nodes (smaller numbers) whose
 * end it waits for. A host thread's nodes are chained: an operation has an
 * edge to the latest wait of the thread that queued it.
 *
 * A graph (call.h) is ordered in its stream as one operation: its roots wait for
 * what an operation would wait for there; work after it waits for all of its
 * nodes. Inside it the graph's own edges count alone [G].
 *
 * Each device has its own legacy stream, and those do not order each other; streams of
 * several devices are ordered by events, by host threads, and by copies in a legacy stream:
 * one between devices comes after all that was queued to either and before all that is
 * queued to either later, as far as that minds a legacy stream. GUARANTEED where it is
 * no Async spelling [G "Peer-to-Peer Memory Copy"]. Of the Async ones the guide
 * says the same and the header that they are asynchronous to all work on other
 * devices: OBSERVED on two H200 [M], like a plain copy between the host and another
 * device's memory, which waits for that device's earlier work.
 *
 * Sources: [G] CUDA Programming Guide 13, "Asynchronous Concurrent Execution",
 * "Multi-Device System"; [H] comments of cuda_runtime_api.h 13.0;
 * [S] runtime API reference, "Stream synchronization behavior"; [A] "API
 * synchronization behavior"; [M] measured on an H200, driver 580.159, CUDA 13.0.
 */
#ifndef TRACE_ORDER_HAPPENS_BEFORE_H
#define TRACE_ORDER_HAPPENS_BEFORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum strength { BEGUN, TRIGGERED, OBSERVED, GUARANTEED };

struct edge {
    uint32_t from;              /* the node whose end is waited for; TRIGGERED: its trigger;
                                 * BEGUN: that all its blocks have begun */
    uint32_t strength;          /* enum strength */
};

/* The nodes that one call made. NO_NODE where there is none. */
struct step {
    uint32_t operation;         /* queued on a device */
    uint32_t wait;              /* the caller is held until the wait's edges are done */
    uint32_t rest;              /* of a dependent launch: the node after `operation` */
};

/* Copies from pageable memory up to this size return when they are staged [M]. */
#define STAGING_BYTES (1u << 20)

#define HB_DEVICES 16

/* Of a device: the latest kernel that was loaded on the way, and the kernels that it waited for. */
struct hb_loaded { uint32_t kernel, stream; };
struct hb_loading {
    uint32_t kernel;
    struct hb_loaded *before;
    size_t count, capacity;
};
/* Calls that older guides list as implicit synchronisation, order.barriers: no command issued
 * before one runs beside a command of another stream issued after it. OBSERVED; graphs are younger
 * than those guides. */
enum {
    BARRIER_MALLOC = 1 << 0,
    BARRIER_HOST_ALLOC = 1 << 1,
    BARRIER_MEMSET = 1 << 2,
    BARRIER_D2D = 1 << 3,
    BARRIER_CACHE_CONFIG = 1 << 4,
};

struct happens_before {
    /* Owned by happens_before.c. */
    struct hb_node *nodes;
    size_t node_count, node_capacity;
    struct edge *edges;
    size_t edge_count, edge_capacity;
    struct hb_stream *streams;      /* by stream number */
    size_t stream_count, stream_capacity;
    uint32_t *event_record;         /* by event number: its latest record, NO_NODE for never */
    size_t event_count, event_capacity;
    struct hb_thread *threads;
    size_t thread_count, thread_capacity;
    uint32_t legacy[HB_DEVICES]; /* by device: stream number of its legacy stream, NO_NODE for none
                                    yet */
    uint32_t newest[HB_DEVICES];    /* by device: the stream that had an operation last */
    uint32_t visit[HB_DEVICES]; /* by device: the latest asynchronous copy in another's legacy
                                   stream with memory here */
    struct hb_loading loading[HB_DEVICES];
    /* The graph that is being launched. */
    uint32_t graph_stream;          /* NO_NODE: none is */
    uint64_t graph_exec;            /* its number, 0: not known */
    uint32_t *exec_last; /* by number of the executable graph: the end of its latest launch */
    size_t exec_count, exec_capacity;
    struct graph_member *members;   /* its nodes so far */
    size_t member_count, member_capacity;
    struct awaited *awaited;        /* what the next node waits for */
    size_t awaited_count, awaited_capacity;
    size_t calls;                   /* fed so far */
    bool dependents; /* the card begins dependent launches early; set as `barriers` */
    uint32_t barriers; /* BARRIER_*: what the card adds; set between hb_init and the first call */
    uint32_t barrier[HB_DEVICES];       /* by device: barriers so far */
    uint32_t *mark;                 /* scratch of hb_before, one per node */
    size_t mark_count, mark_capacity;
    uint32_t mark_round;
};

void hb_init(struct happens_before *o);
void hb_fini(struct happens_before *o);

/* The next call. A call that failed (status not 0) makes no node, nor does one
 * that names a stream or event that was never announced. */
struct step hb_call(struct happens_before *o, const struct call *c);

/* The edges that the wait of this call would have, were it made now; makes
 * nothing. For queries. Valid until the next call. */
const struct edge *hb_peek(struct happens_before *o, const struct call *c, size_t *count);

/* The edges that work queued by this call's thread into its stream would have, were it made now.
 * Likewise. */
const struct edge *hb_peek_work(struct happens_before *o, const struct call *c, size_t *count);

/* The edges of a node, its own array; *count of them. Valid until the next call. */
const struct edge *hb_edges(const struct happens_before *o, uint32_t node, size_t *count);

/* Takes all nodes out but those that streams, events and threads refer to, for a caller who knows
 * that all of them have ended. Those that stay lose their edges and get new numbers from 0, in the
 * order that they had: number[old] becomes the new number, or NO_NODE. `number` has room for
 * node_count of them; returns how many stay. Not between a graph's launch and its end. Questions
 * about what was taken out can no longer be asked. */
uint32_t hb_prune(struct happens_before *o, uint32_t *number);

/* Is the node a host thread's wait? */
bool hb_is_wait(const struct happens_before *o, uint32_t node);
/* Is the stream another process's (STREAM_OF_OTHER)? */
bool hb_is_of_other(const struct happens_before *o, uint32_t stream);

/* Does `first` end before `then` begins, because edges of at least this
 * strength say so? False for first == then. Not for two threads at once: it
 * uses scratch space of `o`. */
bool hb_before(struct happens_before *o, uint32_t first, uint32_t then, enum strength least);

/* The same with the program's side as second: has the thread that makes
 * calls[call] waited for `first` by then? `calls` are those that the order was
 * fed, all of them. */
bool hb_before_call(struct happens_before *o, uint32_t first, const struct call *calls, size_t call,
                    enum strength least);

#ifdef __cplusplus
}
#endif
#endif
