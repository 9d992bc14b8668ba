/* SPDX-License-Identifier: MIT */
/* sm_60_atomic_functions.h - atomic functions: cuda_runtime.h has them. */
#ifndef __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__

#include <cuda_runtime.h>

#endif
