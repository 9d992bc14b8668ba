/* SPDX-License-Identifier: MIT */
/*
 * quiescent.h - has the program that wrote a log waited for all that it had queued?
 *
 * What a log says of an operation (CALL_COST, CALL_MIGRATE, CALL_FUNCTION_*)
 * stands in it before the call that follows a wait for that operation. So where
 * all is quiescent, nothing more will be said of what came before, on whatever
 * card the log is replayed. Edges that only some cards have are left out.
 */
#ifndef MODEL_QUIESCENT_H
#define MODEL_QUIESCENT_H

#include "trace/order/happens_before.h"

struct quiescent {
    struct happens_before order;
    bool *node;                 /* by node: quiescent */
    size_t node_count, node_capacity;
    size_t open;                /* operations that are not */
    /* By thread: its wait, until its next call shows that it is over; NO_NODE for none. */
    uint32_t *wait;
    size_t thread_count, thread_capacity;
    uint32_t *stack;
    size_t stack_count, stack_capacity;
};

void quiescent_init(struct quiescent *s);
void quiescent_fini(struct quiescent *s);

/* For each call of the log: is all that was queued before it quiescent? Then, the call. */
bool quiescent_before(struct quiescent *s, const struct call *c);
void quiescent_call(struct quiescent *s, const struct call *c);
/* When all is quiescent: lets go of it. */
void quiescent_prune(struct quiescent *s);

#endif
