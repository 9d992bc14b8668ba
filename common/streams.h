/* SPDX-License-Identifier: MIT */
/*
 * streams.h - the one extra include of an exercise.
 *
 *   CHECK(cudaMalloc(&p, n));    ends the program with one line (call, file, line, name, message) if it failed; simcc adds why
 *   host_work(ns);               the host computes for so long
 *   now_ns();                    host clock, ns
 *   kernel_cost(ns);             first statement of a kernel: each of its blocks takes that long; and once more after
 *                                cudaTriggerProgrammaticLaunchCompletion and after cudaGridDependencySynchronize: from there on
 *   kernel_busy(ns);             the calling thread of a kernel is busy so long, wherever that stands and as often; the kernel takes what
 *                                its slowest thread does. Instead of kernel_cost
 *   kernel_given(x);             before kernel_cost, in a lesson's kernel: an address that it was given, for the grader
 *   label_push("load"); label_pop();     names what follows, in the timeline
 *   prefetch(p, n, device, s);   cudaMemPrefetchAsync as CUDA 12 and 13 spell it; device or cudaCpuDeviceId
 *   add_graph_node(&node, graph, after, count, &params);    cudaGraphAddNode as CUDA 12.4 and 13 spell it
 *
 * Works the same with nvcc on a GPU and with simcc: there the times are virtual.
 */
#ifndef STREAMS_H
#define STREAMS_H

#include <cuda_runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CHECK(call) streams_check((call), #call, __FILE__, __LINE__)

/* Reports a failed call to stderr and to the grader and ends the program with status 1; nothing on success. */
void streams_check(cudaError_t status, const char *call, const char *file, int line);

void host_work(long long ns);
long long now_ns(void);
void label_push(const char *name);
void label_pop(void);

#ifdef __cplusplus
}
#endif

/* After <cuda.h>, CHECK takes what the driver API returns, too: both number the same errors alike. */
#if defined(__cplusplus) && defined(CUDA_VERSION)
static inline void streams_check(CUresult status, const char *call, const char *file, int line)
{
    streams_check((cudaError_t)status, call, file, line);
}
#endif

#ifdef __SIMCC__
#define kernel_cost sim_kernel_cost     /* detail/sim_clock.h */
#define kernel_busy sim_kernel_busy
#define kernel_given sim_kernel_given
#elif defined(__CUDACC__)
/* Each thread spins until `ns` have passed since it began: a block's threads
 * begin together, so that the block takes so long. */
static __device__ inline void kernel_cost(long long ns)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while ((long long)(now - begin) < ns);
}
static __device__ inline void kernel_busy(long long ns) { kernel_cost(ns); }
static __device__ inline void kernel_given(const volatile void *) { }
#endif

static inline cudaError_t prefetch(const void *address, size_t bytes, int device, cudaStream_t stream)
{
#if CUDART_VERSION >= 13000
    struct cudaMemLocation where;
    where.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    where.id = device == cudaCpuDeviceId ? 0 : device;
    return cudaMemPrefetchAsync(address, bytes, where, 0, stream);
#else
    return cudaMemPrefetchAsync(address, bytes, device, stream);
#endif
}

#if CUDART_VERSION >= 12040
static inline cudaError_t add_graph_node(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count,
                                         struct cudaGraphNodeParams *params)
{
#if CUDART_VERSION >= 13000
    return cudaGraphAddNode(node, graph, after, NULL, count, params);
#else
    return cudaGraphAddNode(node, graph, after, count, params);
#endif
}
#endif

#endif
