/* SPDX-License-Identifier: MIT */
/* surface_indirect_functions.h - surf2Dread and the like: cuda_runtime.h has them. */
#ifndef __SURFACE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__

#include <cuda_runtime.h>

#endif
