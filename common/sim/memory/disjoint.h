/* SPDX-License-Identifier: MIT */
/* disjoint.h - do a grid's blocks provably not see each other? */
#ifndef SIM_MEMORY_DISJOINT_H
#define SIM_MEMORY_DISJOINT_H

#include <stdbool.h>

#include "sim/include/detail/sim_launch.h"

/* The kernel's text shows what it touches (simcc/rewrite/disjoint.c), and with this launch's sizes
 * and pointers no block stores what another one reads or stores: in whichever order blocks run,
 * what comes of them is the same. A read is taken to stay in the allocation that its pointer points
 * into; a store is shown to.
 *
 * Where they are looked at (`seen`), nothing is left to that: reads are shown to stay there, too,
 * and no two threads touch the same. So there is nothing to be told of one block alone. */
struct disjoint_grid { dim3 grid, block; int device; bool seen; };
bool disjoint_is(const struct sim_kernel *kernel, const struct disjoint_grid *e);

#endif
