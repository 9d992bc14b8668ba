/* SPDX-License-Identifier: MIT */
/*
 * hazard_calls.h - what calls touch by their own words, and the hazards that
 * a log of calls shows by itself: of copies, memsets and memory that is given
 * back. What kernels and host code touch is in no call; whoever saw it says so
 * with CALL_HAZARD.
 */
#ifndef TRACE_ORDER_HAZARD_CALLS_H
#define TRACE_ORDER_HAZARD_CALLS_H

#include "trace/order/hazard.h"
#include "trace/order/hazard_text.h"

/* The older guide promises that pageable memory up to here has been read when the call returns. */
#define SURELY_STAGED (64u << 10)

/* Below this address lie a program's variables. One of a device is another one on each device, at
 * the same address: its ranges have the device's number in the top byte. */
#define VARIABLES_END UINT64_C(0x200000000000)

/* Does the copy take its source with it when the call returns? */
bool call_stages(const struct call *c);

/* The call that gave the memory at `at`, as it is now; NULL: none. */
const struct call *hazard_origin(const struct hazard_scene *scene, uint64_t at);
/* The last copy or memset in a line of that file whose bytes end right before that address, in the
 * same memory; NULL: none does. */
const struct call *hazard_short_of(const struct hazard_scene *scene, uint64_t at, uint32_t file);

struct hazard_ranges { struct hazard_range *list; size_t count, capacity; };

/* Adds what the call's operation touches: a copy, a memset, memory of a stream that comes or goes.
 */
void hazard_ranges_add(struct hazard_ranges *r, const struct call *c);

/* Two that meet. */
struct hazard_meeting {
    uint64_t from, to;
    struct hazard_side side[2]; /* as they were queued */
    uint32_t call[2];
};

/* Reports each pair once, in the order of the log. `order` is that of the timeline. Believes
 * nothing of the log that would take it too long: past HAZARD_ROWS_MAX rows of copies it stops. */
#define HAZARD_ROWS_MAX (1u << 20)
void hazards_of_calls(const struct hazard_scene *scene,
                      void (*found)(void *context, const struct hazard_meeting *m), void *context);

#endif
