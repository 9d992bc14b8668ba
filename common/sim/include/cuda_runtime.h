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
/* What the C++ library copies, fills and compares with (std::copy, std::fill, std::equal): g++ would
 * make instructions of it that no hazard is told of. simcc calls the compiler's names by these. */
extern "C" {
void *__sim_memmove(void *, const void *, __SIZE_TYPE__) noexcept __asm__("memmove");
void *__sim_memset(void *, int, __SIZE_TYPE__) noexcept __asm__("memset");
int __sim_memcmp(const void *, const void *, __SIZE_TYPE__) noexcept __asm__("memcmp");
}
/* The special mathematical functions of C++17 would cost more than all the rest. */
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#endif
#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __cplusplus
#include <bits/stl_algobase.h>          /* std::min, max, swap, copy: with nvcc <cmath> brings them */
#include <initializer_list>
#include <limits>
#include <new>
#include <type_traits>
#include <utility>
#endif

#include "cuda_runtime_api.h"
#include "detail/sim_launch.h"
#include "detail/sim_cluster.h"
#include "detail/sim_integers.h"
#include "detail/sim_math.h"
#include "vector_functions.h"
#include "detail/sim_function.h"
#include "detail/sim_texture.h"

#ifdef __cplusplus

template <typename __T> static inline cudaError_t cudaMalloc(__T **__pointer, size_t __bytes)
{
    return cudaMalloc((void **)(void *)__pointer, __bytes);
}

template <typename __T>
static inline cudaError_t cudaMallocHost(__T **__pointer, size_t __bytes, unsigned int __flags = 0)
{
    return __flags == 0 ? cudaMallocHost((void **)(void *)__pointer, __bytes)
                      : cudaHostAlloc((void **)(void *)__pointer, __bytes, __flags);
}

template <typename __T> static inline cudaError_t cudaHostAlloc(__T **__pointer, size_t __bytes, unsigned int __flags)
{
    return cudaHostAlloc((void **)(void *)__pointer, __bytes, __flags);
}

template <typename __T>
static inline cudaError_t cudaMallocPitch(__T **__pointer, size_t *__pitch, size_t __width, size_t __height)
{
    return cudaMallocPitch((void **)(void *)__pointer, __pitch, __width, __height);
}

template <typename __T> static inline cudaError_t cudaHostGetDevicePointer(__T **__device, void *__host, unsigned int __flags)
{
    return cudaHostGetDevicePointer((void **)(void *)__device, __host, __flags);
}

template <typename __T> static inline cudaError_t cudaMallocAsync(__T **__pointer, size_t __bytes, cudaStream_t __stream)
{
    return cudaMallocAsync((void **)(void *)__pointer, __bytes, __stream);
}

template <typename __T>
static inline cudaError_t cudaMallocAsync(__T **__pointer, size_t __bytes, cudaMemPool_t __pool, cudaStream_t __stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)__pointer, __bytes, __pool, __stream);
}

template <typename __T>
static inline cudaError_t cudaMallocFromPoolAsync(__T **__pointer, size_t __bytes, cudaMemPool_t __pool, cudaStream_t __stream)
{
    return cudaMallocFromPoolAsync((void **)(void *)__pointer, __bytes, __pool, __stream);
}

template <typename __T>
static inline cudaError_t cudaMallocManaged(__T **__pointer, size_t __bytes, unsigned int __flags = cudaMemAttachGlobal)
{
    return cudaMallocManaged((void **)(void *)__pointer, __bytes, __flags);
}

template <typename __T>
static inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t __stream, __T *__pointer, size_t __bytes = 0,
                                                   unsigned int __flags = cudaMemAttachSingle)
{
    return cudaStreamAttachMemAsync(__stream, (void *)__pointer, __bytes, __flags);
}

template <typename... __A>
static inline cudaError_t cudaLaunchCooperativeKernel(void (*__kernel)(__A...), dim3 __grid, dim3 __block, void **__args,
                                                      size_t __shared = 0, cudaStream_t __stream = 0)
{
    return cudaLaunchCooperativeKernel((const void *)__sim::__address(__kernel), __grid, __block, __args, __shared, __stream);
}

template <typename... __A>
static inline cudaError_t cudaLaunchKernel(void (*__kernel)(__A...), dim3 __grid, dim3 __block, void **__args, size_t __shared = 0,
                                           cudaStream_t __stream = 0)
{
    return cudaLaunchKernel((const void *)__sim::__address(__kernel), __grid, __block, __args, __shared, __stream);
}

/* The arguments become the kernel's parameters as in a call. */
template <typename... __P, typename... __A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *__config, void (*__kernel)(__P...), __A &&...__a)
{
    return [&](__P... __parameters) {
        void *__args[] = { (void *)&__parameters..., 0 };
        return cudaLaunchKernelExC(__config, (const void *)__sim::__address(__kernel), __args);
    }(static_cast<__A &&>(__a)...);
}

template <typename... __P>
static inline cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *__config, void (*__kernel)(__P...), void **__args)
{
    return cudaLaunchKernelExC(__config, (const void *)__sim::__address(__kernel), __args);
}

template <typename... __A>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *__attributes, void (*__kernel)(__A...))
{
    return cudaFuncGetAttributes(__attributes, (const void *)__sim::__address(__kernel));
}

template <typename... __A>
static inline cudaError_t cudaFuncSetAttribute(void (*__kernel)(__A...), enum cudaFuncAttribute __attr, int __value)
{
    return cudaFuncSetAttribute((const void *)__sim::__address(__kernel), __attr, __value);
}

template <typename... __A>
static inline cudaError_t cudaFuncSetSharedMemConfig(void (*__kernel)(__A...), enum cudaSharedMemConfig __config)
{
    return cudaFuncSetSharedMemConfig((const void *)__sim::__address(__kernel), __config);
}

template <typename... __A>
static inline cudaError_t cudaFuncSetCacheConfig(void (*__kernel)(__A...), enum cudaFuncCache __config)
{
    return cudaFuncSetCacheConfig((const void *)__sim::__address(__kernel), __config);
}

template <typename... __A>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, void (*__kernel)(__A...), int __threads,
                                                                        size_t __shared)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(__blocks, (const void *)__sim::__address(__kernel), __threads, __shared);
}

template <typename... __A>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__blocks, void (*__kernel)(__A...),
                                                                                 int __threads, size_t __shared,
                                                                                 unsigned int __flags)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(__blocks, (const void *)__sim::__address(__kernel), __threads,
                                                                  __shared, __flags);
}

template <typename... __A>
static inline cudaError_t cudaOccupancyMaxActiveClusters(int *__clusters, void (*__kernel)(__A...), const cudaLaunchConfig_t *__config)
{
    return cudaOccupancyMaxActiveClusters(__clusters, (const void *)__sim::__address(__kernel), __config);
}

template <typename... __A>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(int *__size, void (*__kernel)(__A...), const cudaLaunchConfig_t *__config)
{
    return cudaOccupancyMaxPotentialClusterSize(__size, (const void *)__sim::__address(__kernel), __config);
}

template <typename... __A>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *__shared, void (*__kernel)(__A...), int __blocks,
                                                                    int __threads)
{
    return cudaOccupancyAvailableDynamicSMemPerBlock(__shared, (const void *)__sim::__address(__kernel), __blocks, __threads);
}

template <typename __S, typename... __A>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *__grid, int *__block, void (*__kernel)(__A...),
                                                                         __S __shared, int __limit = 0)
{
    size_t (*__of)(void *, int) = [](void *__context, int __threads) { return (size_t)(*(__S *)__context)(__threads); };
    return sim_potential_block(__grid, __block, (const void *)__sim::__address(__kernel), __of, &__shared, __limit);
}

template <typename... __A>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *__grid, int *__block, void (*__kernel)(__A...),
                                                             size_t __shared = 0, int __limit = 0)
{
    auto __same = [__shared](int) { return __shared; };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMem(__grid, __block, __kernel, __same, __limit);
}

/* A kernel as (void *)kernel. */
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *__grid, int *__block, const void *__kernel, size_t __shared = 0,
                                                             int __limit = 0)
{
    size_t (*__of)(void *, int) = [](void *__context, int) { return *(size_t *)__context; };
    return sim_potential_block(__grid, __block, __kernel, __of, &__shared, __limit);
}

template <typename __T>
static inline cudaError_t cudaMemcpyToSymbol(const __T &__symbol, const void *__src, size_t __count, size_t __offset = 0,
                                             enum cudaMemcpyKind __kind = cudaMemcpyHostToDevice)
{
    return cudaMemcpyToSymbol((const void *)&__symbol, __src, __count, __offset, __kind);
}

template <typename __T>
static inline cudaError_t cudaMemcpyFromSymbol(void *__dst, const __T &__symbol, size_t __count, size_t __offset = 0,
                                               enum cudaMemcpyKind __kind = cudaMemcpyDeviceToHost)
{
    return cudaMemcpyFromSymbol(__dst, (const void *)&__symbol, __count, __offset, __kind);
}

template <typename __T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const __T &__symbol, const void *__src, size_t __count, size_t __offset = 0,
                                                  enum cudaMemcpyKind __kind = cudaMemcpyHostToDevice, cudaStream_t __stream = 0)
{
    return cudaMemcpyToSymbolAsync((const void *)&__symbol, __src, __count, __offset, __kind, __stream);
}

template <typename __T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *__dst, const __T &__symbol, size_t __count, size_t __offset = 0,
                                                    enum cudaMemcpyKind __kind = cudaMemcpyDeviceToHost, cudaStream_t __stream = 0)
{
    return cudaMemcpyFromSymbolAsync(__dst, (const void *)&__symbol, __count, __offset, __kind, __stream);
}

template <typename __T>
static inline cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                                         size_t __n, const __T &__symbol, const void *__src, size_t __count,
                                                         size_t __offset, enum cudaMemcpyKind __kind)
{
    return cudaGraphAddMemcpyNodeToSymbol(__node, __graph, __after, __n, (const void *)&__symbol, __src, __count, __offset, __kind);
}

template <typename __T>
static inline cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                                           size_t __n, void *__dst, const __T &__symbol, size_t __count,
                                                           size_t __offset, enum cudaMemcpyKind __kind)
{
    return cudaGraphAddMemcpyNodeFromSymbol(__node, __graph, __after, __n, __dst, (const void *)&__symbol, __count, __offset, __kind);
}

template <typename __T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t __node, const __T &__symbol, const void *__src,
                                                               size_t __count, size_t __offset, enum cudaMemcpyKind __kind)
{
    return cudaGraphMemcpyNodeSetParamsToSymbol(__node, (const void *)&__symbol, __src, __count, __offset, __kind);
}

template <typename __T>
static inline cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t __node, void *__dst, const __T &__symbol,
                                                                 size_t __count, size_t __offset, enum cudaMemcpyKind __kind)
{
    return cudaGraphMemcpyNodeSetParamsFromSymbol(__node, __dst, (const void *)&__symbol, __count, __offset, __kind);
}

template <typename __T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t __exec, cudaGraphNode_t __node, const __T &__symbol,
                                                                   const void *__src, size_t __count, size_t __offset,
                                                                   enum cudaMemcpyKind __kind)
{
    return cudaGraphExecMemcpyNodeSetParamsToSymbol(__exec, __node, (const void *)&__symbol, __src, __count, __offset, __kind);
}

template <typename __T>
static inline cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t __exec, cudaGraphNode_t __node, void *__dst,
                                                                     const __T &__symbol, size_t __count, size_t __offset,
                                                                     enum cudaMemcpyKind __kind)
{
    return cudaGraphExecMemcpyNodeSetParamsFromSymbol(__exec, __node, __dst, (const void *)&__symbol, __count, __offset, __kind);
}

template <typename __T> static inline cudaError_t cudaGetSymbolAddress(void **__address, const __T &__symbol)
{
    return cudaGetSymbolAddress(__address, (const void *)&__symbol);
}

template <typename __T> static inline cudaError_t cudaGetSymbolSize(size_t *__bytes, const __T &__symbol)
{
    return cudaGetSymbolSize(__bytes, (const void *)&__symbol);
}

/* A device as CUDA 12 names it in what CUDA 13 gives as a location. */
static inline struct cudaMemLocation sim_location(int __device)
{
    struct cudaMemLocation __location = { cudaMemLocationTypeDevice, __device };
    if (__device == cudaCpuDeviceId)
        __location = { cudaMemLocationTypeHost, 0 };
    return __location;
}

static inline cudaError_t cudaMemPrefetchAsync(const void *__pointer, size_t __bytes, int __device,
                                               cudaStream_t __stream = 0)
{
    return cudaMemPrefetchAsync(__pointer, __bytes, sim_location(__device), 0, __stream);
}

static inline cudaError_t cudaMemAdvise(const void *__pointer, size_t __bytes, enum cudaMemoryAdvise __advice, int __device)
{
    return cudaMemAdvise(__pointer, __bytes, __advice, sim_location(__device));
}

/* The names of CUDA 4 and before, which many programs still use. */
static inline cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
static inline cudaError_t cudaThreadSetLimit(enum cudaLimit __limit, size_t __value) { return cudaDeviceSetLimit(__limit, __value); }
static inline cudaError_t cudaThreadGetLimit(size_t *__value, enum cudaLimit __limit) { return cudaDeviceGetLimit(__value, __limit); }
static inline cudaError_t cudaThreadSetCacheConfig(enum cudaFuncCache __config) { return cudaDeviceSetCacheConfig(__config); }
static inline cudaError_t cudaThreadGetCacheConfig(enum cudaFuncCache *__config) { return cudaDeviceGetCacheConfig(__config); }

/* CUDA 12's and CUDA 11's signatures. A NULL in sixth place is CUDA 12's: both mean the same. */
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t __stream, enum cudaStreamCaptureStatus *__capturing,
                                                   unsigned long long *__id = 0, cudaGraph_t *__graph = 0,
                                                   const cudaGraphNode_t **__last = 0, size_t *__last_count = 0)
{
    return cudaStreamGetCaptureInfo(__stream, __capturing, __id, __graph, __last, 0, __last_count);
}

template <typename __E>
static inline cudaError_t cudaStreamGetCaptureInfo(cudaStream_t __stream, enum cudaStreamCaptureStatus *__capturing,
                                                   unsigned long long *__id, cudaGraph_t *__graph, const cudaGraphNode_t **__last,
                                                   const __E **__edges)
{
    return cudaStreamGetCaptureInfo(__stream, __capturing, __id, __graph, __last, __edges, 0);
}

static inline cudaError_t cudaGraphAddNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after, size_t __count,
                                           cudaGraphNodeParams *__params)
{
    return cudaGraphAddNode(__node, __graph, __after, 0, __count, __params);
}

/* A number in third place, 0 too, is CUDA 12's count; NULL and nullptr are CUDA 13's edges. */
template <typename __N> struct __sim_count { };
template <> struct __sim_count<int> { typedef cudaError_t __status; };
template <> struct __sim_count<unsigned> { typedef cudaError_t __status; };
template <> struct __sim_count<size_t> { typedef cudaError_t __status; };
template <typename __N>
static inline typename __sim_count<__N>::__status cudaStreamUpdateCaptureDependencies(cudaStream_t __stream, cudaGraphNode_t *__nodes,
                                                                                      __N __count, unsigned int __flags = 0)
{
    return cudaStreamUpdateCaptureDependencies(__stream, __nodes, (const cudaGraphEdgeData *)0, (size_t)__count, __flags);
}

static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *__exec, cudaGraph_t __graph, cudaGraphNode_t *, char *,
                                               size_t)
{
    return cudaGraphInstantiate(__exec, __graph, 0);
}

static inline cudaError_t cudaGraphAddDependencies(cudaGraph_t __graph, const cudaGraphNode_t *__from,
                                                   const cudaGraphNode_t *__to, size_t __count)
{
    return cudaGraphAddDependencies(__graph, __from, __to, 0, __count);
}

static inline cudaError_t cudaGraphRemoveDependencies(cudaGraph_t __graph, const cudaGraphNode_t *__from,
                                                      const cudaGraphNode_t *__to, size_t __count)
{
    return cudaGraphRemoveDependencies(__graph, __from, __to, 0, __count);
}

static inline cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t __node, cudaGraphNode_t *__nodes, size_t *__count)
{
    return cudaGraphNodeGetDependencies(__node, __nodes, 0, __count);
}

static inline cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t __node, cudaGraphNode_t *__nodes, size_t *__count)
{
    return cudaGraphNodeGetDependentNodes(__node, __nodes, 0, __count);
}

static inline cudaError_t cudaGraphGetEdges(cudaGraph_t __graph, cudaGraphNode_t *__from, cudaGraphNode_t *__to,
                                            size_t *__count)
{
    return cudaGraphGetEdges(__graph, __from, __to, 0, __count);
}

static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t __exec, cudaGraph_t __graph, cudaGraphNode_t *__error_node,
                                              enum cudaGraphExecUpdateResult *__result)
{
    cudaGraphExecUpdateResultInfo __info;
    cudaError_t __status = cudaGraphExecUpdate(__exec, __graph, &__info);
    *__error_node = __info.errorNode;
    *__result = __info.result;
    return __status;
}

/* CUDA 12's: which copy fails, and there is none. */
static inline cudaError_t cudaMemcpyBatchAsync(void **__dsts, void **__srcs, size_t *__sizes, size_t __count,
                                               struct cudaMemcpyAttributes *__hints, size_t *__first, size_t __hint_count,
                                               size_t *__failed, cudaStream_t __stream)
{
    if (__failed)
        *__failed = (size_t)-1;
    return cudaMemcpyBatchAsync((const void **)__dsts, (const void **)__srcs, __sizes, __count, __hints, __first, __hint_count, __stream);
}

/* Arrays of pointers that may be written, or to what may be read alone. */
template <typename __D, typename __S>
static inline cudaError_t cudaMemcpyBatchAsync(__D *const *__dsts, __S *const *__srcs, const size_t *__sizes, size_t __count,
                                               struct cudaMemcpyAttributes *__hints, size_t *__first, size_t __hint_count,
                                               cudaStream_t __stream)
{
    return cudaMemcpyBatchAsync((const void **)__dsts, (const void **)__srcs, __sizes, __count, __hints, __first, __hint_count, __stream);
}

#endif
#endif
