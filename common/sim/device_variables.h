/* SPDX-License-Identifier: MIT */
/*
 * device_variables.h - what each device thread has by itself: where it stands, and the shared
 * memory of its block. A core has them for the thread that it runs.
 */
#ifndef SIM_DEVICE_VARIABLES_H
#define SIM_DEVICE_VARIABLES_H

#include <stdint.h>

#include "sim/include/detail/sim_block.h"
#include "sim/include/detail/sim_launch.h"

/* Shared memory of one block: at most that many bytes, at a multiple of that many. */
/* Of blocks that wait for each other, while others run: a place for each. */
#define SHARED_SLOTS_LOW UINT64_C(0x275000000000)
#define SHARED_SLOTS_SPAN (UINT64_C(1) << 36)
#define SHARED_SLOT (UINT64_C(1) << 19)
enum { SHARED_MOST = 228 << 10, SHARED_ALIGNMENT = 1024, WARP = 32 };

/* The block sets them; threadIdx is set by whoever runs the thread. */
extern __thread struct uint3 threadIdx, blockIdx;
extern struct dim3 blockDim, gridDim;

#endif
