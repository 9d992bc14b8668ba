/* SPDX-License-Identifier: MIT */
/*
 * cuda.h - the driver API as far as it is another way to say what the runtime says: devices, contexts, memory, streams,
 * events, launches of kernels of the same program. Each call is the runtime's call of the same meaning, and timelines show it
 * as that. A device has one context, its primary one, however it was created. Green contexts say where a stream's kernels
 * run. Modules are not there: a CUfunction comes from cudaGetFuncBySymbol.
 */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__

#include "cuda_profiler_api.h"
#include "cuda_runtime_api.h"

#include "detail/sim_driver_types.h"

/* ---- devices and their contexts ---- */

static inline CUresult cuDeviceGet(CUdevice *__device, int __ordinal)
{
    int __count = 0;
    cudaError_t __status = cudaGetDeviceCount(&__count);
    if (__status == cudaSuccess && (__ordinal < 0 || __ordinal >= __count))
        __status = cudaErrorInvalidDevice;
    if (__status == cudaSuccess)
        *__device = __ordinal;
    return (CUresult)__status;
}

static inline CUresult cuDeviceGetName(char *__name, int __length, CUdevice __device)
{
    struct cudaDeviceProp __prop;
    cudaError_t __status = cudaGetDeviceProperties(&__prop, __device);
    int __i = 0;
    if (__status == cudaSuccess && __length > 0) {
        for (; __i < __length - 1 && __prop.name[__i]; __i++)
            __name[__i] = __prop.name[__i];
        __name[__i] = 0;
    }
    return (CUresult)__status;
}

static inline CUresult cuDeviceTotalMem(size_t *__bytes, CUdevice __device)
{
    struct cudaDeviceProp __prop;
    cudaError_t __status = cudaGetDeviceProperties(&__prop, __device);
    if (__status == cudaSuccess)
        *__bytes = __prop.totalGlobalMem;
    return (CUresult)__status;
}

static inline CUresult cuDeviceComputeCapability(int *__major, int *__minor, CUdevice __device)
{
    struct cudaDeviceProp __prop;
    cudaError_t __status = cudaGetDeviceProperties(&__prop, __device);
    if (__status == cudaSuccess)
        *__major = __prop.major, *__minor = __prop.minor;
    return (CUresult)__status;
}

static inline CUresult cuDeviceGetUuid(CUuuid *__uuid, CUdevice __device)
{
    struct cudaDeviceProp __prop;
    cudaError_t __status = cudaGetDeviceProperties(&__prop, __device);
    if (__status == cudaSuccess)
        *__uuid = __prop.uuid;
    return (CUresult)__status;
}

/* A context is its device's number, and one more: 0 is none. */
static inline CUcontext __cu_context(CUdevice __device) { return (CUcontext)((size_t)__device + 1); }
static inline CUdevice __cu_device(CUcontext __context) { return (CUdevice)((size_t)__context - 1); }

static inline CUresult cuCtxSetCurrent(CUcontext __context)
{
    return __context ? (CUresult)cudaSetDevice(__cu_device(__context)) : __cu_silent(CUDA_SUCCESS);
}

static inline CUresult cuCtxGetCurrent(CUcontext *__context)
{
    int __device = 0;
    cudaError_t __status = cudaGetDevice(&__device);
    *__context = __cu_context(__device);
    return (CUresult)__status;
}

#ifdef __cplusplus
static inline CUresult cuCtxCreate(CUcontext *__context, unsigned int, CUdevice __device)
{
    *__context = __cu_context(__device);
    return cuCtxSetCurrent(*__context);
}
typedef struct CUctxCreateParams_st CUctxCreateParams;
static inline CUresult cuCtxCreate(CUcontext *__context, CUctxCreateParams *, unsigned int, CUdevice __device)
{
    *__context = __cu_context(__device);
    return cuCtxSetCurrent(*__context);
}
#else
static inline CUresult cuCtxCreate(CUcontext *__context, unsigned int __flags, CUdevice __device)
{
    (void)__flags;
    *__context = __cu_context(__device);
    return cuCtxSetCurrent(*__context);
}
#endif
#define cuCtxCreate_v2 cuCtxCreate

static inline CUresult cuCtxDestroy(CUcontext __context)
{
    return __context ? (CUresult)cudaDeviceSynchronize() : __cu_silent(CUDA_ERROR_INVALID_CONTEXT);
}

static inline CUresult cuCtxPushCurrent(CUcontext __context) { return cuCtxSetCurrent(__context); }
static inline CUresult cuCtxPopCurrent(CUcontext *__context)
{
    CUcontext __now;
    return cuCtxGetCurrent(__context ? __context : &__now);
}

static inline CUresult cuDevicePrimaryCtxRetain(CUcontext *__context, CUdevice __device)
{
    *__context = __cu_context(__device);
    return __cu_silent(CUDA_SUCCESS);
}

static inline CUresult cuDevicePrimaryCtxRelease(CUdevice __device)
{
    (void)__device;
    return __cu_silent(CUDA_SUCCESS);
}

/* ---- kernels ---- */

typedef CUfunction cudaFunction_t;
static inline cudaError_t cudaGetFuncBySymbol(cudaFunction_t *__function, const void *__symbol)
{
    *__function = (cudaFunction_t)__symbol;
    (void)cudaGetErrorString(cudaSuccess);
    return __symbol ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

static inline dim3 __cu_dim3(unsigned int __nx, unsigned int __ny, unsigned int __nz)
{
    dim3 __d;
    __d.x = __nx, __d.y = __ny, __d.z = __nz;
    return __d;
}

static inline CUresult cuLaunchKernel(CUfunction __function, unsigned int __grid_x, unsigned int __grid_y, unsigned int __grid_z,
                                      unsigned int __block_x, unsigned int __block_y, unsigned int __block_z,
                                      unsigned int __shared, CUstream __stream, void **__args, void **__extra)
{
    if (__extra)
        return (CUresult)__cu_absent();
    return (CUresult)cudaLaunchKernel((const void *)__function, __cu_dim3(__grid_x, __grid_y, __grid_z),
                                      __cu_dim3(__block_x, __block_y, __block_z), __args, __shared, __stream);
}

static inline CUresult cuLaunchCooperativeKernel(CUfunction __function, unsigned int __grid_x, unsigned int __grid_y, unsigned int __grid_z,
                                                 unsigned int __block_x, unsigned int __block_y, unsigned int __block_z,
                                                 unsigned int __shared, CUstream __stream, void **__args)
{
    return (CUresult)cudaLaunchCooperativeKernel((const void *)__function, __cu_dim3(__grid_x, __grid_y, __grid_z),
                                                 __cu_dim3(__block_x, __block_y, __block_z), __args, __shared, __stream);
}

/* ---- what the runtime has under another name ---- */

static inline CUresult cuDeviceGetCount(int *__count)
{
    return (CUresult)(cudaGetDeviceCount(__count));
}

static inline CUresult cuDriverGetVersion(int *__version)
{
    return (CUresult)(cudaDriverGetVersion(__version));
}

/* What the runtime does not ask for: there is no memory to be mapped, shared with others or compressed. */
static inline int __cu_not_there(CUdevice_attribute __attr)
{
    return __attr == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED || __attr == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED
           || __attr == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED || __attr == CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED
           || __attr == CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED || __attr == CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED
           || __attr == CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED || __attr == CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED;
}

static inline CUresult cuDeviceGetAttribute(int *__value, CUdevice_attribute __attr, CUdevice __device)
{
    if (__cu_not_there(__attr)) {
        *__value = 0;
        return __cu_silent(CUDA_SUCCESS);
    }
    if (__attr == CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS || __attr == CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR) {
        *__value = 1;
        return __cu_silent(CUDA_SUCCESS);
    }
    return (CUresult)(cudaDeviceGetAttribute(__value, (enum cudaDeviceAttr)__attr, __device));
}

static inline CUresult cuDeviceCanAccessPeer(int *__can, CUdevice __device, CUdevice __peer)
{
    return (CUresult)(cudaDeviceCanAccessPeer(__can, __device, __peer));
}

static inline CUresult cuDevicePrimaryCtxReset(CUdevice __device)
{
    return (CUresult)(cudaSetDevice(__device) == cudaSuccess ? cudaDeviceReset() : cudaErrorInvalidDevice);
}

static inline CUresult cuCtxSynchronize(void)
{
    sim_by_driver_api();
    return (CUresult)(cudaDeviceSynchronize());
}

static inline CUresult cuCtxGetDevice(CUdevice *__device)
{
    return (CUresult)(cudaGetDevice(__device));
}

static inline CUresult cuCtxGetStreamPriorityRange(int *__least, int *__greatest)
{
    return (CUresult)(cudaDeviceGetStreamPriorityRange(__least, __greatest));
}

static inline CUresult cuCtxGetLimit(size_t *__value, CUlimit __limit)
{
    return (CUresult)(cudaDeviceGetLimit(__value, (enum cudaLimit)__limit));
}

static inline CUresult cuCtxSetLimit(CUlimit __limit, size_t __value)
{
    return (CUresult)(cudaDeviceSetLimit((enum cudaLimit)__limit, __value));
}

static inline CUresult cuMemGetInfo(size_t *__free, size_t *__total)
{
    return (CUresult)(cudaMemGetInfo(__free, __total));
}

static inline CUresult cuMemAlloc(CUdeviceptr *__pointer, size_t __bytes)
{
    return (CUresult)(cudaMalloc((void **)__pointer, __bytes));
}

static inline CUresult cuMemAllocPitch(CUdeviceptr *__pointer, size_t *__pitch, size_t __width, size_t __height, unsigned int __element)
{
    return (CUresult)(((void)__element, cudaMallocPitch((void **)__pointer, __pitch, __width, __height)));
}

static inline CUresult cuMemAllocManaged(CUdeviceptr *__pointer, size_t __bytes, unsigned int __flags)
{
    return (CUresult)(cudaMallocManaged((void **)__pointer, __bytes, __flags));
}

static inline CUresult cuMemFree(CUdeviceptr __pointer)
{
    return (CUresult)(cudaFree((void *)__pointer));
}

static inline CUresult cuMemAllocHost(void **__pointer, size_t __bytes)
{
    return (CUresult)(cudaMallocHost(__pointer, __bytes));
}

static inline CUresult cuMemHostAlloc(void **__pointer, size_t __bytes, unsigned int __flags)
{
    return (CUresult)(cudaHostAlloc(__pointer, __bytes, __flags));
}

static inline CUresult cuMemFreeHost(void *__pointer)
{
    return (CUresult)(cudaFreeHost(__pointer));
}

static inline CUresult cuMemHostRegister(void *__pointer, size_t __bytes, unsigned int __flags)
{
    return (CUresult)(cudaHostRegister(__pointer, __bytes, __flags));
}

static inline CUresult cuMemHostUnregister(void *__pointer)
{
    return (CUresult)(cudaHostUnregister(__pointer));
}

static inline CUresult cuMemHostGetDevicePointer(CUdeviceptr *__device, void *__host, unsigned int __flags)
{
    return (CUresult)(cudaHostGetDevicePointer((void **)__device, __host, __flags));
}

static inline CUresult cuMemAllocAsync(CUdeviceptr *__pointer, size_t __bytes, CUstream __stream)
{
    return (CUresult)(cudaMallocAsync((void **)__pointer, __bytes, __stream));
}

static inline CUresult cuMemFreeAsync(CUdeviceptr __pointer, CUstream __stream)
{
    return (CUresult)(cudaFreeAsync((void *)__pointer, __stream));
}

static inline CUresult cuMemcpy(CUdeviceptr __to, CUdeviceptr __from, size_t __bytes)
{
    return (CUresult)(cudaMemcpy((void *)__to, (const void *)__from, __bytes, cudaMemcpyDefault));
}

static inline CUresult cuMemcpyAsync(CUdeviceptr __to, CUdeviceptr __from, size_t __bytes, CUstream __stream)
{
    return (CUresult)(cudaMemcpyAsync((void *)__to, (const void *)__from, __bytes, cudaMemcpyDefault, __stream));
}

static inline CUresult cuMemcpyHtoD(CUdeviceptr __to, const void *__from, size_t __bytes)
{
    return (CUresult)(cudaMemcpy((void *)__to, __from, __bytes, cudaMemcpyHostToDevice));
}

static inline CUresult cuMemcpyDtoH(void *__to, CUdeviceptr __from, size_t __bytes)
{
    return (CUresult)(cudaMemcpy(__to, (const void *)__from, __bytes, cudaMemcpyDeviceToHost));
}

static inline CUresult cuMemcpyDtoD(CUdeviceptr __to, CUdeviceptr __from, size_t __bytes)
{
    return (CUresult)(cudaMemcpy((void *)__to, (const void *)__from, __bytes, cudaMemcpyDeviceToDevice));
}

static inline CUresult cuMemcpyHtoDAsync(CUdeviceptr __to, const void *__from, size_t __bytes, CUstream __stream)
{
    return (CUresult)(cudaMemcpyAsync((void *)__to, __from, __bytes, cudaMemcpyHostToDevice, __stream));
}

static inline CUresult cuMemcpyDtoHAsync(void *__to, CUdeviceptr __from, size_t __bytes, CUstream __stream)
{
    return (CUresult)(cudaMemcpyAsync(__to, (const void *)__from, __bytes, cudaMemcpyDeviceToHost, __stream));
}

static inline CUresult cuMemcpyDtoDAsync(CUdeviceptr __to, CUdeviceptr __from, size_t __bytes, CUstream __stream)
{
    return (CUresult)(cudaMemcpyAsync((void *)__to, (const void *)__from, __bytes, cudaMemcpyDeviceToDevice, __stream));
}

static inline CUresult cuMemsetD8(CUdeviceptr __pointer, unsigned char __value, size_t __count)
{
    return (CUresult)(cudaMemset((void *)__pointer, __value, __count));
}

static inline CUresult cuMemsetD8Async(CUdeviceptr __pointer, unsigned char __value, size_t __count, CUstream __stream)
{
    return (CUresult)(cudaMemsetAsync((void *)__pointer, __value, __count, __stream));
}

static inline CUresult cuMemsetD16(CUdeviceptr __pointer, unsigned short __value, size_t __count)
{
    return (CUresult)(sim_set_words("cuMemsetD16", (void *)__pointer, __value, 2, __count, 0, 0));
}

static inline CUresult cuMemsetD32(CUdeviceptr __pointer, unsigned int __value, size_t __count)
{
    return (CUresult)(sim_set_words("cuMemsetD32", (void *)__pointer, __value, 4, __count, 0, 0));
}

static inline CUresult cuMemsetD32Async(CUdeviceptr __pointer, unsigned int __value, size_t __count, CUstream __stream)
{
    return (CUresult)(sim_set_words("cuMemsetD32Async", (void *)__pointer, __value, 4, __count, __stream, 1));
}

static inline CUresult cuStreamCreate(CUstream *__stream, unsigned int __flags)
{
    return (CUresult)(cudaStreamCreateWithFlags(__stream, __flags));
}

static inline CUresult cuStreamCreateWithPriority(CUstream *__stream, unsigned int __flags, int __priority)
{
    return (CUresult)(cudaStreamCreateWithPriority(__stream, __flags, __priority));
}

static inline CUresult cuStreamDestroy(CUstream __stream)
{
    return (CUresult)(cudaStreamDestroy(__stream));
}

static inline CUresult cuStreamSynchronize(CUstream __stream)
{
    sim_by_driver_api();
    return (CUresult)(cudaStreamSynchronize(__stream));
}

static inline CUresult cuStreamQuery(CUstream __stream)
{
    sim_by_driver_api();
    return (CUresult)(cudaStreamQuery(__stream));
}

static inline CUresult cuStreamWaitEvent(CUstream __stream, CUevent __event, unsigned int __flags)
{
    sim_by_driver_api();
    return (CUresult)(cudaStreamWaitEvent(__stream, __event, __flags));
}

static inline CUresult cuStreamGetPriority(CUstream __stream, int *__priority)
{
    return (CUresult)(cudaStreamGetPriority(__stream, __priority));
}

static inline CUresult cuStreamGetFlags(CUstream __stream, unsigned int *__flags)
{
    return (CUresult)(cudaStreamGetFlags(__stream, __flags));
}

static inline CUresult cuStreamAddCallback(CUstream __stream, CUstreamCallback __callback, void *__data, unsigned int __flags)
{
    sim_by_driver_api();
    return (CUresult)(cudaStreamAddCallback(__stream, (cudaStreamCallback_t)__callback, __data, __flags));
}

static inline CUresult cuLaunchHostFunc(CUstream __stream, CUhostFn __function, void *__data)
{
    sim_by_driver_api();
    return (CUresult)(cudaLaunchHostFunc(__stream, __function, __data));
}

static inline CUresult cuEventCreate(CUevent *__event, unsigned int __flags)
{
    return (CUresult)(cudaEventCreateWithFlags(__event, __flags));
}

static inline CUresult cuEventRecord(CUevent __event, CUstream __stream)
{
    sim_by_driver_api();
    return (CUresult)(cudaEventRecord(__event, __stream));
}

static inline CUresult cuEventQuery(CUevent __event)
{
    sim_by_driver_api();
    return (CUresult)(cudaEventQuery(__event));
}

static inline CUresult cuEventSynchronize(CUevent __event)
{
    sim_by_driver_api();
    return (CUresult)(cudaEventSynchronize(__event));
}

static inline CUresult cuEventElapsedTime(float *__milliseconds, CUevent __start, CUevent __end)
{
    return (CUresult)(cudaEventElapsedTime(__milliseconds, __start, __end));
}

static inline CUresult cuEventDestroy(CUevent __event)
{
    return (CUresult)(cudaEventDestroy(__event));
}

static inline CUresult cuFuncSetAttribute(CUfunction __function, CUfunction_attribute __attr, int __value)
{
    return (CUresult)(cudaFuncSetAttribute((const void *)__function, (enum cudaFuncAttribute)__attr, __value));
}

static inline CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, CUfunction __function, int __threads, size_t __shared)
{
    return (CUresult)(cudaOccupancyMaxActiveBlocksPerMultiprocessor(__blocks, (const void *)__function, __threads, __shared));
}

static inline CUresult cuProfilerStart(void)
{
    return (CUresult)(cudaProfilerStart());
}

static inline CUresult cuProfilerStop(void)
{
    return (CUresult)(cudaProfilerStop());
}

#include "detail/sim_driver_more.h"
#include "detail/sim_driver_names.h"
#include "detail/sim_stream_values.h"
#include "detail/sim_green.h"

#endif
