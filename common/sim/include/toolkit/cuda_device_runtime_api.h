/* SPDX-License-Identifier: MIT */
/* cuda_device_runtime_api.h - what kernels call of the runtime: cuda_runtime.h has it. */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__

#include <cuda_runtime.h>

#endif
