/* SPDX-License-Identifier: MIT */
/*
 * near_miss_state.h - what near_miss.c and near_miss_host.c look for in a log.
 * Internal to this folder.
 */
#ifndef TRACE_ORDER_NEAR_MISS_STATE_H
#define TRACE_ORDER_NEAR_MISS_STATE_H

#include "trace/order/near_miss.h"

/* An operation as the program queued it. Of a node of a graph that was captured: the captured call.
 */
struct queued { uint32_t call, stream, device; };

/* One or two operations, and the log that they stand in. `captured`: they went into a graph, and so
 * did the events between them. */
struct tried {
    const struct timeline *t;
    struct queued first, then;
    bool captured;
};

/* Is call i a launch, a copy, a memset or a function that was queued? */
bool tried_work(const struct tried *s, size_t i);
/* The last call before `end` that records this event; NO_CALL for none. */
uint32_t record_before(const struct tried *s, size_t end, uint32_t event);
/* Is the event recorded after the first, in its stream, before call `end`? */
bool recorded_behind(const struct tried *s, size_t end, uint32_t event);
/* The first record after the first in its stream, before call `end`, of an event that nothing waits
 * for before call `until`; NO_CALL for none. */
uint32_t unused_record(const struct tried *s, size_t end, size_t until);
/* What is wrong with the event's record that a wait finds which is made as call `wait`, by stream
 * `waiting` (NO_CALL: by the host). MISS_NONE: nothing. */
struct near_miss look_at_record(const struct tried *s, size_t wait, uint32_t waiting);
/* What call i, made between the first and call `end`, was meant to be, if the host was meant to
 * wait. */
struct near_miss look_at_host_call(const struct tried *s, size_t i, size_t end);
/* The first event that is made in the part of the first and never recorded; NO_CALL for none. */
uint32_t idle_event(const struct tried *s);
/* Is it a legacy default stream? */
bool is_legacy(const struct timeline *t, uint32_t stream);

#endif
