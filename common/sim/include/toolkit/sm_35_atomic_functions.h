/* SPDX-License-Identifier: MIT */
/* sm_35_atomic_functions.h - atomic functions: cuda_runtime.h has them. */
#ifndef __SM_35_ATOMIC_FUNCTIONS_H__
#define __SM_35_ATOMIC_FUNCTIONS_H__

#include <cuda_runtime.h>

#endif
