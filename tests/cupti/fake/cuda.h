/* SPDX-License-Identifier: MIT */
/*
 * Of the driver's and CUPTI's declarations as many as the recorder uses, written
 * for machines without a toolkit: it is compiled with them, and meets a driver
 * and a CUPTI that a test has made (fake.c). Names and values are those of CUDA
 * 13; structures have the fields that are used.
 */
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stddef.h>

#include <cuda_runtime_api.h>

#define CUDA_CB
typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_VALUE = 1,
               CUDA_ERROR_LAUNCH_FAILED = 719 } CUresult;
typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUfunc_st *CUfunction;
typedef void (*CUhostFn)(void *data);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *data);

typedef enum {
    CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2, CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
    CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9, CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12
} CUpointer_attribute;
typedef enum {
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89
} CUdevice_attribute;
typedef enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 } CUmemorytype;
typedef enum { CU_STREAM_CAPTURE_STATUS_NONE,
               CU_STREAM_CAPTURE_STATUS_ACTIVE } CUstreamCaptureStatus;
enum { CU_STREAM_NON_BLOCKING = 1 };
typedef enum {
    CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY, CU_GRAPH_NODE_TYPE_MEMSET,
    CU_GRAPH_NODE_TYPE_HOST,
    CU_GRAPH_NODE_TYPE_GRAPH, CU_GRAPH_NODE_TYPE_EMPTY
} CUgraphNodeType;

typedef struct {
    CUfunction func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
} CUDA_KERNEL_NODE_PARAMS_v1;
typedef struct {
    CUmemorytype srcMemoryType, dstMemoryType;
    const void *srcHost;
    CUdeviceptr srcDevice;
    void *dstHost;
    CUdeviceptr dstDevice;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;
typedef struct {
    CUdeviceptr dst;
    unsigned elementSize;
    size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;
typedef struct { CUhostFn fn; void *userData; } CUDA_HOST_NODE_PARAMS;

#ifndef CUDART_VERSION
#error "cuda_runtime_api.h says no version"
#endif
#endif
