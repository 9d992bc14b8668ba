/* SPDX-License-Identifier: MIT */
/* See cuda.h beside this file. */
#ifndef FAKE_CUPTI_H
#define FAKE_CUPTI_H

#include <stdint.h>

#include "cuda.h"

#define CUPTIAPI
#define CUPTI_API_VERSION 130001

typedef enum {
    CUPTI_SUCCESS = 0, CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
    CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39
} CUptiResult;
typedef uint32_t CUpti_CallbackId;
typedef enum {
    CUPTI_CB_DOMAIN_DRIVER_API = 1, CUPTI_CB_DOMAIN_RUNTIME_API = 2, CUPTI_CB_DOMAIN_RESOURCE = 3
} CUpti_CallbackDomain;
typedef enum { CUPTI_API_ENTER, CUPTI_API_EXIT } CUpti_ApiCallbackSite;
enum {
    CUPTI_CBID_RESOURCE_CONTEXT_CREATED = 1, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING = 2,
    CUPTI_DRIVER_TRACE_CBID_cuStreamAddCallback = 346,
    CUPTI_DRIVER_TRACE_CBID_cuStreamAddCallback_ptsz = 437,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc = 527,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc_ptsz = 528,
    CUPTI_DRIVER_TRACE_CBID_cuGraphAddHostNode = 530
};
typedef struct {
    CUpti_ApiCallbackSite callbackSite;
    const char *functionName;
    const void *functionParams;
    void *functionReturnValue;
    const char *symbolName;
    uint32_t correlationId;
} CUpti_CallbackData;
typedef struct { CUcontext context; } CUpti_ResourceData;
typedef void (*CUpti_CallbackFunc)(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void *data);
typedef struct CUpti_Subscriber_st *CUpti_SubscriberHandle;

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                           void *user);
CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                              CUpti_CallbackDomain domain);
CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id);

/* ---- activity ---- */

typedef enum {
    CUPTI_ACTIVITY_KIND_MEMCPY = 1, CUPTI_ACTIVITY_KIND_MEMSET = 2, CUPTI_ACTIVITY_KIND_KERNEL = 3,
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL = 10, CUPTI_ACTIVITY_KIND_MEMCPY2 = 22,
    CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER = 25
} CUpti_ActivityKind;
enum {
    CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE = 1, CUPTI_ACTIVITY_MEMORY_KIND_PINNED = 2,
    CUPTI_ACTIVITY_MEMORY_KIND_DEVICE = 3,
    CUPTI_ACTIVITY_MEMORY_KIND_MANAGED = 5, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC = 6,
    CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC = 7
};
typedef enum {
    CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD = 1,
    CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH = 2,
    CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT = 4
} CUpti_ActivityUnifiedMemoryCounterKind;
enum {
    CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_USER = 1,
    CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_PREFETCH = 3,
    CUPTI_ACTIVITY_UNIFIED_MEMORY_MIGRATION_CAUSE_EVICTION = 4
};
enum { CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE = 1 };
typedef struct {
    int scope;
    CUpti_ActivityUnifiedMemoryCounterKind kind;
    uint32_t deviceId, enable;
} CUpti_ActivityUnifiedMemoryCounterConfig;

typedef struct { CUpti_ActivityKind kind; } CUpti_Activity;
typedef struct {
    CUpti_ActivityKind kind;
    uint32_t correlationId;
    uint64_t start, end, graphNodeId;
} CUpti_ActivityKernel10;
typedef struct {
    CUpti_ActivityKind kind;
    uint32_t correlationId;
    uint64_t start, end, graphNodeId, bytes;
    uint8_t srcKind, dstKind;
} CUpti_ActivityMemcpy6;
typedef CUpti_ActivityMemcpy6 CUpti_ActivityMemset4;
typedef CUpti_ActivityMemcpy6 CUpti_ActivityMemcpyPtoP4;
typedef struct {
    CUpti_ActivityKind kind;
    CUpti_ActivityUnifiedMemoryCounterKind counterKind;
    uint64_t value, start, end, address;
    uint32_t flags;             /* why */
} CUpti_ActivityUnifiedMemoryCounter3;

typedef uint64_t (*CUpti_TimestampCallbackFunc)(void);
typedef void (*CUpti_BuffersCallbackRequestFunc)(uint8_t **buffer, size_t *size, size_t *most);
typedef void (*CUpti_BuffersCallbackCompleteFunc)(CUcontext context, uint32_t stream,
                                                  uint8_t *buffer, size_t size, size_t valid);
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc give,
                                           CUpti_BuffersCallbackCompleteFunc take);
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind);
CUptiResult cuptiActivityFlushAll(uint32_t flag);
CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record);
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped);
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock);
CUptiResult
cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *wanted,
                                           uint32_t count);
CUptiResult cuptiGetResultString(CUptiResult result, const char **text);
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id);
CUptiResult cuptiGetVersion(uint32_t *version);

/* ---- parameters of calls, as callbacks see them ---- */

typedef struct {
    const void *func;
    dim3 gridDim, blockDim;
    void **args;
    size_t sharedMem;
    cudaStream_t stream;
} cudaLaunchKernel_v7000_params;
#ifndef FAKE_HAS_LAUNCH_CONFIG
typedef struct {
    dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    cudaStream_t stream;
} fake_launch_config;
typedef struct {
    const fake_launch_config *config;
    const void *func;
    void **args;
} cudaLaunchKernelExC_v11060_params;
#endif
typedef struct {
    void *dst;
    const void *src;
    size_t count;
    enum cudaMemcpyKind kind;
} cudaMemcpy_v3020_params;
typedef struct {
    void *dst;
    const void *src;
    size_t count;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
} cudaMemcpyAsync_v3020_params;
typedef struct {
    void *dst;
    size_t dpitch;
    const void *src;
    size_t spitch, width, height;
    enum cudaMemcpyKind kind;
} cudaMemcpy2D_v3020_params;
typedef struct {
    void *dst;
    size_t dpitch;
    const void *src;
    size_t spitch, width, height;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
} cudaMemcpy2DAsync_v3020_params;
typedef struct {
    void *dst;
    int dstDevice;
    const void *src;
    int srcDevice;
    size_t count;
} cudaMemcpyPeer_v4000_params;
typedef struct {
    void *dst;
    int dstDevice;
    const void *src;
    int srcDevice;
    size_t count;
    cudaStream_t stream;
} cudaMemcpyPeerAsync_v4000_params;
typedef struct {
    const void *symbol, *src;
    size_t count, offset;
    enum cudaMemcpyKind kind;
} cudaMemcpyToSymbol_v3020_params;
typedef struct {
    const void *symbol, *src;
    size_t count, offset;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
} cudaMemcpyToSymbolAsync_v3020_params;
typedef struct { void *dst; const void *symbol; size_t count, offset; enum cudaMemcpyKind kind; }
    cudaMemcpyFromSymbol_v3020_params;
typedef struct {
    void *dst;
    const void *symbol;
    size_t count, offset;
    enum cudaMemcpyKind kind;
    cudaStream_t stream;
} cudaMemcpyFromSymbolAsync_v3020_params;
typedef struct { void *devPtr; int value; size_t count; } cudaMemset_v3020_params;
typedef struct {
    void *devPtr;
    int value;
    size_t count;
    cudaStream_t stream;
} cudaMemsetAsync_v3020_params;
typedef struct {
    void *devPtr;
    size_t pitch;
    int value;
    size_t width, height;
} cudaMemset2D_v3020_params;
typedef struct { void *devPtr; size_t pitch; int value; size_t width, height; cudaStream_t stream; }
    cudaMemset2DAsync_v3020_params;
typedef struct {
    const void *devPtr;
    size_t count;
    struct cudaMemLocation location;
    unsigned flags;
    cudaStream_t stream;
} cudaMemPrefetchAsync_v12020_params;
typedef struct {
    cudaStream_t stream;
    cudaHostFn_t fn;
    void *userData;
} cudaLaunchHostFunc_v10000_params;
typedef struct {
    cudaStream_t stream;
    cudaStreamCallback_t callback;
    void *userData;
    unsigned flags;
} cudaStreamAddCallback_v5000_params;
typedef struct { cudaStream_t *pStream; } cudaStreamCreate_v3020_params;
typedef struct { cudaStream_t *pStream; unsigned flags; } cudaStreamCreateWithFlags_v5000_params;
typedef struct {
    cudaStream_t *pStream;
    unsigned flags;
    int priority;
} cudaStreamCreateWithPriority_v5050_params;
typedef struct {
    cudaStream_t stream;
} cudaStreamSynchronize_v3020_params, cudaStreamDestroy_v5050_params;
typedef struct {
    cudaStream_t stream;
    cudaEvent_t event;
    unsigned flags;
} cudaStreamWaitEvent_v3020_params;
typedef struct { cudaEvent_t *event; } cudaEventCreate_v3020_params;
typedef struct { cudaEvent_t *event; unsigned flags; } cudaEventCreateWithFlags_v3020_params;
typedef struct {
    cudaEvent_t event;
} cudaEventSynchronize_v3020_params, cudaEventDestroy_v3020_params;
typedef struct { cudaEvent_t event; cudaStream_t stream; } cudaEventRecord_v3020_params;
typedef struct {
    cudaEvent_t *event;
    cudaIpcEventHandle_t handle;
} cudaIpcOpenEventHandle_v4010_params;
typedef struct {
    void **devPtr;
    cudaIpcMemHandle_t handle;
    unsigned flags;
} cudaIpcOpenMemHandle_v4010_params;
typedef struct { cudaIpcMemHandle_t *handle; void *devPtr; } cudaIpcGetMemHandle_v4010_params;
typedef struct { void *devPtr; } cudaIpcCloseMemHandle_v4010_params;
typedef struct { void **devPtr; size_t size; } cudaMalloc_v3020_params;
typedef struct { void **devPtr; size_t *pitch, width, height; } cudaMallocPitch_v3020_params;
typedef struct { void **ptr; size_t size; } cudaMallocHost_v3020_params;
typedef struct { void **pHost; size_t size; unsigned flags; } cudaHostAlloc_v3020_params;
typedef struct { void **devPtr; size_t size; unsigned flags; } cudaMallocManaged_v6000_params;
typedef struct { void **devPtr; size_t size; cudaStream_t hStream; } cudaMallocAsync_v11020_params;
typedef struct {
    void **ptr;
    size_t size;
    cudaMemPool_t memPool;
    cudaStream_t stream;
} cudaMallocFromPoolAsync_v11020_params;
typedef struct {
    cudaMemPool_t *memPool;
    const struct cudaMemPoolProps *poolProps;
} cudaMemPoolCreate_v11020_params;
typedef struct { cudaMemPool_t memPool; } cudaMemPoolDestroy_v11020_params;
typedef struct { void *devPtr; } cudaFree_v3020_params;
typedef struct { void *ptr; } cudaFreeHost_v3020_params, cudaHostUnregister_v4000_params;
typedef struct { void *devPtr; cudaStream_t hStream; } cudaFreeAsync_v11020_params;
typedef struct { void *ptr; size_t size; unsigned flags; } cudaHostRegister_v4000_params;
typedef struct { cudaStream_t stream; cudaGraph_t *pGraph; } cudaStreamEndCapture_v10000_params;
typedef struct { cudaGraph_t *pGraph; unsigned flags; } cudaGraphCreate_v10000_params;
typedef struct {
    cudaGraph_t *pGraphClone;
    cudaGraph_t originalGraph;
} cudaGraphClone_v10000_params;
typedef struct { cudaGraph_t graph; } cudaGraphDestroy_v10000_params;
typedef struct { cudaGraphExec_t *pGraphExec; cudaGraph_t graph; unsigned long long flags; }
    cudaGraphInstantiateWithFlags_v11040_params;
typedef struct { cudaGraphExec_t graphExec; } cudaGraphExecDestroy_v10000_params;
typedef struct {
    cudaGraphExec_t hGraphExec;
    cudaGraph_t hGraph;
    cudaGraphExecUpdateResultInfo *resultInfo;
} cudaGraphExecUpdate_v10020_params;
typedef struct { cudaGraphExec_t graphExec; cudaStream_t stream; } cudaGraphLaunch_v10000_params;

typedef struct { CUstream hStream; CUhostFn fn; void *userData; } cuLaunchHostFunc_params;
typedef struct {
    CUstream hStream;
    CUstreamCallback callback;
    void *userData;
    unsigned flags;
} cuStreamAddCallback_params;
typedef struct {
    CUgraphNode *phGraphNode;
    CUgraph hGraph;
    const CUgraphNode *dependencies;
    size_t numDependencies;
    const CUDA_HOST_NODE_PARAMS *nodeParams;
} cuGraphAddHostNode_params;

#endif
