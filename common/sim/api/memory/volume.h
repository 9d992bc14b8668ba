/* SPDX-License-Identifier: MIT */
/* volume.h - copies of three dimensions, of a call or a graph's node: what a cudaMemcpy3DParms asks
 * for. */
#ifndef SIM_API_MEMORY_VOLUME_H
#define SIM_API_MEMORY_VOLUME_H

#include "sim/api/memory/copy.h"

/* Refuses parameters that name no source or destination, or two. */
cudaError_t volume_of(struct api_call *e, cudaError_t status, const struct cudaMemcpy3DParms *p,
                      struct copied *c);

#endif
