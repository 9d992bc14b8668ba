/* SPDX-License-Identifier: MIT */
/* common_functions.h - clock and printf: cuda_runtime.h has them. */
#ifndef __COMMON_FUNCTIONS_H__
#define __COMMON_FUNCTIONS_H__

#include <cuda_runtime.h>

#endif
