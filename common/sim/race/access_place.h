/* SPDX-License-Identifier: MIT */
/*
 * access_place.h - which memory hazards are looked for in, and who may touch it.
 *
 * All that the runtime gives, the program's variables on the device, registered memory, and
 * pageable memory that a copy reads and the host has not waited for; all of the program's, where
 * several threads may meet in it. Addresses are bytes of this process, [from, to). A node is an
 * operation's number, NO_NODE the host.
 */
#ifndef SIM_RACE_ACCESS_PLACE_H
#define SIM_RACE_ACCESS_PLACE_H

#include "sim/sim.h"
#include "trace/order/hazard.h"

struct access_run;

/* The value of a conditional handle has no address that a program could use: in runs it is these
 * bytes. */
#define CONDITION_BYTES 4
#define CONDITION_AT(handle) (UINT64_C(0x1f) << 56 | (uint64_t)(handle) * CONDITION_BYTES)
#define IS_CONDITION(at) ((at) >> 56 == 0x1f)
/* The caller, a kernel, sets it at `pc`; a conditional node reads it. */
void access_condition_set(uint64_t handle, const void *pc);
void access_condition_read(uint64_t handle);

/* The operation is made: where it is a copy that reads pageable memory later on, that memory is
 * watched. */
void access_place_read(const struct call *c, uint32_t node);
/* Names what is watched (access_seen.h) from here on; forgets memory that was waited for. */
void access_place_watch(const struct vector_clocks *clocks);

/* Does a copy read some of it? Does one, or is it registered, so that operations may still be to
 * touch it? */
bool access_place_is_read(uint64_t from, uint64_t to);
bool access_place_queued(uintptr_t from, uintptr_t to);

/* What the run touched, as hazards know it: variables on the device have an address on each. False:
 * memory of the program's that happens to lie between what is watched, or between its variables on
 * the device, or one of those, which the host only believes that it reaches. */
bool access_place(const struct access_run *run, uint32_t node, struct hazard_range *r);

/* By address; of one kind, those that touch or overlap become one. How many are left. */
size_t access_place_merge(struct hazard_range *ranges, size_t count);

/* Is it not the host's, or a kernel's, to touch? Of the runtime's memory the host has all but the
 * device's. */
bool access_place_strays(const struct access_run *run, uint32_t node);
/* Says so of each run that strays, or by which the host writes what the device is to make. */
void access_place_report_strays(const struct access_run *runs, size_t count, uint32_t node);

#endif
