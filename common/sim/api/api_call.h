/* SPDX-License-Identifier: MIT */
/*
 * api_call.h - the one way of a runtime call into the model.
 *
 * 1. api_open: takes the lock and the site, refuses what cannot go on (the
 *    device is lost; inside a host function), fills in what all calls share;
 * 2. the call checks its arguments and fills in its own fields; where it
 *    refuses, it says why (because.h);
 * 3. api_make: writes the call to the log and makes it, with its effect; a
 *    call that failed makes nothing happen and is logged as CALL_OTHER with its
 *    status (launches and queries stay what they are), and one that a capture
 *    takes (capture.h) goes into its graph;
 * 4. api_close: remembers the error, gives the lock back, returns the status.
 * api_finish is 3 and 4.
 */
#ifndef SIM_API_API_CALL_H
#define SIM_API_API_CALL_H

#include "sim/sim.h"

struct effect;

struct api_call {
    struct call call;
    struct thread *thread;
    size_t index;               /* in the timeline, once it is made */
    size_t record;              /* in the log, from 1; 0: it is not there */
    bool asks_for_error;        /* cudaGetLastError, cudaPeekAtLastError */
};

cudaError_t api_open(struct api_call *e, enum call_kind kind, const char *name);
/* `effect` (NULL: none) is the simulator's from here on. Returns `status`, or
 * the error that the device ran into meanwhile. */
cudaError_t api_make(struct api_call *e, cudaError_t status, struct effect *effect);
cudaError_t api_close(struct api_call *e, cudaError_t status);
cudaError_t api_finish(struct api_call *e, cudaError_t status);

/* REFUSE (because.h) of a pointer that must not be NULL: "first argument, pStream". */
cudaError_t refuse_null(struct api_call *e, cudaError_t status, const void *pointer,
                        const char *argument);
/* REFUSE of a number that is no device's, as cudaErrorInvalidDevice. */
cudaError_t refuse_device(struct api_call *e, cudaError_t status, int device, const char *argument);

/* The call is refused because the simulator has no such thing, where a card would go on: says so on
 * standard error, once. */
void api_absent(const struct api_call *e, const char *what);

/* The copy's direction names other sides than its memory is on: says its message on standard error,
 * once. */
void api_contrary(const struct api_call *e);
/* The call is about to read or write `wanted` bytes of an argument, which has `room` (SIZE_MAX: not
 * known). If that is less, the log and standard error say so, once. `argument`: "third argument,
 * value"; `type`: what it should be. */
void api_short(struct api_call *e, const char *argument, size_t room, size_t wanted,
               const char *type);

/* One more call that the same call of the program makes, with its effect: a
 * graph's nodes. Between api_make and api_close. Returns the node of its operation. */
uint32_t api_add(struct api_call *e, const struct call *c, struct effect *effect);

/* For queries: is all done that this one asks about, now? */
bool api_done(const struct call *query);

/* The caller has been told of its latest error, by a call whose answer it looks at. */
void api_asked(void);
/* The first error that the program was not told of so, that of a lost device before others. False:
 * there is none. */
bool api_unasked(struct failure *failure);

/* A call that is none of the runtime's (note.h), with the site that stands for the next call. */
size_t note_at_site(struct call *c);

/* The site of the next call; taken by the call. */
void call_site_push(struct thread *thread, struct call_site site);
struct call_site call_site_pop(struct thread *thread);
/* Where the program makes the next call: after it the program goes on at `inside`, its function's
 * frame begins at `stack` (counters.h). */
void call_site_of(const char *file, int line, int zero_is_per_thread, const void *inside,
                  const void *stack);

#endif
