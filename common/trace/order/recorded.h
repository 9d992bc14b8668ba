/* SPDX-License-Identifier: MIT */
/*
 * recorded.h - the timeline of a real GPU, from the log that a recorder wrote (call.h).
 *
 * The order comes from the same code as the simulator's, the times from the
 * record. Operations and waits are nodes as with model_replay, one for one.
 * What has no time of its own gets one:
 *   a wait of the host                   its call's;
 *   an instant (an event's record, a stream's wait, an empty node, memory from or to a pool)
 *                                        when it had been queued and what it waits for had ended;
 *   a prefetch of which nothing is recorded  likewise: nothing had to move.
 * An error that ends the context takes records with it: in its part, none are asked for.
 * Pages that move to the device while one kernel runs there are that kernel's doing.
 */
#ifndef TRACE_ORDER_RECORDED_H
#define TRACE_ORDER_RECORDED_H

#include "trace/order/happens_before.h"
#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RECORDED_TROUBLE 200

/* Leaves the timeline and order of a log in *t and *o (initialised by the caller, empty). The
 * timeline has the log's calls without CALL_DEVICE, CALL_RAN and CALL_LOST; CALL_MIGRATE stands
 * where it happened, and so do CALL_FUNCTION_BEGIN and _END of the functions that streams called.
 * False: the record is not whole, and `trouble` says why in one sentence without a full stop. What
 * there is is in *t all the same, to be looked at and not to be judged: TIME_NEVER is then the end
 * of what is not known, too. */
bool recorded_replay(const struct timeline *log, struct timeline *t, struct happens_before *o,
                     char trouble[RECORDED_TROUBLE]);

/* Is the log a recorder's? Its CALL_DEVICE for that device, NULL for none. */
const struct call *recorded_device(const struct timeline *log, uint32_t device);

#ifdef __cplusplus
}
#endif
#endif
