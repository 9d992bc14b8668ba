/* SPDX-License-Identifier: MIT */
/* array_area.h - arrays as arguments, and the part of one that a copy is about. */
#ifndef SIM_API_MEMORY_ARRAY_AREA_H
#define SIM_API_MEMORY_ARRAY_AREA_H

#include "sim/api/memory/copy.h"
#include "sim/texture/array.h"

/* *array is what the handle stands for. Refuses what is none: "first argument, dst". */
cudaError_t array_of(struct api_call *e, cudaError_t status, cudaArray_const_t handle,
                     const char *argument, const struct array **array);

/* The box from `at` (bytes, rows, slices) on, in the array of this argument. Refuses one that does
 * not lie in it. */
cudaError_t area_of_array(struct api_call *e, cudaError_t status, cudaArray_const_t handle,
                          const char *argument, struct cudaPos at, const struct box *box,
                          struct area *area);

#endif
