/* SPDX-License-Identifier: MIT */
/*
 * grid.h - the blocks of a grid, on one core or on several (core.h).
 *
 * On one they run in the order of their numbers, x first: what a kernel does
 * is then the same in every run, even where its blocks race with each other.
 * On several, each core takes the next few blocks as soon as it is free. What
 * does not depend on the order of blocks is the same: memory, times, what is
 * printed (block by block), which accesses are seen, and which block failed:
 * the first of those that did. The rest, float sums by atomicAdd for one, is as
 * much a matter of chance as on a card. So where SIM_CORES is not set, a grid
 * runs on all there are if its blocks provably do not see each other (disjoint.h) and it is long
 * enough, and on one else; and on one in a program that is judged.
 *
 * The first block of a kernel that has not declared its cost yet runs alone:
 * it may do so (kernel_cost). One core does it all in programs with managed
 * memory, whose pages move in the order in which they are touched, and in those
 * made with the address sanitizer, which sees no thread's own variables.
 */
#ifndef SIM_KERNEL_GRID_H
#define SIM_KERNEL_GRID_H

#include "sim/kernel/block.h"

struct grid_fault {
    cudaError_t error;
    uint64_t address;
};

/* Runs the grid, or on from where its first thread was stopped by kernel_cost: effect->fiber.
 * False: it was given up. */
bool grid_run(struct effect *effect, struct grid_fault *fault);

/* The first shuffle of the grid that read a lane which takes no part; line 0: there was none.
 * Forgets it. */
struct warp_gap grid_take_gap(void);
/* The first barrier that threads came to in two places, in the same way. */
struct apart grid_take_apart(void);

/* The kernels that its blocks have launched, in the order in which they run; the list is the
 * caller's, as are their closures. */
struct child *grid_take_children(size_t *count);

/* How many blocks of the grid that runs have been begun, of how many; the cores that run it. */
void grid_progress(uint64_t *begun, uint64_t *count);
unsigned grid_cores(void);

#endif
