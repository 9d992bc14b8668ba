/* SPDX-License-Identifier: MIT */
/* channel_descriptor.h - cudaCreateChannelDesc: cuda_runtime.h has them. */
#ifndef __CHANNEL_DESCRIPTOR_H__
#define __CHANNEL_DESCRIPTOR_H__

#include <cuda_runtime.h>

#endif
