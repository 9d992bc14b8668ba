/* SPDX-License-Identifier: MIT */
/* math_functions.h - functions of numbers: cuda_runtime.h has them. */
#ifndef __MATH_FUNCTIONS_H__
#define __MATH_FUNCTIONS_H__

#include "cuda_runtime.h"

#endif
