/* SPDX-License-Identifier: MIT */
/* sm_30_intrinsics.h - shuffles and votes: cuda_runtime.h has them. */
#ifndef __SM_30_INTRINSICS_H__
#define __SM_30_INTRINSICS_H__

#include <cuda_runtime.h>

#endif
