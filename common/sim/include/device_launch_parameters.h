/* SPDX-License-Identifier: MIT */
/* device_launch_parameters.h - threadIdx, blockIdx, blockDim, gridDim, warpSize: cuda_runtime.h has them. */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "cuda_runtime.h"

#endif
