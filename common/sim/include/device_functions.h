/* SPDX-License-Identifier: MIT */
/* device_functions.h - the functions of the device: cuda_runtime.h has them. */
#ifndef __DEVICE_FUNCTIONS_H__
#define __DEVICE_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
