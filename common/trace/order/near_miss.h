/* SPDX-License-Identifier: MIT */
/*
 * near_miss.h - why one thing does not come after another: the record, the wait
 * or the stream that was meant, and what is wrong with it.
 *
 * To be asked when nothing guarantees the order (happens_before.h): it looks for what
 * the program has tried, and names that call.
 */
#ifndef TRACE_ORDER_NEAR_MISS_H
#define TRACE_ORDER_NEAR_MISS_H

#include "trace/order/hazard_text.h"

#ifdef __cplusplus
extern "C" {
#endif

enum near_miss_kind {
    MISS_NONE,                  /* nothing was tried; call: the later of the two, or NO_CALL */
    MISS_NEVER_RECORDED,        /* call: a wait for an event that nobody had recorded by then */
    MISS_RECORDED_LATER,        /* call: a wait that was made before the event was recorded behind the first */
    MISS_RECORDED_ELSEWHERE,    /* call: the record, in another stream than the first */
    MISS_RECORDED_BEFORE,       /* call: the record, in front of the first */
    MISS_OTHER_EVENT,           /* call: a wait, the host's or a stream's, while an event that was recorded behind the first is waited for by nothing */
    MISS_WAIT_LATE,             /* call: the wait, made behind the second */
    MISS_WAIT_ELSEWHERE,        /* call: the wait, in another stream than the second */
    MISS_NEVER_USED,            /* nothing else was tried; call: makes an event that is never recorded */
    MISS_DEFAULT_STREAM,        /* call: the one of the two that is in the legacy default stream */
    /* Of the host, which has not waited: */
    MISS_OTHER_STREAM,          /* call: a wait for another stream */
    MISS_OTHER_DEVICE,          /* call: a wait for another device */
    MISS_QUERY,                 /* call: a query that was told "not yet" */
    MISS_STREAM_WAITS,          /* call: cudaStreamWaitEvent, which holds up a stream and not the host */
    MISS_EVENT_UNUSED,          /* call: a record behind the first, of an event that nothing waits for */
};
#define NO_CALL UINT32_MAX

struct near_miss {
    enum near_miss_kind kind;
    uint32_t call;              /* the call to blame */
    uint32_t line;              /* MISS_OTHER_EVENT: that of the record behind the first */
    bool then_is_legacy;        /* MISS_DEFAULT_STREAM: it is the second */
};

/* `first` and `then` are spans of the timeline, in two streams. */
struct near_miss near_miss_streams(const struct timeline *t, uint32_t first, uint32_t then);
/* The host in `thread` touches something that span `first` does too, when `calls` calls had been made. */
struct near_miss near_miss_host(const struct timeline *t, struct happens_before *order, uint32_t first, size_t calls, uint32_t thread);

/* What is to be said of it, of two in two streams that have names: "A", "the copy". Whole sentences. */
void near_miss_say_streams(struct hazard_line *l, struct near_miss m, const char *first, const char *then);
/* The same of the host; nothing for MISS_NONE. */
void near_miss_say_host(struct hazard_line *l, const struct timeline *t, struct near_miss m, uint32_t first);

#ifdef __cplusplus
}
#endif
#endif
