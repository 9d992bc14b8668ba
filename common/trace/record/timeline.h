/* SPDX-License-Identifier: MIT */
/*
 * timeline.h - what happened, and when: the waist of the whole project.
 *
 * A timeline holds the calls of one program run (call.h), the spans that they
 * caused, and the strings of both. Backends fill it, everything else reads it.
 *
 * A *node* is a thing that order is told of (happens_before.h): an operation on a device
 * or a wait of a host thread. Span number k is node number k. A call makes no
 * node, one, or two: first its operation, then the wait for it.
 */
#ifndef TRACE_RECORD_TIMELINE_H
#define TRACE_RECORD_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum engine {
    ENGINE_NONE, /* event records, stream waits, the rest of a dependent launch: an instant in a
                    stream */
    ENGINE_KERNEL,
    ENGINE_H2D, /* copy engine, host to device; prefetches to the device */
    ENGINE_D2H,
    ENGINE_D2D, /* copies inside a device */
    ENGINE_PEER, /* copies from one device's memory to another's */
    ENGINE_MEMSET,
    ENGINE_HOST_FUNC, /* functions that streams call on the host */
    ENGINE_WAIT, /* a host thread held up in a call */
    ENGINE_KINDS
};

#define TIME_NEVER INT64_MAX    /* a span that had not begun, or not ended, when the program did */

struct span {
    uint32_t engine;            /* enum engine */
    uint32_t device, stream;    /* a wait has neither */
    uint32_t call;              /* index of the call that caused it */
    uint32_t name;              /* string: kernel's name, or the call's */
    uint32_t blocks;            /* kernels: blocks of the grid */
    int64_t queued;             /* when the device got to know of it */
    int64_t start, end;         /* ns; TIME_NEVER: did not happen */
    uint64_t bytes;
};

/* Pages of managed memory that went to the other side because somebody touched
 * them, or room was needed. They are no nodes: what they hold up is the kernel or
 * the host. A prefetch is a span like any other, its bytes those that it moved. */
struct migration {
    uint32_t call;              /* index of the CALL_MIGRATE */
    uint32_t node;              /* the kernel that it held up; NO_NODE: the host */
    uint32_t device;
    bool to_host, fault;        /* as in the call */
    uint64_t address, bytes;
    int64_t start, end;         /* ns; TIME_NEVER: did not happen */
};

struct timeline {
    struct call *calls;
    size_t call_count, call_capacity;
    /* Indices of those that are CALL_PART. What lies beyond call_count does not count. */
    uint32_t *parts;
    size_t part_count, part_capacity;
    struct span *spans;
    size_t span_count, span_capacity;
    struct migration *migrations;   /* in the order of their calls */
    size_t migration_count, migration_capacity;
    /* Strings, zero-terminated, by number: text + offset[number]. */
    char *text;
    size_t text_size, text_capacity;
    uint32_t *string_offset;
    size_t string_count, string_capacity;
    uint32_t *string_hash;      /* open addressing; owned by timeline.c */
    size_t hash_capacity;
};

void timeline_init(struct timeline *t);
void timeline_fini(struct timeline *t);

/* The number of a string, added when it is new. `length` bytes of `s`. */
uint32_t timeline_intern(struct timeline *t, const char *s, size_t length);
/* The string of a number; "" for 0 and for numbers that were never given. Valid until the next
 * intern. */
const char *timeline_string(const struct timeline *t, uint32_t number);
/* The strings of `from` that `t` has not yet: with the same numbers, as long as `t` has taken in no
 * others. */
void timeline_take_strings(struct timeline *t, const struct timeline *from);

/* Appends a copy; the pointer is valid until the next append. */
struct call *timeline_add_call(struct timeline *t, const struct call *c);
void timeline_forget_calls(struct timeline *t);
struct span *timeline_add_span(struct timeline *t, const struct span *s);
struct migration *timeline_add_migration(struct timeline *t, const struct migration *m);

/* The call that made the stream, or that says that a default stream is there; NULL for none. */
const struct call *timeline_stream_made(const struct timeline *t, uint32_t stream);
/* Its flags; 0 for none. */
uint32_t timeline_stream_flags(const struct timeline *t, uint32_t stream);

/* On which engine an operation runs that this call queues; ENGINE_NONE: it is an instant, or none.
 */
enum engine engine_of_call(const struct call *c);
/* Blocks of its grid. */
uint32_t blocks_of_call(const struct call *c);

/* "kernel", "H2D", "D2H", "D2D", "peer", "memset", "host function", "wait". */
const char *engine_name(uint32_t engine);

#ifdef __cplusplus
}
#endif
#endif
