/* SPDX-License-Identifier: MIT */
/* texture_indirect_functions.h - tex2D and the like: cuda_runtime.h has them. */
#ifndef __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__

#include <cuda_runtime.h>

#endif
