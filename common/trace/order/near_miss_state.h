/* SPDX-License-Identifier: MIT */
/*
 * near_miss_state.h - what near_miss.c, near_miss_host.c and near_miss_calls.c look for in a log.
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

/* Did call i, of that kind, succeed? */
bool tried_call(const struct tried *s, size_t i, uint32_t kind);
/* Is call i a launch, a copy, a memset or a function that was queued? */
bool tried_work(const struct tried *s, size_t i);
/* The last call before `end` that records this event; NO_CALL for none. */
uint32_t record_before(const struct tried *s, size_t end, uint32_t event);
/* Is the event recorded after the first, in its stream, before call `end`? */
bool recorded_behind(const struct tried *s, size_t end, uint32_t event);
/* Does a stream wait for the event, or the host wait for it, ask about it or take its time, between
 * two calls? */
bool is_used(const struct tried *s, size_t from, size_t end, uint32_t event);
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
/* Do both stand in one line, which is known, of one function? */
bool same_place(const struct call *a, const struct call *b);

/* ---- waits that other rounds make, and this one too late or not at all ---- */

/* The wait for the event of that record which a later round makes in front of the second; NO_CALL:
 * none. */
uint32_t begins_to_wait(const struct tried *s, uint32_t record);
/* The wait that follows the line of that record at other times, for what it has recorded, and is
 * left out after this one; NO_CALL: none. */
uint32_t left_out_wait(const struct tried *s, uint32_t record);
/* A wait after the second that would order it if it stood before: for an event that is recorded
 * after the first and before call `until`. One of another function is named only where there is no
 * better reason. */
struct near_miss look_behind(const struct tried *s, size_t until, struct near_miss *elsewhere);
/* In a loop, the wait that was found belongs to the previous round, and its line follows the second
 * operation. If the next round makes it for the event recorded after the first, it comes too late.
 */
struct near_miss made_a_round_late(const struct tried *s, struct near_miss other);

#endif
