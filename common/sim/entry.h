/* SPDX-License-Identifier: MIT */
/*
 * entry.h - the one way of a runtime call into the model.
 *
 * 1. entry_open: takes the lock and the site, refuses what cannot go on (the
 *    device is lost; inside a host function), fills in what all calls share;
 * 2. the call checks its arguments and fills in its own fields; where it
 *    refuses, it says why (because.h);
 * 3. entry_make: writes the call to the log and makes it, with its effect; a
 *    call that failed makes nothing happen and is logged as CALL_OTHER with its
 *    status (launches and queries stay what they are), and one that a capture
 *    takes (capture.h) goes into its graph;
 * 4. entry_close: remembers the error, gives the lock back, returns the status.
 * entry_finish is 3 and 4.
 */
#ifndef SIM_ENTRY_H
#define SIM_ENTRY_H

#include "sim.h"

struct effect;

struct entry {
    struct call call;
    struct thread *thread;
    size_t index;               /* in the timeline, once it is made */
    size_t record;              /* in the log, from 1; 0: it is not there */
};

cudaError_t entry_open(struct entry *e, enum call_kind kind, const char *name);
/* `effect` (NULL: none) is the simulator's from here on. Returns `status`, or
 * the error that the device ran into meanwhile. */
cudaError_t entry_make(struct entry *e, cudaError_t status, struct effect *effect);
cudaError_t entry_close(struct entry *e, cudaError_t status);
cudaError_t entry_finish(struct entry *e, cudaError_t status);

/* One more call that the same call of the program makes, with its effect: a
 * graph's nodes. Between entry_make and entry_close. */
void entry_add(struct entry *e, const struct call *c, struct effect *effect);

/* For queries: is all done that this one asks about, now? */
bool entry_done(const struct call *query);

/* "cudaErrorInvalidValue"; no call of the program's. */
const char *error_name(cudaError_t error);

/* The caller has been told of its latest error, by a call whose answer it looks at. */
void entry_asked(void);
/* The first error that the program was not told of so, that of a lost device before others. False: there is none. */
bool entry_unasked(struct failure *failure);

/* A call that is none of the runtime's: logged and made, nothing else. Fills in the thread. */
size_t entry_note(struct call *c);
/* The same for the thread that the call names. */
size_t entry_note_for(const struct call *c);
/* entry_note with the site that stands for the next call. */
size_t entry_note_here(struct call *c);
uint32_t entry_string(const char *s);

/* The site of the next call; taken by the call. */
void site_push(struct thread *thread, struct site site);
struct site site_pop(struct thread *thread);

/* How many calls the log has (or would have). */
size_t entry_count(void);

/* A call that is for the log's readers alone: written, and not made here; passes no turn on. Fills in the thread. */
void entry_log(struct call *c);

/* For crash.c: writes a call to the log and to nothing else, from a signal
 * handler. False: the log is just being written, try again after it. */
bool entry_last_words(const struct call *c);
/* Set by crash.c when it was told to try again; called when the log has been written. */
extern void (*volatile entry_postponed)(void);

/* Does somebody read the log? Is it the grader? */
bool entry_is_logged(void);
bool entry_is_judged(void);

void entry_begin(void);

#endif
