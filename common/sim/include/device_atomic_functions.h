/* SPDX-License-Identifier: MIT */
/* device_atomic_functions.h - atomic functions: cuda_runtime.h has them. */
#ifndef __DEVICE_ATOMIC_FUNCTIONS_H__
#define __DEVICE_ATOMIC_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
