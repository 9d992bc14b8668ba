/* SPDX-License-Identifier: MIT */
/* allocate.h - memory that a call gives, or takes back: what calls of several names have in common.
 */
#ifndef SIM_API_MEMORY_ALLOCATE_H
#define SIM_API_MEMORY_ALLOCATE_H

#include "sim/api/api_call.h"
#include "sim/memory/allocation.h"

/* Both end the call. 0 bytes: success and NULL [M]. */
cudaError_t memory_make(struct api_call *e, cudaError_t status, enum memory_kind kind,
                        void **pointer, size_t bytes);
cudaError_t memory_give_back(struct api_call *e, const struct allocation *a);

#endif
