// SPDX-License-Identifier: MIT
// A function of the submission's is called in place of the one that says what a kernel costs.
// expects: wrong
// says: depth first overlaps
// lesson: 06
//@ before
#include "streams.h"
__device__ static inline void kernel_cost(int) {}
