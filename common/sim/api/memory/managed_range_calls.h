/* SPDX-License-Identifier: MIT */
/* managed_range_calls.h - what calls ask of managed memory's ranges. */
#ifndef SIM_API_MEMORY_MANAGED_RANGE_CALLS_H
#define SIM_API_MEMORY_MANAGED_RANGE_CALLS_H

#include "sim/api/api_call.h"

/* Unless `bytes` of managed memory lie there: refuses the call, which names the argument so
 * (because.h). */
cudaError_t refuse_not_managed(struct api_call *e, cudaError_t status, const void *pointer,
                               size_t bytes, const char *argument);

#endif
