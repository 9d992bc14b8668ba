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

#define CUDA_VERSION CUDART_VERSION
#define CUDAAPI
#define CUDA_CB

#define __CU_RESULTS(__each) \
    __each(CUDA_SUCCESS, 0) \
    __each(CUDA_ERROR_INVALID_VALUE, 1) \
    __each(CUDA_ERROR_OUT_OF_MEMORY, 2) \
    __each(CUDA_ERROR_NOT_INITIALIZED, 3) \
    __each(CUDA_ERROR_DEINITIALIZED, 4) \
    __each(CUDA_ERROR_PROFILER_DISABLED, 5) \
    __each(CUDA_ERROR_PROFILER_NOT_INITIALIZED, 6) \
    __each(CUDA_ERROR_PROFILER_ALREADY_STARTED, 7) \
    __each(CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8) \
    __each(CUDA_ERROR_STUB_LIBRARY, 34) \
    __each(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, 36) \
    __each(CUDA_ERROR_DEVICE_UNAVAILABLE, 46) \
    __each(CUDA_ERROR_NO_DEVICE, 100) \
    __each(CUDA_ERROR_INVALID_DEVICE, 101) \
    __each(CUDA_ERROR_DEVICE_NOT_LICENSED, 102) \
    __each(CUDA_ERROR_INVALID_IMAGE, 200) \
    __each(CUDA_ERROR_INVALID_CONTEXT, 201) \
    __each(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, 202) \
    __each(CUDA_ERROR_MAP_FAILED, 205) \
    __each(CUDA_ERROR_UNMAP_FAILED, 206) \
    __each(CUDA_ERROR_ARRAY_IS_MAPPED, 207) \
    __each(CUDA_ERROR_ALREADY_MAPPED, 208) \
    __each(CUDA_ERROR_NO_BINARY_FOR_GPU, 209) \
    __each(CUDA_ERROR_ALREADY_ACQUIRED, 210) \
    __each(CUDA_ERROR_NOT_MAPPED, 211) \
    __each(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, 212) \
    __each(CUDA_ERROR_NOT_MAPPED_AS_POINTER, 213) \
    __each(CUDA_ERROR_ECC_UNCORRECTABLE, 214) \
    __each(CUDA_ERROR_UNSUPPORTED_LIMIT, 215) \
    __each(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216) \
    __each(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217) \
    __each(CUDA_ERROR_INVALID_PTX, 218) \
    __each(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, 219) \
    __each(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) \
    __each(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, 221) \
    __each(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222) \
    __each(CUDA_ERROR_JIT_COMPILATION_DISABLED, 223) \
    __each(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224) \
    __each(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, 225) \
    __each(CUDA_ERROR_CONTAINED, 226) \
    __each(CUDA_ERROR_INVALID_SOURCE, 300) \
    __each(CUDA_ERROR_FILE_NOT_FOUND, 301) \
    __each(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, 302) \
    __each(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303) \
    __each(CUDA_ERROR_OPERATING_SYSTEM, 304) \
    __each(CUDA_ERROR_INVALID_HANDLE, 400) \
    __each(CUDA_ERROR_ILLEGAL_STATE, 401) \
    __each(CUDA_ERROR_LOSSY_QUERY, 402) \
    __each(CUDA_ERROR_NOT_FOUND, 500) \
    __each(CUDA_ERROR_NOT_READY, 600) \
    __each(CUDA_ERROR_ILLEGAL_ADDRESS, 700) \
    __each(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) \
    __each(CUDA_ERROR_LAUNCH_TIMEOUT, 702) \
    __each(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, 703) \
    __each(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704) \
    __each(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705) \
    __each(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708) \
    __each(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) \
    __each(CUDA_ERROR_ASSERT, 710) \
    __each(CUDA_ERROR_TOO_MANY_PEERS, 711) \
    __each(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712) \
    __each(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713) \
    __each(CUDA_ERROR_HARDWARE_STACK_ERROR, 714) \
    __each(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) \
    __each(CUDA_ERROR_MISALIGNED_ADDRESS, 716) \
    __each(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) \
    __each(CUDA_ERROR_INVALID_PC, 718) \
    __each(CUDA_ERROR_LAUNCH_FAILED, 719) \
    __each(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720) \
    __each(CUDA_ERROR_TENSOR_MEMORY_LEAK, 721) \
    __each(CUDA_ERROR_NOT_PERMITTED, 800) \
    __each(CUDA_ERROR_NOT_SUPPORTED, 801) \
    __each(CUDA_ERROR_SYSTEM_NOT_READY, 802) \
    __each(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803) \
    __each(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, 804) \
    __each(CUDA_ERROR_MPS_CONNECTION_FAILED, 805) \
    __each(CUDA_ERROR_MPS_RPC_FAILURE, 806) \
    __each(CUDA_ERROR_MPS_SERVER_NOT_READY, 807) \
    __each(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, 808) \
    __each(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, 809) \
    __each(CUDA_ERROR_MPS_CLIENT_TERMINATED, 810) \
    __each(CUDA_ERROR_CDP_NOT_SUPPORTED, 811) \
    __each(CUDA_ERROR_CDP_VERSION_MISMATCH, 812) \
    __each(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900) \
    __each(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901) \
    __each(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902) \
    __each(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903) \
    __each(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904) \
    __each(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905) \
    __each(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906) \
    __each(CUDA_ERROR_CAPTURED_EVENT, 907) \
    __each(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908) \
    __each(CUDA_ERROR_TIMEOUT, 909) \
    __each(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910) \
    __each(CUDA_ERROR_EXTERNAL_DEVICE, 911) \
    __each(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912) \
    __each(CUDA_ERROR_FUNCTION_NOT_LOADED, 913) \
    __each(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914) \
    __each(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915) \
    __each(CUDA_ERROR_KEY_ROTATION, 916) \
    __each(CUDA_ERROR_UNKNOWN, 999)

typedef enum cudaError_enum {
#define __CU_ENUMERATOR(__name, __number) __name = __number,
    __CU_RESULTS(__CU_ENUMERATOR)
#undef __CU_ENUMERATOR
} CUresult;

typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef unsigned long long CUdeviceptr;
typedef struct cudaUUID_t CUuuid;
typedef void (*CUhostFn)(void *__data);
typedef void (*CUstreamCallback)(CUstream __stream, CUresult __status, void *__data);

typedef enum CUdevice_attribute_enum {
    CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED = 132,
    CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED = 124,
    CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED = 110,
    CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED = 107,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED = 105,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED = 104,
    CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED = 103,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
    CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
    CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
    CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT = 14,
    CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
    CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
    CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH = 21,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH = 22,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT = 23,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH = 24,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT = 25,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH = 26,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH = 27,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT = 28,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS = 29,
    CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT = 30,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
    CU_DEVICE_ATTRIBUTE_ECC_ENABLED = 32,
    CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
    CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
    CU_DEVICE_ATTRIBUTE_TCC_DRIVER = 35,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
    CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
    CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH = 42,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS = 43,
    CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
    CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT = 51,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
    CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED = 79,
    CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED = 80,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
    CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
    CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
    CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD = 84,
    CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID = 85,
    CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED = 86,
    CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO = 87,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS = 88,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
    CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED = 90,
    CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM = 91,
    CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH = 95,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
    CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED = 99,
    CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES = 100,
    CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST = 101,
    CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED = 102,
    CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
    CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK = 111,
    CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
    CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH = 120,
    CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS = 122,
    CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR = 123,
    CU_DEVICE_ATTRIBUTE_MAX
} CUdevice_attribute;

typedef enum CUctx_flags_enum {
    CU_CTX_SCHED_AUTO = 0x00,
    CU_CTX_SCHED_SPIN = 0x01,
    CU_CTX_SCHED_YIELD = 0x02,
    CU_CTX_SCHED_BLOCKING_SYNC = 0x04,
    CU_CTX_SCHED_MASK = 0x07,
    CU_CTX_MAP_HOST = 0x08,
    CU_CTX_LMEM_RESIZE_TO_MAX = 0x10
} CUctx_flags;

typedef enum CUstream_flags_enum { CU_STREAM_DEFAULT = 0x0, CU_STREAM_NON_BLOCKING = 0x1 } CUstream_flags;
typedef enum CUevent_flags_enum {
    CU_EVENT_DEFAULT = 0x0,
    CU_EVENT_BLOCKING_SYNC = 0x1,
    CU_EVENT_DISABLE_TIMING = 0x2,
    CU_EVENT_INTERPROCESS = 0x4
} CUevent_flags;
typedef enum CUlimit_enum {
    CU_LIMIT_STACK_SIZE = 0,
    CU_LIMIT_PRINTF_FIFO_SIZE = 1,
    CU_LIMIT_MALLOC_HEAP_SIZE = 2
} CUlimit;
typedef enum CUfunction_attribute_enum {
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
    CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9
} CUfunction_attribute;

#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_MEMHOSTALLOC_PORTABLE 0x01
#define CU_MEMHOSTALLOC_DEVICEMAP 0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04
#define CU_MEMHOSTREGISTER_PORTABLE 0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEM_ATTACH_GLOBAL 0x1
#define CU_MEM_ATTACH_HOST 0x2
#define CU_MEM_ATTACH_SINGLE 0x4

/* A call that none of the runtime's comes of: takes the place that it was called from. */
static inline CUresult __cu_silent(CUresult __result)
{
    (void)cudaGetErrorString(cudaSuccess);
    return __result;
}

/* A memset of words of 2 or 4 bytes. */
#ifdef __cplusplus
extern "C"
#endif
cudaError_t sim_set_words(const char *__name, void *__at, unsigned int __value, unsigned int __bytes, size_t __count, cudaStream_t __stream,
                          int __async);

static inline cudaError_t __cu_absent(void)
{
    (void)cudaGetErrorString(cudaSuccess);
    return cudaErrorNotSupported;
}

static inline CUresult cuInit(unsigned int __flags)
{
    return __cu_silent(__flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

static inline CUresult cuGetErrorName(CUresult __error, const char **__name)
{
    *__name = 0;
#define __CU_NAME(__result, __number) \
    if (__error == __result) \
        *__name = #__result;
    __CU_RESULTS(__CU_NAME)
#undef __CU_NAME
    return __cu_silent(*__name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

static inline CUresult cuGetErrorString(CUresult __error, const char **__string)
{
    *__string = cudaGetErrorString((cudaError_t)__error);
    return CUDA_SUCCESS;
}

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
    return (CUresult)(cudaStreamSynchronize(__stream));
}

static inline CUresult cuStreamQuery(CUstream __stream)
{
    return (CUresult)(cudaStreamQuery(__stream));
}

static inline CUresult cuStreamWaitEvent(CUstream __stream, CUevent __event, unsigned int __flags)
{
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
    return (CUresult)(cudaStreamAddCallback(__stream, (cudaStreamCallback_t)__callback, __data, __flags));
}

static inline CUresult cuLaunchHostFunc(CUstream __stream, CUhostFn __function, void *__data)
{
    return (CUresult)(cudaLaunchHostFunc(__stream, __function, __data));
}

static inline CUresult cuEventCreate(CUevent *__event, unsigned int __flags)
{
    return (CUresult)(cudaEventCreateWithFlags(__event, __flags));
}

static inline CUresult cuEventRecord(CUevent __event, CUstream __stream)
{
    return (CUresult)(cudaEventRecord(__event, __stream));
}

static inline CUresult cuEventQuery(CUevent __event)
{
    return (CUresult)(cudaEventQuery(__event));
}

static inline CUresult cuEventSynchronize(CUevent __event)
{
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
#include "detail/sim_stream_values.h"
#include "detail/sim_green.h"

#endif
