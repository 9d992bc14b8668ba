/* SPDX-License-Identifier: MIT */
/* texture_types.h - arrays, texture and surface objects: flags, formats and structs with CUDA's names and numbers. */
#ifndef __TEXTURE_TYPES_H__
#define __TEXTURE_TYPES_H__

#include "driver_types.h"

enum cudaChannelFormatKind {
    cudaChannelFormatKindSigned = 0,
    cudaChannelFormatKindUnsigned = 1,
    cudaChannelFormatKindFloat = 2,
    cudaChannelFormatKindNone = 3
};

struct cudaChannelFormatDesc {
    int x, y, z, w;             /* bits of each channel; 0: it is not there */
    enum cudaChannelFormatKind f;
};

#define cudaArrayDefault 0x00
#define cudaArraySurfaceLoadStore 0x02

#endif
