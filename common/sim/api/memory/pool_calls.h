/* SPDX-License-Identifier: MIT */
/* pool_calls.h - which pools a call does not take. */
#ifndef SIM_API_MEMORY_POOL_CALLS_H
#define SIM_API_MEMORY_POOL_CALLS_H

#include "sim/api/api_call.h"

/* What is no pool of the caller's process. */
cudaError_t refuse_no_pool(struct api_call *e, cudaError_t status, cudaMemPool_t pool);
/* What another process's pool was imported as. */
cudaError_t pool_refuse_imported(struct api_call *e, cudaError_t status, cudaMemPool_t pool);

#endif
