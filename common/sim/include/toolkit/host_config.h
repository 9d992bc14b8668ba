/* SPDX-License-Identifier: MIT */
/* host_config.h - what a host compiler must have: cuda_runtime.h has it. */
#ifndef __HOST_CONFIG_H__
#define __HOST_CONFIG_H__

#include <cuda_runtime.h>

#endif
