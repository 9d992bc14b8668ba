/* SPDX-License-Identifier: MIT */
/* sim_driver_more.h - the driver API's captures and graphs, pools, peers, managed memory, rows. For cuda.h, whose ways these are. */
#ifndef SIM_INCLUDE_DRIVER_MORE_H
#define SIM_INCLUDE_DRIVER_MORE_H

/* ---- captures and graphs ---- */

typedef cudaGraph_t CUgraph;
typedef cudaGraphNode_t CUgraphNode;
typedef cudaGraphExec_t CUgraphExec;
typedef unsigned int cuuint32_t;
typedef unsigned long long cuuint64_t;
typedef enum CUstreamCaptureMode_enum {
    CU_STREAM_CAPTURE_MODE_GLOBAL = 0, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1, CU_STREAM_CAPTURE_MODE_RELAXED = 2
} CUstreamCaptureMode;
typedef enum CUstreamCaptureStatus_enum {
    CU_STREAM_CAPTURE_STATUS_NONE = 0, CU_STREAM_CAPTURE_STATUS_ACTIVE = 1, CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2
} CUstreamCaptureStatus;

static inline CUresult cuStreamBeginCapture(CUstream __stream, CUstreamCaptureMode __mode)
{
    return (CUresult)(cudaStreamBeginCapture(__stream, (enum cudaStreamCaptureMode)__mode));
}

static inline CUresult cuStreamEndCapture(CUstream __stream, CUgraph *__graph)
{
    return (CUresult)(cudaStreamEndCapture(__stream, __graph));
}

static inline CUresult cuStreamIsCapturing(CUstream __stream, CUstreamCaptureStatus *__status)
{
    return (CUresult)(cudaStreamIsCapturing(__stream, (enum cudaStreamCaptureStatus *)__status));
}

static inline CUresult cuGraphCreate(CUgraph *__graph, unsigned int __flags)
{
    return (CUresult)(cudaGraphCreate(__graph, __flags));
}

static inline CUresult cuGraphDestroy(CUgraph __graph)
{
    return (CUresult)(cudaGraphDestroy(__graph));
}

static inline CUresult cuGraphInstantiate(CUgraphExec *__exec, CUgraph __graph, unsigned long long __flags)
{
    return (CUresult)(cudaGraphInstantiate(__exec, __graph, __flags));
}
#define cuGraphInstantiateWithFlags cuGraphInstantiate

static inline CUresult cuGraphUpload(CUgraphExec __exec, CUstream __stream)
{
    return (CUresult)(cudaGraphUpload(__exec, __stream));
}

static inline CUresult cuGraphLaunch(CUgraphExec __exec, CUstream __stream)
{
    return (CUresult)(cudaGraphLaunch(__exec, __stream));
}

static inline CUresult cuGraphExecDestroy(CUgraphExec __exec)
{
    return (CUresult)(cudaGraphExecDestroy(__exec));
}

/* ---- pools ---- */

typedef cudaMemPool_t CUmemoryPool;
typedef enum CUmemPool_attribute_enum {
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1, CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC = 2,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6, CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7, CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8
} CUmemPool_attribute;

static inline CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *__pool, CUdevice __device)
{
    return (CUresult)(cudaDeviceGetDefaultMemPool(__pool, __device));
}

static inline CUresult cuDeviceGetMemPool(CUmemoryPool *__pool, CUdevice __device)
{
    return (CUresult)(cudaDeviceGetMemPool(__pool, __device));
}

static inline CUresult cuDeviceSetMemPool(CUdevice __device, CUmemoryPool __pool)
{
    return (CUresult)(cudaDeviceSetMemPool(__device, __pool));
}

static inline CUresult cuMemPoolSetAttribute(CUmemoryPool __pool, CUmemPool_attribute __which, void *__value)
{
    return (CUresult)(cudaMemPoolSetAttribute(__pool, (enum cudaMemPoolAttr)__which, __value));
}

static inline CUresult cuMemPoolGetAttribute(CUmemoryPool __pool, CUmemPool_attribute __which, void *__value)
{
    return (CUresult)(cudaMemPoolGetAttribute(__pool, (enum cudaMemPoolAttr)__which, __value));
}

static inline CUresult cuMemPoolTrimTo(CUmemoryPool __pool, size_t __bytes)
{
    return (CUresult)(cudaMemPoolTrimTo(__pool, __bytes));
}

static inline CUresult cuMemPoolDestroy(CUmemoryPool __pool)
{
    return (CUresult)(cudaMemPoolDestroy(__pool));
}

static inline CUresult cuMemAllocFromPoolAsync(CUdeviceptr *__pointer, size_t __bytes, CUmemoryPool __pool, CUstream __stream)
{
    return (CUresult)(cudaMallocFromPoolAsync((void **)__pointer, __bytes, __pool, __stream));
}

/* ---- peers ---- */

static inline CUresult cuCtxEnablePeerAccess(CUcontext __peer, unsigned int __flags)
{
    return (CUresult)(cudaDeviceEnablePeerAccess(__cu_device(__peer), __flags));
}

static inline CUresult cuCtxDisablePeerAccess(CUcontext __peer)
{
    return (CUresult)(cudaDeviceDisablePeerAccess(__cu_device(__peer)));
}

static inline CUresult cuMemcpyPeer(CUdeviceptr __to, CUcontext __there, CUdeviceptr __from, CUcontext __here, size_t __bytes)
{
    return (CUresult)(cudaMemcpyPeer((void *)__to, __cu_device(__there), (const void *)__from, __cu_device(__here), __bytes));
}

static inline CUresult cuMemcpyPeerAsync(CUdeviceptr __to, CUcontext __there, CUdeviceptr __from, CUcontext __here, size_t __bytes,
                                         CUstream __stream)
{
    return (CUresult)(cudaMemcpyPeerAsync((void *)__to, __cu_device(__there), (const void *)__from, __cu_device(__here), __bytes, __stream));
}

/* ---- managed memory ---- */

#define CU_DEVICE_CPU ((CUdevice)-1)
typedef enum CUmem_advise_enum {
    CU_MEM_ADVISE_SET_READ_MOSTLY = 1, CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2, CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
    CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4, CU_MEM_ADVISE_SET_ACCESSED_BY = 5, CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6
} CUmem_advise;

static inline struct cudaMemLocation __cu_location(CUdevice __device)
{
    struct cudaMemLocation __location;
    __location.type = __device == CU_DEVICE_CPU ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
    __location.id = __device == CU_DEVICE_CPU ? 0 : __device;
    return __location;
}

static inline CUresult cuMemPrefetchAsync(CUdeviceptr __pointer, size_t __bytes, CUdevice __device, CUstream __stream)
{
    return (CUresult)(cudaMemPrefetchAsync((const void *)__pointer, __bytes, __cu_location(__device), 0, __stream));
}

static inline CUresult cuMemAdvise(CUdeviceptr __pointer, size_t __bytes, CUmem_advise __advice, CUdevice __device)
{
    return (CUresult)(cudaMemAdvise((const void *)__pointer, __bytes, (enum cudaMemoryAdvise)__advice, __cu_location(__device)));
}

static inline CUresult cuStreamAttachMemAsync(CUstream __stream, CUdeviceptr __pointer, size_t __bytes, unsigned int __flags)
{
    return (CUresult)(cudaStreamAttachMemAsync(__stream, (void *)__pointer, __bytes, __flags));
}

/* ---- memory: words, rows, what it is ---- */

static inline CUresult cuMemsetD16Async(CUdeviceptr __pointer, unsigned short __value, size_t __count, CUstream __stream)
{
    return (CUresult)(sim_set_words("cuMemsetD16Async", (void *)__pointer, __value, 2, __count, __stream, 1));
}

typedef enum CUmemorytype_enum {
    CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3, CU_MEMORYTYPE_UNIFIED = 4
} CUmemorytype;
typedef struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes, srcY;
    CUmemorytype srcMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *srcArray;             /* none here, nor dstArray */
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    CUmemorytype dstMemoryType;
    void *dstHost;
    CUdeviceptr dstDevice;
    void *dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

static inline char *__cu_rows(CUmemorytype __type, const void *__host, CUdeviceptr __device, size_t __x, size_t __y, size_t __pitch)
{
    return (char *)(__type == CU_MEMORYTYPE_HOST ? (size_t)__host : (size_t)__device) + __y * __pitch + __x;
}

static inline size_t __cu_pitch(size_t __pitch, size_t __width) { return __pitch > 0 ? __pitch : __width; }

static inline CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *__c, CUstream __stream)
{
    size_t __to = __cu_pitch(__c->dstPitch, __c->WidthInBytes), __from = __cu_pitch(__c->srcPitch, __c->WidthInBytes);
    if (__c->srcMemoryType == CU_MEMORYTYPE_ARRAY || __c->dstMemoryType == CU_MEMORYTYPE_ARRAY)
        return (CUresult)__cu_absent();
    return (CUresult)(cudaMemcpy2DAsync(__cu_rows(__c->dstMemoryType, __c->dstHost, __c->dstDevice, __c->dstXInBytes, __c->dstY, __to), __to,
                                        __cu_rows(__c->srcMemoryType, __c->srcHost, __c->srcDevice, __c->srcXInBytes, __c->srcY, __from), __from,
                                        __c->WidthInBytes, __c->Height, cudaMemcpyDefault, __stream));
}

static inline CUresult cuMemcpy2D(const CUDA_MEMCPY2D *__c)
{
    size_t __to = __cu_pitch(__c->dstPitch, __c->WidthInBytes), __from = __cu_pitch(__c->srcPitch, __c->WidthInBytes);
    if (__c->srcMemoryType == CU_MEMORYTYPE_ARRAY || __c->dstMemoryType == CU_MEMORYTYPE_ARRAY)
        return (CUresult)__cu_absent();
    return (CUresult)(cudaMemcpy2D(__cu_rows(__c->dstMemoryType, __c->dstHost, __c->dstDevice, __c->dstXInBytes, __c->dstY, __to), __to,
                                   __cu_rows(__c->srcMemoryType, __c->srcHost, __c->srcDevice, __c->srcXInBytes, __c->srcY, __from), __from,
                                   __c->WidthInBytes, __c->Height, cudaMemcpyDefault));
}
#define cuMemcpy2DUnaligned cuMemcpy2D

typedef enum CUpointer_attribute_enum {
    CU_POINTER_ATTRIBUTE_CONTEXT = 1, CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2, CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
    CU_POINTER_ATTRIBUTE_HOST_POINTER = 4, CU_POINTER_ATTRIBUTE_IS_MANAGED = 8, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9
} CUpointer_attribute;

static inline CUresult cuPointerGetAttribute(void *__value, CUpointer_attribute __which, CUdeviceptr __pointer)
{
    struct cudaPointerAttributes __a;
    cudaError_t __status = cudaPointerGetAttributes(&__a, (const void *)__pointer);
    if (__status != cudaSuccess)
        return (CUresult)__status;
    if (__a.type == cudaMemoryTypeUnregistered)
        return CUDA_ERROR_INVALID_VALUE;
    switch (__which) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)__value = __cu_context(__a.device); break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: *(unsigned *)__value = __a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)__value = (CUdeviceptr)(size_t)__a.devicePointer; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: *(void **)__value = __a.hostPointer; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)__value = __a.type == cudaMemoryTypeManaged; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)__value = __a.device; break;
    default: return (CUresult)__cu_absent();
    }
    return CUDA_SUCCESS;
}

/* ---- the device and its context ---- */

static inline CUresult cuCtxGetApiVersion(CUcontext __context, unsigned int *__version)
{
    (void)__context;
    *__version = CUDA_VERSION;
    return __cu_silent(CUDA_SUCCESS);
}

static inline CUresult cuDeviceGetPCIBusId(char *__id, int __length, CUdevice __device)
{
    return (CUresult)(cudaDeviceGetPCIBusId(__id, __length, __device));
}

static inline CUresult cuDeviceGetByPCIBusId(CUdevice *__device, const char *__id)
{
    return (CUresult)(cudaDeviceGetByPCIBusId(__device, __id));
}

#endif
