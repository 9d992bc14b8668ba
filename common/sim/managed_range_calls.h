/* SPDX-License-Identifier: MIT */
/* managed_range_calls.h - what calls ask of managed memory's ranges. */
#ifndef SIM_MANAGED_RANGE_CALLS_H
#define SIM_MANAGED_RANGE_CALLS_H

#include "entry.h"

/* Unless `bytes` of managed memory lie there: refuses the call, which names the argument so (because.h). */
cudaError_t refuse_not_managed(struct entry *e, cudaError_t status, const void *pointer, size_t bytes, const char *argument);

#endif
