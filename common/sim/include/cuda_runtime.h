/* SPDX-License-Identifier: MIT */
/*
 * cuda_runtime.h - CUDA 13's runtime as a .cu file sees it, for simcc.
 *
 * Included before each .cu file, as nvcc does it: programs count on the C
 * headers that come with it. Kept small: these lines are compiled every time.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#ifdef __cplusplus
/* The special mathematical functions of C++17 would cost more than all the rest. */
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime_api.h"
#include "sim_launch.h"
#include "sim_math.h"
#include "vector_functions.h"
#include "sim_function.h"

#ifdef __cplusplus

template <typename T> static inline cudaError_t cudaMalloc(T **pointer, size_t bytes)
{
    return cudaMalloc((void **)(void *)pointer, bytes);
}

template <typename T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags = 0)
{
    return flags == 0 ? cudaMallocHost((void **)(void *)pointer, bytes)
                      : cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <typename T> static inline cudaError_t cudaHostAlloc(T **pointer, size_t bytes, unsigned int flags)
{
    return cudaHostAlloc((void **)(void *)pointer, bytes, flags);
}

template <typename T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height)
{
    return cudaMallocPitch((void **)(void *)pointer, pitch, width, height);
}

template <typename T> static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags)
{
    return cudaHostGetDevicePointer((void **)(void *)device, host, flags);
}

template <typename T> static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaStream_t stream)
{
    return cudaMallocAsync((void **)(void *)pointer, bytes, stream);
}

template <typename T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}

template <typename T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)pointer, bytes, pool, stream);
}

template <typename T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t bytes, unsigned int flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)pointer, bytes, flags);
}

template <typename T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T *pointer, size_t bytes = 0,
                                                   unsigned int flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(stream, (void *)pointer, bytes, flags);
}

template <typename... A>
static inline cudaError_t cudaLaunchKernel(void (*kernel)(A...), dim3 grid, dim3 block, void **args, size_t shared = 0,
                                           cudaStream_t stream = 0)
{
    return cudaLaunchKernel((const void *)sim::address(kernel), grid, block, args, shared, stream);
}

template <typename... A>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, void (*kernel)(A...))
{
    return cudaFuncGetAttributes(attributes, (const void *)sim::address(kernel));
}

template <typename... A>
static inline cudaError_t cudaFuncSetAttribute(void (*kernel)(A...), enum cudaFuncAttribute attribute, int value)
{
    return cudaFuncSetAttribute((const void *)sim::address(kernel), attribute, value);
}

template <typename... A>
static inline cudaError_t cudaFuncSetCacheConfig(void (*kernel)(A...), enum cudaFuncCache config)
{
    return cudaFuncSetCacheConfig((const void *)sim::address(kernel), config);
}

template <typename... A>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void (*kernel)(A...), int threads,
                                                                        size_t shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)sim::address(kernel), threads, shared);
}

template <typename... A>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void (*kernel)(A...),
                                                                                 int threads, size_t shared,
                                                                                 unsigned int flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, (const void *)sim::address(kernel), threads,
                                                                  shared, flags);
}

template <typename... A>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared, void (*kernel)(A...), int blocks,
                                                                    int threads)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(shared, (const void *)sim::address(kernel), blocks, threads);
}

template <typename S, typename... A>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, void (*kernel)(A...),
                                                                         S shared, int limit = 0)
{
    size_t (*of)(void *, int) = [](void *context, int threads) { return (size_t)(*(S *)context)(threads); };
    return sim_potential_block(grid, block, (const void *)sim::address(kernel), of, &shared, limit);
}

template <typename... A>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, void (*kernel)(A...),
                                                             size_t shared = 0, int limit = 0)
{
    auto same = [shared](int) { return shared; };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(grid, block, kernel, same, limit);
}

template <typename T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count, size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&symbol, src, count, offset, kind);
}

template <typename T>
static inline cudaError_t cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count, size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(dst, (const void *)&symbol, count, offset, kind);
}

template <typename T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count, size_t offset,
                                                  enum cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&symbol, src, count, offset, kind, stream);
}

template <typename T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count, size_t offset,
                                                    enum cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return cudaMemcpyFromSymbolAsync(dst, (const void *)&symbol, count, offset, kind, stream);
}

template <typename T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
    return cudaGetSymbolAddress(address, (const void *)&symbol);
}

template <typename T> static inline cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol)
{
    return cudaGetSymbolSize(bytes, (const void *)&symbol);
}

/* A device as CUDA 12 names it in what CUDA 13 gives as a location. */
static inline struct cudaMemLocation sim_location(int device)
{
    struct cudaMemLocation location = { cudaMemLocationTypeDevice, device };
    if (device == cudaCpuDeviceId)
        location = { cudaMemLocationTypeHost, 0 };
    return location;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                               cudaStream_t stream = 0)
{
    return cudaMemPrefetchAsync(pointer, bytes, sim_location(device), 0, stream);
}

static inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(pointer, bytes, advice, sim_location(device));
}

/* CUDA 12's and CUDA 11's signatures. */
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *capturing,
                                                   unsigned long long *id, cudaGraph_t *graph,
                                                   const cudaGraphNode_t **last, size_t *last_count)
{
    return cudaStreamGetCaptureInfo(stream, capturing, id, graph, last, 0, last_count);
}

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, cudaGraphNode_t *, char *,
                                               size_t)
{
    return cudaGraphInstantiate(exec, graph, 0);
}

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, 0, count);
}

static inline cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to,
                                            size_t *count)
{
    return cudaGraphGetEdges(graph, from, to, 0, count);
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphNode_t *error_node,
                                              enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t status = cudaGraphExecUpdate(exec, graph, &info);
    *error_node = info.errorNode;
    *result = info.result;
    return status;
}

#endif
#endif
