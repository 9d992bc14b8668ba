/* SPDX-License-Identifier: MIT */
/* functions.h - questions to a view about functions that streams call, and about the driver's
 * labels. */
#ifndef FUNCTIONS_H
#define FUNCTIONS_H

#include "grader/check.h"

/* The function, a node, in which the call was made; ANY for none. */
uint32_t function_of_call(const struct view *v, size_t call);

/* Does the thread that makes the call know that `node` is done, because something made it so? It is
 * in a function that comes after the node; or it has waited for it; or such a function has run by
 * then and may have told the thread: to take a lock or a semaphore that is free holds nothing up,
 * and no log shows it. */
bool function_known(const struct view *v, uint32_t node, size_t call);

/* ---- the driver's fill() ---- */

/* The first copy out of those bytes, queued before `call`, that its maker does not know to be done;
 * ANY for none. One that comes after the function in which the call is made reads nothing yet. */
uint32_t copy_still_read(const struct view *v, const char *part, uint64_t from, uint64_t bytes,
                         size_t call);
/* Does this thread call fill() there? */
bool thread_fills(const struct view *v, struct selection s, uint32_t thread);
/* Does the thread of that call call fill() after it? */
bool fills_later(const struct view *v, struct selection s, size_t call);
/* The last fill() of the selection; where that begins when there is none. */
size_t last_fill(const struct view *v, struct selection s);
/* How many of the first `slots` slots are filled at all. */
int slots_filled(const struct view *v, struct selection s, int slots);
/* The first function that the thread which queues this copy queues after it, before its next copy;
 * *second: one more, ANY for none. */
uint32_t function_after(const struct view *v, const char *part, uint32_t copy, uint32_t *second);
/* How many functions of the part had run when that call was made, and how many are queued in all.
 */
uint32_t functions_run(const struct view *v, const char *part, size_t call, uint32_t *queued);
/* Has the slot been filled before that call, or does a function fill it, which runs later than it
 * is queued? */
bool slot_is_filled(const struct view *v, struct selection s, long slot, size_t call);
/* A copy of the part reads a slot into which nothing has been filled: blames it and says so. */
bool copy_before_fill(const struct view *v, struct finding *f, const char *part,
                      const uint64_t *slots, int count, uint64_t bytes);
/* The copy that the thread queues after a fill(), before its next one, is out of another of `count`
 * slots, each of `bytes`: `f` names that copy. False: there is none. */
bool copies_other_slot(const struct view *v, struct finding *f, const char *part,
                       const uint64_t *slots, int count, uint64_t bytes);
/* The first time that a function woke a thread which fills, where that thread queues a copy next:
 * it had filled already when it waited. ANY: it waited before it filled. */
uint32_t wait_behind_fill(const struct view *v, struct selection s);
/* The first function in the stream, where it is queued before any copy there and so says that a
 * slot is back before it is: blames that. False: it is not so. */
bool function_before_copies(const struct view *v, struct finding *f, const char *part,
                            uint32_t stream);
/* The first call between two fillings in which the thread asks or lets time pass instead of
 * sleeping; ANY for none. */
uint32_t poll_between_fills(const struct view *v, struct selection s);
/* Is the call a cudaEventSynchronize() in which the thread asks again and again: for an event
 * without cudaEventBlockingSync? */
bool spins_at_event(const struct timeline *t, size_t call);
#define WAKEFUL "A thread in cudaEventSynchronize() asks again and again, and keeps a processor busy, unless the event was made with " \
    "cudaEventCreateWithFlags() and cudaEventBlockingSync: then it sleeps. Add that flag, or let a function wake the thread."
/* Says that a thread polls there, and how it would sleep: `wake` where it is no wait for an event.
 */
bool says_poll(const struct view *v, struct finding *f, uint32_t poll, const char *between,
               const char *wake);
/* Is the call one that fill() makes? */
bool in_fill(const struct view *v, struct selection s, size_t call);
/* The longest time that a thread which fills was held up by the device between two fillings; ANY
 * for none. */
uint32_t wait_between_fills(const struct view *v, struct selection s);

/* Was each launch of the kernel given memory of the device? `host`: as the driver has noted, of
 * `count` launches (slots.h). */
bool reads_inbox(const struct view *v, struct finding *f, const char *part, const char *kernel,
                 const uint32_t *host, int64_t count);

/* How much of the shorter of the two, the part's work on the device and what the host does under
 * this label, ran beside the other, in thousandths. */
unsigned label_beside_device(const struct view *v, const char *part, const char *what);

/* What the host had counted as empty at first, as its waits for functions tell: then none was left,
 * so it is the fills less the functions that had run. first, last: at the first and the last of
 * these waits; same: at all of them. */
struct counted {
    uint32_t waits, first, last;
    bool same;
};
struct counted counted_as_empty(const struct view *v, const char *part);

#endif
