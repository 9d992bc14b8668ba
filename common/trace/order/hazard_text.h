/* SPDX-License-Identifier: MIT */
/*
 * hazard_text.h - what is said of a hazard: both sides, the bytes, why nothing
 * orders them, the cure.
 *
 * A message is one line: what happened, then ": " for the last time in it, then
 * the reason and the cure. hazard_cure finds the second half.
 */
#ifndef TRACE_ORDER_HAZARD_TEXT_H
#define TRACE_ORDER_HAZARD_TEXT_H

#include "trace/order/happens_before.h"
#include "trace/record/timeline.h"

/* One of the two: an operation, or the host. */
struct hazard_side {
    uint32_t node;
    const char *file;           /* of the host's access, or a host function's: */
    uint32_t line;              /* 0: not known */
    /* NO_NODE: the host, of which the rest is known: */
    const char *verb;           /* "reads", "gives them back" */
    int64_t time;
    bool frees;                 /* it takes the memory away */
    bool at_once;               /* … and no card waits before it does so */
    bool writes;                /* operations, too */
    bool updates;               /* a volatile, from what it has read there (sim/race/updates.h) */
    uint32_t thread;            /* of the host */
    bool known_elsewhere;       /* another thread has waited for the operation */
    bool locks; /* a host function that has not ended has locked a mutex */
    bool locks_known;           /* of the host's or a function's access: */
    uint64_t lock;              /* the mutex that it held then, the last one; 0: none */
    const char *lock_name;      /* the variable's; NULL: not known */
    uint32_t locked_line;       /* where it had locked it; 0: not known */
    bool before;                /* it was before another thread queued the operation */
};

/* Where the words come from. */
/* bytes 0: how large it is, and where it begins, is not known. */
struct hazard_variable { const char *name; uint64_t at, bytes; };

struct hazard_scene {
    const struct timeline *timeline;
    struct happens_before *order;        /* asked, not changed */
    size_t calls;               /* that many had been made */
    /* The variable of the program that `at` lies in: its name and place, false for none. NULL:
     * nobody knows them. */
    bool (*variable)(uint64_t at, struct hazard_variable *v);
};

/* A line that is being written; too long a one is cut off. */
struct hazard_line { char text[2048]; size_t used; };

/* Puts the sides as the program queued them, the host after what was queued before, and says it all
 * of bytes [from, to). */
void hazard_describe(struct hazard_line *l, const struct hazard_scene *scene, uint64_t from,
                     uint64_t to, struct hazard_side side[2]);

/* The reason and the cure in a message; "" when it has none. */
const char *hazard_cure(const char *message);

/* ---- the pieces ---- */

void hazard_say(struct hazard_line *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "x.cu:7: "; nothing for line 0. */
void hazard_say_location(struct hazard_line *l, const char *file, uint32_t line);
/* " in line 9", or " in x.cu:9" where that is another file than the one at the line's beginning;
 * nothing for line 0. */
void hazard_say_line(struct hazard_line *l, const struct timeline *t, const struct call *c);
/* "1.250000" */
void hazard_say_ms(struct hazard_line *l, int64_t ns);
/* "stream 3", "the default stream of device 1" */
void hazard_say_stream(struct hazard_line *l, const struct timeline *t, uint32_t stream);
/* "kernel scale", "cudaMemcpyAsync" */
void hazard_say_operation(struct hazard_line *l, const struct timeline *t, const struct call *c);
/* ", or whether the 64 bytes of cudaMalloc in line 9, which end 16 bytes before it, are enough":
 * the bytes from `at` on. Nothing if the address is farther behind them than a size in elements, in
 * place of bytes, leads, or nobody knows who made them. */
void hazard_say_short_of(struct hazard_line *l, const struct hazard_scene *scene, uint64_t at,
                         uint64_t bytes, uint64_t address);
/* "bytes 0 to 3 of the 64 of cudaMalloc in line 9" */
void hazard_say_bytes(struct hazard_line *l, const struct hazard_scene *scene, uint64_t from,
                      uint64_t to);

#endif
