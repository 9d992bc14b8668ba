/* SPDX-License-Identifier: MIT */
/*
 * hand_made.h - timelines made by hand, for tests: a call and its span a line.
 */
#ifndef TESTS_HAND_MADE_H
#define TESTS_HAND_MADE_H

#include <string.h>

#include "trace/record/timeline.h"

static inline uint32_t text(struct timeline *t, const char *s)
{
    return timeline_intern(t, s, strlen(s));
}

/* A call that makes no span; its index. */
static inline uint32_t add_call(struct timeline *t, uint32_t kind, const char *name,
                                uint32_t stream, int64_t begin, int64_t end)
{
    struct call c = { .kind = kind, .name = text(t, name), .stream = stream, .begin = begin,
                      .end = end,
                      .node = NO_NODE };
    timeline_add_call(t, &c);
    return (uint32_t)t->call_count - 1;
}

/* A span of the call `call`. */
static inline struct span *add_span(struct timeline *t, uint32_t call, uint32_t engine,
                                    int64_t start, int64_t end)
{
    struct call *c = &t->calls[call];
    struct span s = { .engine = engine, .device = c->device, .stream = c->stream, .call = call,
                      .name = c->name, .queued = c->end, .start = start, .end = end,
                      .bytes = c->bytes };
    if (c->node == NO_NODE)
        c->node = (uint32_t)t->span_count;
    return timeline_add_span(t, &s);
}

/* A call of 2 ns at `begin` that queues an operation, and the operation. */
static inline struct span *add_operation(struct timeline *t, uint32_t engine, uint32_t stream,
                                         int64_t begin, int64_t start, int64_t end)
{
    static const struct { uint32_t kind; const char *name; } by_engine[ENGINE_KINDS] = {
        [ENGINE_NONE] = { CALL_EVENT_RECORD, "cudaEventRecord" },
        [ENGINE_KERNEL] = { CALL_LAUNCH, "kernel" },
        [ENGINE_H2D] = { CALL_COPY, "cudaMemcpyAsync" },
        [ENGINE_D2H] = { CALL_COPY, "cudaMemcpyAsync" },
        [ENGINE_D2D] = { CALL_COPY, "cudaMemcpyAsync" },
        [ENGINE_PEER] = { CALL_COPY, "cudaMemcpyPeerAsync" },
        [ENGINE_MEMSET] = { CALL_SET, "cudaMemsetAsync" },
        [ENGINE_HOST_FUNC] = { CALL_HOST_FUNC, "cudaLaunchHostFunc" },
        [ENGINE_WAIT] = { CALL_STREAM_SYNC, "cudaStreamSynchronize" },
    };
    uint32_t call =
        add_call(t, by_engine[engine].kind, by_engine[engine].name, stream, begin, begin + 2);
    return add_span(t, call, engine, start, end);
}

#endif
