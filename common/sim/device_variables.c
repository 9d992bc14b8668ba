/* SPDX-License-Identifier: MIT */
#include "sim/device_variables.h"

VISIBLE __thread struct uint3 threadIdx, blockIdx;
VISIBLE struct dim3 blockDim, gridDim;
VISIBLE const int warpSize = WARP;
__thread unsigned sim_block_row;
static char host_shared[SHARED_MOST] __attribute__((aligned(SHARED_ALIGNMENT)));
__thread char *sim_shared_dynamic = host_shared;
int sim_shared_is_used;
