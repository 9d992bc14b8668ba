/* SPDX-License-Identifier: MIT */
/*
 * record.h - what a recorder on a real GPU would have written, made from a run of the simulator.
 *
 * The calls of the simulator's timeline, less those that a recorder cannot know, with a CALL_RAN
 * for each operation that has a time, all behind the calls and before the CALL_EXIT.
 */
#ifndef TESTS_RECORD_H
#define TESTS_RECORD_H

#include <stdlib.h>
#include <string.h>

#include "trace/record/timeline.h"

/* It is told of the runtime's calls, and not of the driver API's events and waits. */
static inline bool recorder_knows(const struct call *c)
{
    uint32_t kind = c->kind;
    bool waits = (kind >= CALL_HOST_FUNC && kind <= CALL_STREAM_WAIT)
                 || (kind >= CALL_STREAM_SYNC && kind <= CALL_EVENT_SYNC);
    return !(waits && c->flags & BY_DRIVER_API) && kind != CALL_COST && kind != CALL_FAULT
           && kind != CALL_HAZARD && kind != CALL_EXIT
           && !(kind >= CALL_THREAD_BEGIN && kind <= CALL_FUNCTION_END) && kind < CALL_DEVICE;
}

/* Threads are numbered as they appear. */
static inline uint32_t thread_number(uint32_t thread, uint32_t *known, size_t *count)
{
    size_t i = 0;
    while (i < *count && known[i] != thread)
        i++;
    if (i == *count && *count < 64)
        known[(*count)++] = thread;
    return (uint32_t)i;
}

static inline uint32_t record_text(struct timeline *t, const char *s)
{
    return timeline_intern(t, s, strlen(s));
}

/* `t`: what model_replay left. `devices`: so many of the name `device`. The log is initialised by
 * the caller, empty. */
static inline void record_of(const struct timeline *t, struct timeline *log, const char *device,
                             uint32_t devices)
{
    uint32_t threads[64] = { 0 };
    size_t thread_count = 1;
    uint32_t *number = calloc(t->call_count + 1, sizeof *number);
    struct call end = { .kind = CALL_NONE };
    timeline_take_strings(log, t);
    for (uint32_t d = 0; d < devices; d++)
        timeline_add_call(
            log, &(struct call){ .kind = CALL_DEVICE, .device = d, .name = record_text(log, device),
                                 .message = record_text(log, "driver 580.1, CUDA 13.0, recorder 1"),
                                 .bytes = UINT64_C(150) << 30, .grid = { 132, 3, 90 },
                                 .flags = DEVICE_MANAGED | DEVICE_CONCURRENT_MANAGED,
                                 .node = NO_NODE });
    for (size_t i = 0; i < t->call_count; i++) {
        struct call c = t->calls[i];
        number[i] = (uint32_t)log->call_count;
        c.node = NO_NODE;
        if (c.kind == CALL_EXIT)
            end = c;
        if (!recorder_knows(&c) && c.kind != CALL_MIGRATE)
            continue;
        if (c.kind == CALL_MIGRATE)
            for (size_t m = 0; m < t->migration_count; m++)
                if (t->migrations[m].call == i) {
                    c.begin = t->migrations[m].start;
                    c.end = t->migrations[m].end;
                }
        c.thread = thread_number(c.thread, threads, &thread_count);
        timeline_add_call(log, &c);
    }
    for (size_t k = 0; k < t->span_count; k++) {
        const struct span *s = &t->spans[k];
        uint32_t thread = 0;
        for (size_t i = 0; i < t->call_count && s->engine == ENGINE_HOST_FUNC; i++)
            if (t->calls[i].kind == CALL_FUNCTION_BEGIN && t->calls[i].node == k)
                thread = thread_number(t->calls[i].thread, threads, &thread_count);
        if (s->engine != ENGINE_NONE && s->engine != ENGINE_WAIT && s->end != TIME_NEVER)
            timeline_add_call(log, &(struct call){ .kind = CALL_RAN, .begin = s->start,
                                                   .end = s->end, .src = number[s->call],
                                                   .thread = thread, .bytes = s->bytes,
                                                   .dst_kind = t->calls[s->call].dst_kind,
                                                   .src_kind = t->calls[s->call].src_kind,
                                                   .node = NO_NODE });
    }
    if (end.kind == CALL_EXIT)
        timeline_add_call(log, &end);
    free(number);
}

#endif
