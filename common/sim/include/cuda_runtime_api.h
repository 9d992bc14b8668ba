/* SPDX-License-Identifier: MIT */
/*
 * cuda_runtime_api.h - the calls that the simulator has. A call that is not
 * declared here is not there: the compiler names it.
 */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#include "driver_types.h"
#include "graph_types.h"
#include "texture_types.h"

#define CUDART_VERSION 13000

#ifdef __cplusplus
#define __dv(__value) = __value
extern "C" {
#else
#define __dv(__value)
#endif

/* Errors. GetLastError clears, Peek does not. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char *cudaGetErrorName(cudaError_t __error);
const char *cudaGetErrorString(cudaError_t __error);

/* Devices. */
cudaError_t cudaGetDeviceCount(int *__count);
cudaError_t cudaSetDevice(int __device);
cudaError_t cudaGetDevice(int *__device);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *__prop, int __device);
cudaError_t cudaChooseDevice(int *__device, const struct cudaDeviceProp *__prop);
cudaError_t cudaDeviceGetPCIBusId(char *__id, int __size, int __device);
cudaError_t cudaDeviceGetByPCIBusId(int *__device, const char *__id);
cudaError_t cudaDeviceGetAttribute(int *__value, enum cudaDeviceAttr __attr, int __device);
cudaError_t cudaDeviceGetStreamPriorityRange(int *__least, int *__greatest);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaDeviceSetLimit(enum cudaLimit __limit, size_t __value);
cudaError_t cudaDeviceGetLimit(size_t *__value, enum cudaLimit __limit);
cudaError_t cudaSetDeviceFlags(unsigned int __flags);
cudaError_t cudaGetDeviceFlags(unsigned int *__flags);
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache __config);
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *__config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig __config);
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *__config);
cudaError_t cudaDeviceCanAccessPeer(int *__can, int __device, int __peer);
cudaError_t cudaDeviceEnablePeerAccess(int __peer, unsigned int __flags);
cudaError_t cudaDeviceDisablePeerAccess(int __peer);
cudaError_t cudaDeviceGetP2PAttribute(int *__value, enum cudaDeviceP2PAttr __attr, int __device, int __peer);
cudaError_t cudaRuntimeGetVersion(int *__version);
cudaError_t cudaDriverGetVersion(int *__version);
cudaError_t cudaMemGetInfo(size_t *__free, size_t *__total);

/* Memory. */
cudaError_t cudaMalloc(void **__pointer, size_t __bytes);
cudaError_t cudaFree(void *__pointer);
cudaError_t cudaMallocHost(void **__pointer, size_t __bytes);
cudaError_t cudaHostAlloc(void **__pointer, size_t __bytes, unsigned int __flags);
cudaError_t cudaFreeHost(void *__pointer);
cudaError_t cudaHostRegister(void *__pointer, size_t __bytes, unsigned int __flags);
cudaError_t cudaHostUnregister(void *__pointer);
cudaError_t cudaMallocManaged(void **__pointer, size_t __bytes, unsigned int __flags __dv(cudaMemAttachGlobal));
cudaError_t cudaMallocPitch(void **__pointer, size_t *__pitch, size_t __width, size_t __height);
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *__pitched, struct cudaExtent __extent);
cudaError_t cudaHostGetDevicePointer(void **__device, void *__host, unsigned int __flags);
cudaError_t cudaHostGetFlags(unsigned int *__flags, void *__host);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *__attributes, const void *__pointer);

/* Arrays. */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int __x, int __y, int __z, int __w, enum cudaChannelFormatKind __f);
cudaError_t cudaMallocArray(cudaArray_t *__array, const struct cudaChannelFormatDesc *__format, size_t __width, size_t __height __dv(0),
                            unsigned int __flags __dv(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *__array, const struct cudaChannelFormatDesc *__format, struct cudaExtent __extent,
                              unsigned int __flags __dv(0));
cudaError_t cudaFreeArray(cudaArray_t __array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *__format, struct cudaExtent *__extent, unsigned int *__flags, cudaArray_t __array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *__format, cudaArray_const_t __array);
cudaError_t cudaMemcpy2DToArray(cudaArray_t __dst, size_t __dst_x, size_t __dst_y, const void *__src, size_t __src_pitch, size_t __width,
                                size_t __height, enum cudaMemcpyKind __kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t __dst, size_t __dst_x, size_t __dst_y, const void *__src, size_t __src_pitch,
                                     size_t __width, size_t __height, enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
cudaError_t cudaMemcpy2DFromArray(void *__dst, size_t __dst_pitch, cudaArray_const_t __src, size_t __src_x, size_t __src_y, size_t __width,
                                  size_t __height, enum cudaMemcpyKind __kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *__dst, size_t __dst_pitch, cudaArray_const_t __src, size_t __src_x, size_t __src_y,
                                       size_t __width, size_t __height, enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t __dst, size_t __dst_x, size_t __dst_y, cudaArray_const_t __src, size_t __src_x,
                                     size_t __src_y, size_t __width, size_t __height,
                                     enum cudaMemcpyKind __kind __dv(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpyToArray(cudaArray_t __dst, size_t __dst_x, size_t __dst_y, const void *__src, size_t __bytes, enum cudaMemcpyKind __kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t __dst, size_t __dst_x, size_t __dst_y, const void *__src, size_t __bytes,
                                   enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
cudaError_t cudaMemcpyFromArray(void *__dst, cudaArray_const_t __src, size_t __src_x, size_t __src_y, size_t __bytes,
                                enum cudaMemcpyKind __kind);
cudaError_t cudaMemcpyFromArrayAsync(void *__dst, cudaArray_const_t __src, size_t __src_x, size_t __src_y, size_t __bytes,
                                     enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
cudaError_t cudaMemcpyArrayToArray(cudaArray_t __dst, size_t __dst_x, size_t __dst_y, cudaArray_const_t __src, size_t __src_x,
                                   size_t __src_y, size_t __bytes, enum cudaMemcpyKind __kind __dv(cudaMemcpyDeviceToDevice));

/* Texture and surface objects: what kernels do with them, sim_texture.h says. */
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *__object, const struct cudaResourceDesc *__resource,
                                    const struct cudaTextureDesc *__how, const struct cudaResourceViewDesc *__view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t __object);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *__resource, cudaTextureObject_t __object);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *__how, cudaTextureObject_t __object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *__object, const struct cudaResourceDesc *__resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t __object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *__resource, cudaSurfaceObject_t __object);

/* Memory in the order of streams, and its pools. */
cudaError_t cudaMallocAsync(void **__pointer, size_t __bytes, cudaStream_t __stream);
cudaError_t cudaMallocFromPoolAsync(void **__pointer, size_t __bytes, cudaMemPool_t __pool, cudaStream_t __stream);
cudaError_t cudaFreeAsync(void *__pointer, cudaStream_t __stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *__pool, int __device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *__pool, int __device);
cudaError_t cudaDeviceSetMemPool(int __device, cudaMemPool_t __pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *__pool, const struct cudaMemPoolProps *__properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t __pool);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t __pool, size_t __keep);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t __pool, enum cudaMemPoolAttr __attr, void *__value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t __pool, enum cudaMemPoolAttr __attr, void *__value);
/* They take an int's address or a uint64_t's. Where the compiler knows how large it is whose address is given, so do these. */
cudaError_t sim_pool_set(cudaMemPool_t __pool, enum cudaMemPoolAttr __attr, void *__value, size_t __room);
cudaError_t sim_pool_get(cudaMemPool_t __pool, enum cudaMemPoolAttr __attr, void *__value, size_t __room);
#define SIM_IF_INLINED extern __inline__ __attribute__((__always_inline__, __gnu_inline__))
SIM_IF_INLINED cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t __pool, enum cudaMemPoolAttr __attr, void *__value)
{
    return sim_pool_set(__pool, __attr, __value, __builtin_object_size(__value, 0));
}
SIM_IF_INLINED cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t __pool, enum cudaMemPoolAttr __attr, void *__value)
{
    return sim_pool_get(__pool, __attr, __value, __builtin_object_size(__value, 0));
}
#undef SIM_IF_INLINED
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t __pool, const struct cudaMemAccessDesc *__wishes, size_t __count);
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *__flags, cudaMemPool_t __pool, struct cudaMemLocation *__location);

/* Pools of another process. */
cudaError_t cudaMemPoolExportToShareableHandle(void *__handle, cudaMemPool_t __pool, enum cudaMemAllocationHandleType __type, unsigned int __flags);
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *__pool, void *__handle, enum cudaMemAllocationHandleType __type, unsigned int __flags);
cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *__data, void *__pointer);
cudaError_t cudaMemPoolImportPointer(void **__pointer, cudaMemPool_t __pool, struct cudaMemPoolPtrExportData *__data);

/* Copies. */
cudaError_t cudaMemcpy(void *__dst, const void *__src, size_t __bytes, enum cudaMemcpyKind __kind);
cudaError_t cudaMemcpyBatchAsync(const void **__dsts, const void **__srcs, const size_t *__sizes, size_t __count,
                                 struct cudaMemcpyAttributes *__hints, size_t *__first, size_t __hint_count, cudaStream_t __stream);
cudaError_t cudaMemcpyAsync(void *__dst, const void *__src, size_t __bytes, enum cudaMemcpyKind __kind,
                            cudaStream_t __stream __dv(0));
cudaError_t cudaMemset(void *__pointer, int __value, size_t __bytes);
cudaError_t cudaMemsetAsync(void *__pointer, int __value, size_t __bytes, cudaStream_t __stream __dv(0));
cudaError_t cudaMemcpy2D(void *__dst, size_t __dst_pitch, const void *__src, size_t __src_pitch, size_t __width, size_t __height,
                         enum cudaMemcpyKind __kind);
cudaError_t cudaMemcpy2DAsync(void *__dst, size_t __dst_pitch, const void *__src, size_t __src_pitch, size_t __width,
                              size_t __height, enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
cudaError_t cudaMemset2D(void *__pointer, size_t __pitch, int __value, size_t __width, size_t __height);
cudaError_t cudaMemset2DAsync(void *__pointer, size_t __pitch, int __value, size_t __width, size_t __height,
                              cudaStream_t __stream __dv(0));
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *__params);
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *__params, cudaStream_t __stream __dv(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr __pitched, int __value, struct cudaExtent __extent);
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr __pitched, int __value, struct cudaExtent __extent, cudaStream_t __stream __dv(0));
cudaError_t cudaMemcpyPeer(void *__dst, int __dst_device, const void *__src, int __src_device, size_t __bytes);
cudaError_t cudaMemcpyPeerAsync(void *__dst, int __dst_device, const void *__src, int __src_device, size_t __bytes,
                                cudaStream_t __stream __dv(0));
cudaError_t cudaMemPrefetchAsync(const void *__pointer, size_t __bytes, struct cudaMemLocation __location,
                                 unsigned int __flags, cudaStream_t __stream __dv(0));
cudaError_t cudaMemAdvise(const void *__pointer, size_t __bytes, enum cudaMemoryAdvise __advice,
                          struct cudaMemLocation __location);

/* __device__ and __constant__ variables. */
cudaError_t cudaMemcpyToSymbol(const void *__symbol, const void *__src, size_t __count, size_t __offset __dv(0),
                               enum cudaMemcpyKind __kind __dv(cudaMemcpyHostToDevice));
cudaError_t cudaMemcpyFromSymbol(void *__dst, const void *__symbol, size_t __count, size_t __offset __dv(0),
                                 enum cudaMemcpyKind __kind __dv(cudaMemcpyDeviceToHost));
cudaError_t cudaMemcpyToSymbolAsync(const void *__symbol, const void *__src, size_t __count, size_t __offset,
                                    enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
cudaError_t cudaMemcpyFromSymbolAsync(void *__dst, const void *__symbol, size_t __count, size_t __offset,
                                      enum cudaMemcpyKind __kind, cudaStream_t __stream __dv(0));
cudaError_t cudaGetSymbolAddress(void **__address, const void *__symbol);
cudaError_t cudaGetSymbolSize(size_t *__bytes, const void *__symbol);

cudaError_t cudaMemRangeGetAttribute(void *__data, size_t __size, enum cudaMemRangeAttribute __attr,
                                     const void *__pointer, size_t __bytes);
cudaError_t cudaMemRangeGetAttributes(void **__data, size_t *__sizes, enum cudaMemRangeAttribute *__attributes,
                                      size_t __count, const void *__pointer, size_t __bytes);

/* Streams. */
cudaError_t cudaStreamCreate(cudaStream_t *__stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *__stream, unsigned int __flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *__stream, unsigned int __flags, int __priority);
cudaError_t cudaStreamDestroy(cudaStream_t __stream);
cudaError_t cudaStreamSynchronize(cudaStream_t __stream);
cudaError_t cudaStreamQuery(cudaStream_t __stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t __stream, cudaEvent_t __event, unsigned int __flags __dv(0));
cudaError_t cudaStreamGetPriority(cudaStream_t __stream, int *__priority);
cudaError_t cudaStreamGetFlags(cudaStream_t __stream, unsigned int *__flags);
cudaError_t cudaStreamGetId(cudaStream_t __stream, unsigned long long *__id);
cudaError_t cudaStreamGetDevice(cudaStream_t __stream, int *__device);
/* What merely tunes is checked and kept, and changes no time (launch_types.h). */
cudaError_t cudaStreamSetAttribute(cudaStream_t __stream, enum cudaLaunchAttributeID __attr, const cudaLaunchAttributeValue *__value);
cudaError_t cudaStreamGetAttribute(cudaStream_t __stream, enum cudaLaunchAttributeID __attr, cudaLaunchAttributeValue *__value);
cudaError_t cudaStreamCopyAttributes(cudaStream_t __to, cudaStream_t __from);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t __stream, void *__pointer, size_t __bytes __dv(0),
                                     unsigned int __flags __dv(cudaMemAttachSingle));
cudaError_t cudaLaunchHostFunc(cudaStream_t __stream, cudaHostFn_t __function, void *__data);
cudaError_t cudaStreamAddCallback(cudaStream_t __stream, cudaStreamCallback_t __callback, void *__data, unsigned int __flags);

/* Kernels by address; in C++ cuda_runtime.h has these for kernels as they are. */
cudaError_t cudaLaunchCooperativeKernel(const void *__function, dim3 __grid, dim3 __block, void **__args,
                                        size_t __shared __dv(0), cudaStream_t __stream __dv(0));
cudaError_t cudaLaunchKernel(const void *__function, dim3 __grid, dim3 __block, void **__args, size_t __shared __dv(0),
                             cudaStream_t __stream __dv(0));
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *__config, const void *__function, void **__args);
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *__attributes, const void *__function);
cudaError_t cudaFuncSetAttribute(const void *__function, enum cudaFuncAttribute __attr, int __value);
cudaError_t cudaFuncSetSharedMemConfig(const void *__function, enum cudaSharedMemConfig __config);
cudaError_t cudaFuncSetCacheConfig(const void *__function, enum cudaFuncCache __config);
cudaError_t cudaOccupancyMaxActiveClusters(int *__clusters, const void *__function, const cudaLaunchConfig_t *__config);
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *__size, const void *__function, const cudaLaunchConfig_t *__config);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *__blocks, const void *__function, int __threads,
                                                          size_t __shared);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *__blocks, const void *__function, int __threads,
                                                                   size_t __shared, unsigned int __flags);
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *__shared, const void *__function, int __blocks, int __threads);

/* Names that CUDA 12 gave to what CUDA 13 has without the number. */
#define cudaEventElapsedTime_v2 cudaEventElapsedTime
#define cudaGetDeviceProperties_v2 cudaGetDeviceProperties
#define cudaGraphAddDependencies_v2 cudaGraphAddDependencies
#define cudaGraphAddNode_v2 cudaGraphAddNode
#define cudaGraphGetEdges_v2 cudaGraphGetEdges
#define cudaGraphNodeGetDependencies_v2 cudaGraphNodeGetDependencies
#define cudaGraphNodeGetDependentNodes_v2 cudaGraphNodeGetDependentNodes
#define cudaGraphRemoveDependencies_v2 cudaGraphRemoveDependencies
#define cudaMemAdvise_v2 cudaMemAdvise
#define cudaMemPrefetchAsync_v2 cudaMemPrefetchAsync
#define cudaStreamUpdateCaptureDependencies_v2 cudaStreamUpdateCaptureDependencies

/* Events. */
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *__event, unsigned int __flags);
cudaError_t cudaEventRecord(cudaEvent_t __event, cudaStream_t __stream __dv(0));
cudaError_t cudaEventRecordWithFlags(cudaEvent_t __event, cudaStream_t __stream __dv(0), unsigned int __flags __dv(0));
cudaError_t cudaEventQuery(cudaEvent_t __event);
cudaError_t cudaEventSynchronize(cudaEvent_t __event);
cudaError_t cudaEventElapsedTime(float *__milliseconds, cudaEvent_t __start, cudaEvent_t __end);
cudaError_t cudaEventDestroy(cudaEvent_t __event);

/* Events and memory of another process. */
cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *__handle, cudaEvent_t __event);
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *__event, cudaIpcEventHandle_t __handle);
cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *__handle, void *__pointer);
cudaError_t cudaIpcOpenMemHandle(void **__pointer, cudaIpcMemHandle_t __handle, unsigned int __flags);
cudaError_t cudaIpcCloseMemHandle(void *__pointer);

/* Capture of streams. */
cudaError_t cudaStreamBeginCapture(cudaStream_t __stream, enum cudaStreamCaptureMode __mode);
cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t __stream, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                          const cudaGraphEdgeData *__edges, size_t __count, enum cudaStreamCaptureMode __mode);
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t __stream, cudaGraphNode_t *__nodes, const cudaGraphEdgeData *__edges,
                                                size_t __count, unsigned int __flags __dv(0));
cudaError_t cudaStreamEndCapture(cudaStream_t __stream, cudaGraph_t *__graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t __stream, enum cudaStreamCaptureStatus *__capturing);
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t __stream, enum cudaStreamCaptureStatus *__capturing, unsigned long long *__id,
                                     cudaGraph_t *__graph, const cudaGraphNode_t **__last, const cudaGraphEdgeData **__edges,
                                     size_t *__last_count);
/* CUDA 12's names of that call. */
static inline cudaError_t cudaStreamGetCaptureInfo_v2(cudaStream_t __stream, enum cudaStreamCaptureStatus *__capturing,
                                                      unsigned long long *__id __dv(0), cudaGraph_t *__graph __dv(0),
                                                      const cudaGraphNode_t **__last __dv(0), size_t *__last_count __dv(0))
{
    return cudaStreamGetCaptureInfo(__stream, __capturing, __id, __graph, __last, 0, __last_count);
}
static inline cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t __stream, enum cudaStreamCaptureStatus *__capturing,
                                                      unsigned long long *__id __dv(0), cudaGraph_t *__graph __dv(0),
                                                      const cudaGraphNode_t **__last __dv(0),
                                                      const cudaGraphEdgeData **__edges __dv(0), size_t *__last_count __dv(0))
{
    return cudaStreamGetCaptureInfo(__stream, __capturing, __id, __graph, __last, __edges, __last_count);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *__mode);

/* Graphs. */
cudaError_t cudaGraphCreate(cudaGraph_t *__graph, unsigned int __flags);
cudaError_t cudaGraphClone(cudaGraph_t *__clone, cudaGraph_t __graph);
cudaError_t cudaGraphDestroy(cudaGraph_t __graph);
cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *__handle, cudaGraph_t __graph,
                                             unsigned int __default_value __dv(0), unsigned int __flags __dv(0));
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                   size_t __count, const struct cudaKernelNodeParams *__params);
cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                   size_t __count, const struct cudaMemcpy3DParms *__params);
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                     size_t __count, void *__dst, const void *__src, size_t __bytes,
                                     enum cudaMemcpyKind __kind);
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                           size_t __count, const void *__symbol, const void *__src, size_t __bytes,
                                           size_t __offset, enum cudaMemcpyKind __kind);
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                             size_t __count, void *__dst, const void *__symbol, size_t __bytes,
                                             size_t __offset, enum cudaMemcpyKind __kind);
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t __node, const void *__symbol, const void *__src, size_t __bytes,
                                                 size_t __offset, enum cudaMemcpyKind __kind);
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t __node, void *__dst, const void *__symbol, size_t __bytes,
                                                   size_t __offset, enum cudaMemcpyKind __kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t __exec, cudaGraphNode_t __node, const void *__symbol,
                                                     const void *__src, size_t __bytes, size_t __offset, enum cudaMemcpyKind __kind);
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t __exec, cudaGraphNode_t __node, void *__dst,
                                                       const void *__symbol, size_t __bytes, size_t __offset, enum cudaMemcpyKind __kind);
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                   size_t __count, const struct cudaMemsetParams *__params);
cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                 size_t __count, const struct cudaHostNodeParams *__params);
cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                  size_t __count);
cudaError_t cudaGraphAddNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                             const cudaGraphEdgeData *__edges, size_t __count, cudaGraphNodeParams *__params);
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t __graph, const char *__path, unsigned int __flags);
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                        size_t __count, cudaEvent_t __event);
cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                      size_t __count, cudaEvent_t __event);
cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t __node, cudaEvent_t *__event);
cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t __node, cudaEvent_t *__event);
cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t __exec, cudaGraphNode_t __node, cudaEvent_t __event);
cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t __exec, cudaGraphNode_t __node, cudaEvent_t __event);
cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                     size_t __count, struct cudaMemAllocNodeParams *__params);
cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t __node, struct cudaHostNodeParams *__params);
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t __node, struct cudaKernelNodeParams *__params);
cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t __node, struct cudaMemcpy3DParms *__params);
cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t __node, struct cudaMemsetParams *__params);
cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t __node, struct cudaMemAllocNodeParams *__params);
cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                    size_t __count, void *__pointer);
cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t __node, void *__pointer);
cudaError_t cudaDeviceGraphMemTrim(int __device);
cudaError_t cudaDeviceGetGraphMemAttribute(int __device, enum cudaGraphMemAttributeType __which, void *__value);
cudaError_t cudaDeviceSetGraphMemAttribute(int __device, enum cudaGraphMemAttributeType __which, void *__value);
cudaError_t cudaGraphAddDependencies(cudaGraph_t __graph, const cudaGraphNode_t *__from, const cudaGraphNode_t *__to,
                                     const cudaGraphEdgeData *__edges, size_t __count);
cudaError_t cudaGraphRemoveDependencies(cudaGraph_t __graph, const cudaGraphNode_t *__from, const cudaGraphNode_t *__to,
                                        const cudaGraphEdgeData *__edges, size_t __count);
cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t __node, cudaGraph_t *__graph);
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *__node, cudaGraph_t __graph, const cudaGraphNode_t *__after,
                                       size_t __count, cudaGraph_t __child);
cudaError_t cudaGraphDestroyNode(cudaGraphNode_t __node);
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t __node, cudaGraphNode_t *__nodes, cudaGraphEdgeData *__edges,
                                         size_t *__count);
cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t __node, cudaGraphNode_t *__nodes, cudaGraphEdgeData *__edges,
                                           size_t *__count);
cudaError_t cudaGraphGetNodes(cudaGraph_t __graph, cudaGraphNode_t *__nodes, size_t *__count);
cudaError_t cudaGraphGetRootNodes(cudaGraph_t __graph, cudaGraphNode_t *__nodes, size_t *__count);
cudaError_t cudaGraphGetEdges(cudaGraph_t __graph, cudaGraphNode_t *__from, cudaGraphNode_t *__to,
                              cudaGraphEdgeData *__edges, size_t *__count);
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t __node, enum cudaGraphNodeType *type);
cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *__node, cudaGraphNode_t __original, cudaGraph_t __clone);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *__exec, cudaGraph_t __graph, unsigned long long __flags __dv(0));
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *__exec, cudaGraph_t __graph,
                                          unsigned long long __flags __dv(0));
/* What the upload of the graph waits for is not told apart from what its launch does. */
static inline cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *__exec, cudaGraph_t __graph, cudaGraphInstantiateParams *__params)
{
    cudaError_t __status = cudaGraphInstantiate(__exec, __graph, __params->flags);
    __params->errNode_out = 0;
    __params->result_out = __status == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateError;
    return __status;
}
cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t __exec, cudaGraphNode_t __node, unsigned int __enabled);
cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t __exec, cudaGraphNode_t __node, unsigned int *__enabled);
cudaError_t cudaGraphUpload(cudaGraphExec_t __exec, cudaStream_t __stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t __exec, cudaStream_t __stream);
cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t __exec, unsigned long long *__flags);
cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node, cudaGraph_t __child);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t __exec);
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t __node, const struct cudaKernelNodeParams *__params);
cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t __node, enum cudaLaunchAttributeID __attr, const cudaLaunchAttributeValue *__value);
cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t __node, enum cudaLaunchAttributeID __attr, cudaLaunchAttributeValue *__value);
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t __to, cudaGraphNode_t __from);
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t __node, const struct cudaMemcpy3DParms *__params);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t __node, void *__dst, const void *__src, size_t __bytes, enum cudaMemcpyKind __kind);
cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t __node, const struct cudaMemsetParams *__params);
cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t __node, const struct cudaHostNodeParams *__params);
cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t __node, cudaEvent_t __event);
cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t __node, cudaEvent_t __event);
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t __node, cudaGraphNodeParams *__params);
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node, cudaGraphNodeParams *__params);
cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node, const struct cudaMemcpy3DParms *__params);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                             const struct cudaKernelNodeParams *__params);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t __exec, cudaGraphNode_t __node, void *__dst,
                                               const void *__src, size_t __bytes, enum cudaMemcpyKind __kind);
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                             const struct cudaMemsetParams *__params);
cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t __exec, cudaGraphNode_t __node,
                                           const struct cudaHostNodeParams *__params);
cudaError_t cudaUserObjectCreate(cudaUserObject_t *__object, void *__data, cudaHostFn_t __destroy, unsigned int __count, unsigned int __flags);
cudaError_t cudaUserObjectRetain(cudaUserObject_t __object, unsigned int __count __dv(1));
cudaError_t cudaUserObjectRelease(cudaUserObject_t __object, unsigned int __count __dv(1));
cudaError_t cudaGraphRetainUserObject(cudaGraph_t __graph, cudaUserObject_t __object, unsigned int __count __dv(1), unsigned int __flags __dv(0));
cudaError_t cudaGraphReleaseUserObject(cudaGraph_t __graph, cudaUserObject_t __object, unsigned int __count __dv(1));
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t __exec, cudaGraph_t __graph, cudaGraphExecUpdateResultInfo *__result);

#ifdef __cplusplus
}
/* Two functions in C++: CUDA has the flags in one of them only. */
extern "C" cudaError_t cudaEventCreate(cudaEvent_t *__event);
static inline cudaError_t cudaEventCreate(cudaEvent_t *__event, unsigned int __flags)
{
    return cudaEventCreateWithFlags(__event, __flags);
}
#else
cudaError_t cudaEventCreate(cudaEvent_t *__event);
#endif

#endif
