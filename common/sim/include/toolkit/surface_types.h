/* SPDX-License-Identifier: MIT */
/* surface_types.h - surface objects and their boundary modes: cuda_runtime.h has them. */
#ifndef __SURFACE_TYPES_H__
#define __SURFACE_TYPES_H__

#include <cuda_runtime.h>

#endif
