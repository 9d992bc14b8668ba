/* SPDX-License-Identifier: MIT */
/*
 * model.h - the device: a discrete-event engine in virtual time.
 *
 * Fed with calls, it says when they end and what runs when, and writes it into
 * a timeline. Integer nanoseconds; events are handled in (time, sequence)
 * order; all state is in one struct; no threads, no clock, no floating point.
 * The same calls on the same card give the same timeline, always and anywhere.
 *
 * It is lazy: the device is carried forward only when a host thread waits for
 * it (or asks it). What depends on a missing wait therefore has not happened
 * yet when the program looks, every time.
 *
 * Host threads that are announced (CALL_THREAD_BEGIN) share the device: while
 * there are several, model_call leaves a wait open, since others may act before
 * it is over. Then the caller steps the device, in time order with what the
 * threads do: never beyond the present of a thread that can go on. A replay
 * does the same by itself: before a call, the device is carried on until the
 * thread's own wait is over and, while others wait, up to its present.
 *
 * Order of use: model_init, model_call for each call, model_fini.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "model/card.h"
#include "trace/order/happens_before.h"
#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define COST_OPEN (-2)

/*
 * Managed memory. Which page is where is the caller's to know; the model is told
 * of each move by CALL_MIGRATE and says how long it takes: a fault (fault_device,
 * fault_host; MIGRATE_TOGETHER: fault_more; MIGRATE_FIRST: fault_first on top) and
 * the bytes' time of a pinned copy. A kernel's own moves come one
 * after the other when its blocks have ended and make it last so much longer; the
 * host's hold up the thread that touched the page. A prefetch is a copy of what it
 * has to move, in its stream and on its engine. In a stream that is known to be idle, the call
 * itself does it. To the device: prefetch_ns, and prefetch_call a MiB; pages move when the first
 * 2 MiB are prepared. To the host: prefetch_home and the pages' way, after which the call returns.
 * Elsewhere the call has little to do, and the preparation comes when the
 * stream has got there. If that is not at once (to the host: within prefetch_home), the driver has
 * to be told by the device when its turn has come, and moves the pages itself: the prefetch begins
 * prefetch_late after what it waits for, and prefetch_wake later still unless the driver has moved
 * others for that stream less than prefetch_awake before. Other copies are not slowed by pages
 * that move, and moves in one direction not by each other. A kernel's fault for pages that a
 * prefetch takes before its turn waits for the end of that prefetch (MIGRATE_AWAITS).
 */

/*
 * Kernels that trigger dependent launches, and dependent launches. A block's time is cut in parts
 * where the block triggers or waits for the kernel before; each part's cost is asked for when the
 * first block comes to it, and so is what ends it.
 */
enum part_end { PART_ENDS_BLOCK, PART_TRIGGERS, PART_SYNCS };
enum { KERNEL_PARTS = 3 };      /* a block does each once at most: later calls do nothing */

/* What the simulator does when the device does something; all may be NULL. */
struct model_hooks {
    /* A kernel starts: how many ns a block takes, COST_UNKNOWN to cost it by
     * its geometry. A host function: how long it takes, or COST_OPEN when
     * CALL_FUNCTION_END will tell. A prefetch: bytes that it has to move, COST_UNKNOWN for all that
     * it names. May append CALL_COST, CALL_FAULT and CALL_MIGRATE through model_call. */
    int64_t (*start)(void *context, uint32_t node);
    /* An operation has ended: its effects are due. Of a kernel, returns by how many ns the pages
     * that it moved make it last longer: it ends only then. */
    int64_t (*end)(void *context, uint32_t node);
    void *context;
    /* What a kernel's blocks do at the end of this part of their time, from 0; NULL: they end. May
     * append as `start`. */
    enum part_end (*part_ends)(void *context, uint32_t node, unsigned part);
    /* The part after that begins: how many ns it takes, COST_UNKNOWN as for `start`. */
    int64_t (*part_begins)(void *context, uint32_t node, unsigned part);
};

struct model {
    const struct card *card;
    struct timeline *timeline;      /* the caller's */
    struct happens_before *order;            /* the caller's */
    struct model_hooks hooks;
    struct engine_state *state;     /* owned by model.c */
};

/* `queues`: CUDA_DEVICE_MAX_CONNECTIONS, 0 for the card's default; CALL_QUEUES asks for others. */
void model_init(struct model *m, const struct card *card, unsigned queues, struct timeline *t,
                struct happens_before *o, const struct model_hooks *hooks);
void model_fini(struct model *m);

/* Makes the call: sets begin and end (whatever they were), appends it to the
 * timeline with its spans, and, where it waits, carries the device forward
 * until it need wait no longer. Returns its index in the timeline. A query
 * whose status is 0 is a wait; with another status it costs its time and no more. */
size_t model_call(struct model *m, const struct call *c);

/* For queries, before the call is made: carries the device forward to the
 * thread's present and says whether all that it asks about is done. */
bool model_done(struct model *m, const struct call *query);

/* Host time of a thread, ns. */
int64_t model_now(const struct model *m, uint32_t thread);
/* Time of the device's next step, TIME_NEVER if nothing is to come; and that step. */
int64_t model_next(const struct model *m);
void model_step(struct model *m);
/* The device's own present: the time of its last step. */
int64_t model_device_now(const struct model *m);
/* Is a thread in a wait that is not over; is this one? */
bool model_waiting(const struct model *m);
bool model_waits(const struct model *m, uint32_t thread);
/* Is this kernel a dependent launch? Then its rest is the node after it. */
bool model_is_dependent(const struct model *m, uint32_t kernel);
/* Is all over that this kernel, a dependent launch, waits for in cudaGridDependencySynchronize? */
bool model_is_synced(const struct model *m, uint32_t kernel);

/* When the pages of this prefetch to the device move, if its stream was known to be idle and its
 * engine is free; else TIME_NEVER, both. */
struct prefetch_time { int64_t begin, end; };
struct prefetch_time model_prefetch_time(const struct model *m, uint32_t node);

/* How long the move of this CALL_MIGRATE takes. */
int64_t model_migration_time(const struct card *card, const struct call *c);

/* Feeds the calls of `log` to a fresh model of `card` and leaves the timeline
 * and order of that in *t and *o (initialised by the caller, empty). Kernels
 * cost what the log's CALL_COST say, host functions take as long as they took.
 * Work that was still running when the program ended keeps TIME_NEVER as its end. */
void model_replay(const struct timeline *log, const struct card *card, struct timeline *t,
                  struct happens_before *o);

#ifdef __cplusplus
}
#endif
#endif
