/* SPDX-License-Identifier: MIT */
/* device_double_functions.h - arithmetic with doubles: cuda_runtime.h has them. */
#ifndef __DEVICE_DOUBLE_FUNCTIONS_H__
#define __DEVICE_DOUBLE_FUNCTIONS_H__

#include <cuda_runtime.h>

#endif
