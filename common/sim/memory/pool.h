/* SPDX-License-Identifier: MIT */
/*
 * pool.h - memory pools: cudaMallocAsync, cudaFreeAsync.
 *
 * A block that was freed in a stream stays with its pool and is handed out
 * again to later work that is guaranteed to come after the free: at once in the
 * same stream, elsewhere after an event or a wait. What a pool holds above its
 * release threshold goes back to the device at the next synchronisation.
 */
#ifndef SIM_MEMORY_POOL_H
#define SIM_MEMORY_POOL_H

#include "sim/sim.h"

struct api_call;

/* Does this address begin a block of a pool, in use or not? */
bool pool_owns(const void *pointer);
/* cudaFree of such a block: it waits for nothing. Finishes the entry. */
cudaError_t pool_free_now(struct api_call *e, void *pointer);

/* The host has waited for something: imported blocks that were freed go, then those of pools. */
void pool_import_sweep(void);
void pools_synchronized(void);
/* Makes each device's default pool. Told of memory that goes back to the device: `dropped`. */
void pools_begin(void (*dropped)(uint64_t at, uint64_t bytes));
/* All that the program made on a device is gone. */
void pools_reset(int device);

#endif
