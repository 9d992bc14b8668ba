/* SPDX-License-Identifier: MIT */
/* sim_device_runtime.h - what kernels may call of the runtime: simcc puts these names into code of the device (rewrite.h). */
#ifndef SIM_INCLUDE_DEVICE_RUNTIME_H
#define SIM_INCLUDE_DEVICE_RUNTIME_H

#include "../graph_types.h"

#include <stdlib.h>

#define cudaStreamTailLaunch ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)

#ifdef __cplusplus
extern "C" {
#endif

cudaError_t sim_device_cudaGetLastError(void);
cudaError_t sim_device_cudaPeekAtLastError(void);
cudaError_t sim_device_cudaStreamCreateWithFlags(cudaStream_t *__stream, unsigned int __flags);
cudaError_t sim_device_cudaStreamDestroy(cudaStream_t __stream);

cudaError_t sim_device_cudaGetDevice(int *__device);

#define cudaGridDependencySynchronize sim_grid_dependency_synchronize
#define cudaTriggerProgrammaticLaunchCompletion sim_trigger_launch_completion
void sim_grid_dependency_synchronize(void);
void sim_trigger_launch_completion(void);

#define cudaGraphSetConditional sim_graph_set_conditional
void sim_graph_set_conditional(cudaGraphConditionalHandle __handle, unsigned int __value);

#ifdef __cplusplus
}

/* Of the heap that malloc has in a kernel. */
template <typename __T> static inline cudaError_t sim_device_cudaMalloc(__T **__at, size_t __bytes)
{
    *__at = (__T *)malloc(__bytes);
    return *__at ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t sim_device_cudaFree(void *__at)
{
    free(__at);
    return cudaSuccess;
}
#endif
#endif
