/* SPDX-License-Identifier: MIT */
/* sm_20_intrinsics.h - the functions of the device: cuda_runtime.h has them. */
#ifndef __SM_20_INTRINSICS_H__
#define __SM_20_INTRINSICS_H__

#include <cuda_runtime.h>

#endif
