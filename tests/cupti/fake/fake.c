/* SPDX-License-Identifier: MIT */
/* A driver and a CUPTI in one, for recorder.sh: they do nothing, and what the recorder asks of them
 * program.c says. */
#include "fake.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake fake;

/* ---- CUPTI ---- */

static struct {
    CUpti_CallbackFunc callback;
    CUpti_BuffersCallbackRequestFunc give;
    CUpti_BuffersCallbackCompleteFunc take;
} cupti;

void fake_call(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    cupti.callback(NULL, domain, id, data);
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                           void *user)
{
    (void)subscriber, (void)user;
    cupti.callback = callback;
    return getenv("FAKE_TAKEN") ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle s,
                              CUpti_CallbackDomain domain)
{
    (void)enable, (void)s, (void)domain;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle s,
                                CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    (void)enable, (void)s, (void)domain, (void)id;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc give,
                                           CUpti_BuffersCallbackCompleteFunc take)
{
    cupti.give = give;
    cupti.take = take;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    fake.enabled |= 1ull << kind;
    return CUPTI_SUCCESS;
}

/* The records lie one after the other in the buffer, each as large as the largest. */
CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    fake.flushes++;
    if (fake.flush_us > 0)
        usleep(fake.flush_us);
    if (fake.record_count == 0)
        return CUPTI_SUCCESS;
    uint8_t *buffer;
    size_t size, most, bytes = fake.record_count * sizeof *fake.records;
    cupti.give(&buffer, &size, &most);
    memcpy(buffer, fake.records, bytes);
    fake.record_count = 0;
    cupti.take(NULL, 0, buffer, size, bytes);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = *record ? (uint8_t *)*record + sizeof *fake.records : buffer;
    if (next + sizeof *fake.records > buffer + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)next;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context, (void)stream;
    *dropped = fake.dropped;
    fake.dropped = 0;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock)
{
    fake.clock = clock;
    return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *wanted,
                                           uint32_t count)
{
    (void)wanted, (void)count;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                : "CUPTI_ERROR";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t *id)
{
    *id = UINT64_C(1) << 32 | (uintptr_t)node;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetVersion(uint32_t *version)
{
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

/* ---- the driver ---- */

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr at)
{
    uint32_t kind = fake.memory_kind ? fake.memory_kind(at) : 0;
    if (kind == 0)
        return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_POINTER_ATTRIBUTE_MEMORY_TYPE)
        *(CUmemorytype *)value = kind == 1 ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    else if (attribute == CU_POINTER_ATTRIBUTE_IS_MANAGED)
        *(unsigned *)value = kind == 3;
    else
        *(int *)value = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) { *device = 0; return CUDA_SUCCESS; }
CUresult cuDeviceGetCount(int *count) { *count = 1; return CUDA_SUCCESS; }
CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    (void)device;
    strncpy(name, "Fake GPU", (size_t)size);
    return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    (void)device;
    *bytes = 1 << 30;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
    (void)device;
    *value = attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR ? 9 : 2;
    return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *version) { *version = 13000; return CUDA_SUCCESS; }
CUresult cuCtxPushCurrent_v2(CUcontext context) { (void)context; return CUDA_SUCCESS; }
CUresult cuCtxPopCurrent_v2(CUcontext *context) { *context = NULL; return CUDA_SUCCESS; }
CUresult cuCtxSynchronize(void) { return fake.lost ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS; }
CUresult cuMemsetD8Async(CUdeviceptr at, unsigned char value, size_t bytes, CUstream stream)
{
    (void)stream;
    memset((void *)(uintptr_t)at, value, bytes);
    return CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    (void)flags;
    *stream = (CUstream)&fake;
    return CUDA_SUCCESS;
}
CUresult cuStreamDestroy_v2(CUstream stream) { (void)stream; return CUDA_SUCCESS; }
CUresult cuStreamSynchronize(CUstream stream) { (void)stream; return CUDA_SUCCESS; }
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    *status =
        stream == fake.capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
}

/* A graph of three: number 2 waits for 1, and 1 for 3. Its kernel is 3, its memset 1, its
 * function 2. FAKE_OUTER has kernel 4, that graph as 5, and kernel 6, one after the other. */
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    uintptr_t first = graph == FAKE_OUTER ? 4 : 1;
    for (uintptr_t i = 0; nodes && i < 3; i++)
        nodes[i] = (CUgraphNode)(first + i);
    *count = 3;
    return CUDA_SUCCESS;
}
CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
    static const uintptr_t inner[] = { 1, 2, 3, 1 }, outer[] = { 4, 5, 5, 6 };
    const uintptr_t *ends = graph == FAKE_OUTER ? outer : inner;
    for (size_t i = 0; from && i < 2; i++) {
        from[i] = (CUgraphNode)ends[2 * i];
        to[i] = (CUgraphNode)ends[2 * i + 1];
    }
    *count = 2;
    return CUDA_SUCCESS;
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    static const CUgraphNodeType types[] = { CU_GRAPH_NODE_TYPE_MEMSET, CU_GRAPH_NODE_TYPE_HOST,
                                             CU_GRAPH_NODE_TYPE_KERNEL,
                                             CU_GRAPH_NODE_TYPE_KERNEL,
                                             CU_GRAPH_NODE_TYPE_GRAPH,
                                             CU_GRAPH_NODE_TYPE_KERNEL };
    *type = types[(uintptr_t)node - 1];
    return CUDA_SUCCESS;
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *params)
{
    (void)node;
    *params = (CUDA_KERNEL_NODE_PARAMS_v1){ (CUfunction)&fake, 4, 1, 1, 128, 1, 1, 0 };
    return CUDA_SUCCESS;
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *params)
{
    (void)node, (void)params;
    return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params)
{
    (void)node;
    *params = (CUDA_MEMSET_NODE_PARAMS){ 0x1000, 4, fake.set_width ? fake.set_width : 100, 1 };
    return CUDA_SUCCESS;
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *params)
{
    (void)node;
    *params = fake.host_node;
    return CUDA_SUCCESS;
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *graph)
{
    (void)node;
    *graph = (CUgraph)0x8000;
    return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char **name, CUfunction function)
{
    (void)function;
    *name = "in_graph";
    return CUDA_SUCCESS;
}
