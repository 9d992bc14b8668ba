/* SPDX-License-Identifier: MIT */
/*
 * device_variables.h - what each device thread has by itself: where it stands, and the shared memory of its block. A core
 * has them for the thread that it runs.
 */
#ifndef SIM_DEVICE_VARIABLES_H
#define SIM_DEVICE_VARIABLES_H

#include "sim/include/detail/sim_block.h"
#include "sim/include/detail/sim_launch.h"

/* Shared memory of one block: at most that many bytes, at a multiple of that many. */
enum { SHARED_MOST = 228 << 10, SHARED_ALIGNMENT = 1024, WARP = 32 };

/* The block sets them; threadIdx is set by whoever runs the thread. */
extern __thread struct uint3 threadIdx, blockIdx;
extern struct dim3 blockDim, gridDim;

#endif
