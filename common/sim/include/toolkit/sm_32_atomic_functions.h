/* SPDX-License-Identifier: MIT */
/* sm_32_atomic_functions.h - atomic functions: cuda_runtime.h has them. */
#ifndef __SM_32_ATOMIC_FUNCTIONS_H__
#define __SM_32_ATOMIC_FUNCTIONS_H__

#include <cuda_runtime.h>

#endif
