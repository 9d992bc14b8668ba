/* SPDX-License-Identifier: MIT */
/*
 * near_miss.h - why one thing does not come after another: the record, the wait
 * or the stream that was meant, and what is wrong with it.
 *
 * To be asked when nothing guarantees the order (happens_before.h): it looks for what
 * the program has tried, and names that call. What it says of the call is true of it;
 * that it was meant for this order is the likeliest reading of it.
 */
#ifndef TRACE_ORDER_NEAR_MISS_H
#define TRACE_ORDER_NEAR_MISS_H

#include "trace/order/hazard_text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum near_miss_kind {
    MISS_NONE,                  /* nothing was tried; call: the later of the two, or NO_CALL */
    MISS_QUEUED_BEFORE, /* call: the second, which is queued before the first (call `other`) */
    MISS_REFUSED, /* call: a record or a wait between the two that failed */
    MISS_NEVER_RECORDED, /* call: a wait for an event that nobody had recorded by then */
    MISS_RECORDED_LATER, /* call: a wait that was made before the event was recorded after the first
                          */
    MISS_RECORDED_ELSEWHERE, /* call: the record, in another stream than the first */
    MISS_RECORDED_BEFORE, /* call: the record, in front of the first */
    MISS_OTHER_EVENT, /* call: a wait, the host's or a stream's, while an event that was recorded
                       * after the first, by call `other`, is waited for by nothing */
    MISS_RECORDED_AGAIN, /* the same, and it is the same event, which another stream has recorded
                            since */
    MISS_WAIT_LATE, /* call: the wait, made after the second */
    MISS_WAIT_SKIPPED, /* call: the wait, made in front of the second in other rounds of a loop, and
                          not in this one */
    MISS_WAIT_LEFT_OUT, /* call: a wait that at other times follows the line of call `other`, which
                           records an event after the first, and this time does not */
    MISS_WAIT_ELSEWHERE, /* call: the wait, in another stream than the second */
    MISS_WAIT_OF_ITSELF, /* call: the wait, in the stream of the first, for an event of that stream
                          */
    MISS_WRONG_WAY, /* call: the wait, in the stream of the first for an event of the second's */
    MISS_SOME_STREAMS, /* call: a wait for the work of another stream (of call `other`); nothing
                          waits for the first's */
    MISS_EVENT_UNUSED, /* call: a record after the first, of an event that nothing waits for */
    MISS_NEVER_USED, /* nothing else was tried; call: makes an event that is never recorded */
    MISS_DEFAULT_STREAM, /* call: the one of the two that is in the legacy default stream; other:
                            that one, too */
    /* Of the host, which has not waited: */
    MISS_OTHER_STREAM, /* call: a wait for another stream */
    MISS_OTHER_DEVICE, /* call: a wait for another device */
    MISS_QUERY, /* call: a query that was told "not yet", or whose answer is not looked at */
    MISS_STREAM_WAITS, /* call: cudaStreamWaitEvent, which holds up a stream and not the host */
    MISS_WAIT_EARLY, /* call: a wait that was made before the first was queued */
};
#define NO_CALL UINT32_MAX

struct near_miss {
    enum near_miss_kind kind;
    uint32_t call;              /* the call to blame */
    uint32_t other;             /* another call that the words are about */
};

/* `first` and `then` are spans of the timeline. */
struct near_miss near_miss_operations(const struct timeline *t, uint32_t first, uint32_t then);
/* The host in `thread` touches something that span `first` does too, when `calls` calls had been
 * made. `same_function`: a wait that comes later, or is for another stream, was meant only where it
 * is in the function that queued the first; one for another stream also where nothing is queued
 * after it. */
struct near_miss near_miss_host(const struct timeline *t, struct happens_before *order,
                                uint32_t first, size_t calls, uint32_t thread, bool same_function);

/* What is to be said of it, of two operations that have names: "A", "the copy". Whole sentences. */
void near_miss_say_operations(struct hazard_line *l, const struct timeline *t, struct near_miss m,
                              uint32_t first, const char *first_name, const char *then_name);
/* The same of the host; nothing for MISS_NONE. */
void near_miss_say_host(struct hazard_line *l, const struct timeline *t, struct near_miss m,
                        uint32_t first, const char *first_name);

#ifdef __cplusplus
}
#endif
#endif
