/* SPDX-License-Identifier: MIT */
/*
 * because.h - why a call is refused, in a few words.
 *
 * Whoever refuses a call says why, where it refuses: the words are kept with the call in the log
 * (`message`). CHECK shows them, and so does the grader. A reason begins small, has no full stop,
 * and claims only what is known. It names an argument by its place and by its name in the
 * reference, and what it names besides (memory, a stream) by the call and the line that made it or
 * gave it back: those are looked up in the program's calls, and nothing is kept for it.
 */
#ifndef SIM_MEMORY_BECAUSE_H
#define SIM_MEMORY_BECAUSE_H

#include "sim/handles.h"
#include "sim/sim.h"

/* Returns `error`; the call keeps why (printf). The first reason stays. After a thousand refused
 * calls no more reasons are looked for: a program that never looks at its errors is none the
 * slower. */
cudaError_t because(struct call *c, cudaError_t error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One of several checks in a row: `status`, or, when that is success and `wrong` holds, `error`
 * with its reason. */
#define REFUSE(e, status, wrong, error, ...) \
    ((status) == cudaSuccess && (wrong) ? because(&(e)->call, error, __VA_ARGS__) : (status))

/* Parts of a reason: the text lives as long as the call that it is an argument of. */
struct words { char text[600]; };

/* "in line 12", or "in other.cu:12" where the thread's present call is in another file; "" when it
 * is not known. */
struct words words_of_location(const struct call *c);
/* "cudaFree in line 12", "the launch of scale in line 41". */
struct words words_of_call(const struct call *c);
/* What lies at an address: "device memory (cudaMalloc in line 12)", "host memory that is not
 * pinned", "NULL", … */
struct words words_of_memory(const void *address);
/* Of memory of the program's own heap: which line has allocated it; false: that is not known. NULL:
 * there is no such record. */
extern bool (*words_heap_maker)(const void *at, struct call *maker);
/* What is wrong where `bytes` at an address are not all there: "device memory (…), with 400 bytes
 * from there on"; "" when they are. */
struct words words_of_missing(const void *address, size_t bytes);
/* "404 bytes", and of a size that was computed below 0 also what it is: C has made a huge one of
 * it. */
struct words words_of_size(size_t bytes);
/* Which call made the present thread's device the current one, and which made the event that has
 * this number: " (cudaSetDevice in line 12)"; "" where none is known. */
struct words words_of_current(void);
struct words words_of_event(uint32_t number);
/* What became of a handle that is none: "it was destroyed by cudaGraphDestroy in line 12", or no
 * call returned it. */
struct words words_of_handle(const struct handles *h, const void *handle, const char *destroy);
/* The same of a stream (kind CALL_STREAM_DESTROY) or event (CALL_EVENT_DESTROY) that had this
 * number; NO_STREAM: none. null: the handle is NULL. */
struct words words_of_gone(uint32_t kind, uint32_t number, bool null);
/* Which call made the latest stream or event (kind as above): "; the latest is of cudaStreamCreate
 * in line 12", "" for none. */
struct words words_of_latest(uint32_t kind);
/* What the node's operation did: "kernel fill, launched in line 12, touched …". */
struct words words_of_fault(uint32_t node, uint64_t address, cudaError_t error);
/* The same of a While that does not end; set_by: the kernel that has set its value in this launch,
 * set_another: the last that has set any value, NULL: none has; empty: nothing is in the body. */
struct words words_of_endless(uint32_t node, unsigned rounds, unsigned value, const char *set_by,
                              const char *set_another, bool empty);

#endif
