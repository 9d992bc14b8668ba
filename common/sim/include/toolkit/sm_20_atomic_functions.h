/* SPDX-License-Identifier: MIT */
/* sm_20_atomic_functions.h - atomic functions: cuda_runtime.h has them. */
#ifndef __SM_20_ATOMIC_FUNCTIONS_H__
#define __SM_20_ATOMIC_FUNCTIONS_H__

#include <cuda_runtime.h>

#endif
