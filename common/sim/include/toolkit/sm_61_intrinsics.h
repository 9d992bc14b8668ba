/* SPDX-License-Identifier: MIT */
/* sm_61_intrinsics.h - dot products of bytes: cuda_runtime.h has them. */
#ifndef __SM_61_INTRINSICS_H__
#define __SM_61_INTRINSICS_H__

#include <cuda_runtime.h>

#endif
