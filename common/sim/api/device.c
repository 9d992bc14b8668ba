/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "sim/api/api_call.h"
#include "sim/api/device_settings.h"
#include "sim/api/event.h"
#include "sim/api/stream.h"
#include "sim/graph/graph_memory.h"
#include "sim/host/note.h"
#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "sim/memory/managed_range.h"
#include "sim/memory/peer.h"
#include "sim/memory/pool.h"
#include "sim/memory/residency.h"
#include "sim/texture/sizes.h"

/* How many times as many float additions as double ones: guide, "Arithmetic Instructions", the
 * table of results per clock and SM, that of 3.5 and 2.0 for Teslas. 0: not known. */
static int double_ratio(const struct card *card)
{
    static const struct {
        int from, ratio;
    } rows[] = { { 13, 8 }, { 20, 2 },  { 21, 12 }, { 30, 24 }, { 35, 3 }, { 50, 32 },
                 { 60, 2 }, { 61, 32 }, { 70, 2 },  { 75, 32 }, { 80, 2 }, { 86, 64 },
                 { 90, 2 }, { 100, 2 }, { 101, 0 }, { 120, 64 } };
    int capability = (int)(card->major * 10 + card->minor), ratio = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].from <= capability)
            ratio = rows[i].ratio;
    return ratio;
}

/* What an H200 says of itself besides, and what can be done here (facts/h200-edges.txt). */
static void fill_hopper(struct cudaDeviceProp *p)
{
    p->ECCEnabled = p->clusterLaunch = p->unifiedFunctionPointers = 1;
    p->hostRegisterReadOnlySupported = p->gpuDirectRDMASupported = 1;
    p->gpuDirectRDMAFlushWritesOptions = cudaFlushGPUDirectRDMAWritesOptionHost;
    p->gpuDirectRDMAWritesOrdering = cudaGPUDirectRDMAWritesOrderingOwner;
    p->hostNumaId = 0;
}

/* Architecture limits that hold for all cards with compute capability 2.0 and
 * later (guide, "Compute Capabilities"); the C1060 is older. */
static void fill(struct cudaDeviceProp *p, const struct card *card, int device)
{
    bool old = card->major < 2;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", card->title);
    p->totalGlobalMem = (size_t)card->memory_mib << 20;
    p->sharedMemPerBlock = (size_t)card->shared_per_block;
    p->sharedMemPerMultiprocessor = (size_t)card->shared_per_sm;
    p->warpSize = 32;
    p->maxThreadsPerBlock = (int)card->threads_per_block;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = (int)card->threads_per_block;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = card->major < 3 ? 65535 : 2147483647;
    p->maxGridSize[1] = 65535;
    p->maxGridSize[2] = old ? 1 : 65535;
    p->totalConstMem = 65536;
    p->major = (int)card->major;
    p->minor = (int)card->minor;
    p->multiProcessorCount = (int)card->sms;
    p->maxThreadsPerMultiProcessor = (int)card->threads_per_sm;
    p->maxBlocksPerMultiProcessor = (int)card->blocks_per_sm;
    p->memoryBusWidth = (int)card->memory_bus;
    p->l2CacheSize = (int)card->l2_kib * 1024;
    p->persistingL2CacheMaxSize = (int)card->l2_persisting * 1024;
    p->accessPolicyMaxWindowSize = (int)card->l2_window * 1024;
    p->concurrentKernels = card->concurrent_grids > 1;
    p->asyncEngineCount = (int)card->copy_engines;
    p->deviceOverlap = card->copy_engines > 0;
    p->canMapHostMemory = 1;
    p->unifiedAddressing = !old;
    p->streamPrioritiesSupported = card->priority_least != card->priority_greatest;
    p->managedMemory = card->managed != 0;
    p->concurrentManagedAccess = card->concurrent_managed != 0;
    p->hostRegisterSupported = 1;
    p->ipcEventSupported = !old;
    p->regsPerBlock = p->regsPerMultiprocessor = card->major >= 3   ? 65536
                                                 : card->major == 2 ? 32768
                                                                    : 16384;
    p->sharedMemPerBlockOptin = (size_t)card_most_shared(card);
    p->reservedSharedMemPerBlock = card->major >= 8 ? CARD_RESERVED_SHARED : 0;
    p->canUseHostPointerForRegisteredMem = p->computePreemptionSupported = card->major >= 6;
    p->memoryPoolsSupported = p->cooperativeLaunch = card->major >= 6;
    p->memoryPoolSupportedHandleTypes =
        p->memoryPoolsSupported ? cudaMemHandleTypePosixFileDescriptor : cudaMemHandleTypeNone;
    p->pciBusID = device;
    p->uuid.bytes[15] = (char)device;
    p->deviceNumaId = p->hostNumaId = -1;
    p->clockRate = (int)card->clock_mhz * 1000;
    p->memoryClockRate = (int)card->memory_mhz * 1000;
    p->textureAlignment = p->surfaceAlignment = 512;    /* measured on an H100, with the next two */
    p->texturePitchAlignment = 32;
    p->memPitch = INT_MAX;
    p->localL1CacheSupported = !old;
    p->globalL1CacheSupported = card->major == 2 || card->major >= 7;
    p->singleToDoublePrecisionPerfRatio = double_ratio(card);
    texture_sizes(p);
    if (card->major >= 9)
        fill_hopper(p);
}

static const struct { enum cudaDeviceAttr attribute; size_t offset; bool wide; } attributes[] = {
#define INT(attribute, field) { attribute, offsetof(struct cudaDeviceProp, field), false }
#define SIZE(attribute, field) { attribute, offsetof(struct cudaDeviceProp, field), true }
    INT(cudaDevAttrMaxThreadsPerBlock, maxThreadsPerBlock),
    INT(cudaDevAttrMaxBlockDimX, maxThreadsDim[0]),
    INT(cudaDevAttrMaxBlockDimY, maxThreadsDim[1]),
    INT(cudaDevAttrMaxBlockDimZ, maxThreadsDim[2]),
    INT(cudaDevAttrMaxGridDimX, maxGridSize[0]),
    INT(cudaDevAttrMaxGridDimY, maxGridSize[1]),
    INT(cudaDevAttrMaxGridDimZ, maxGridSize[2]),
    SIZE(cudaDevAttrMaxSharedMemoryPerBlock, sharedMemPerBlock),
    SIZE(cudaDevAttrTotalConstantMemory, totalConstMem),
    INT(cudaDevAttrWarpSize, warpSize),
    INT(cudaDevAttrMaxRegistersPerBlock, regsPerBlock),
    INT(cudaDevAttrClockRate, clockRate),
    INT(cudaDevAttrGpuOverlap, deviceOverlap),
    INT(cudaDevAttrMultiProcessorCount, multiProcessorCount),
    INT(cudaDevAttrKernelExecTimeout, kernelExecTimeoutEnabled),
    INT(cudaDevAttrIntegrated, integrated),
    INT(cudaDevAttrCanMapHostMemory, canMapHostMemory),
    INT(cudaDevAttrComputeMode, computeMode),
    INT(cudaDevAttrConcurrentKernels, concurrentKernels),
    INT(cudaDevAttrMaxThreadsPerMultiProcessor, maxThreadsPerMultiProcessor),
    INT(cudaDevAttrAsyncEngineCount, asyncEngineCount),
    INT(cudaDevAttrUnifiedAddressing, unifiedAddressing),
    INT(cudaDevAttrComputeCapabilityMajor, major),
    INT(cudaDevAttrComputeCapabilityMinor, minor),
    INT(cudaDevAttrStreamPrioritiesSupported, streamPrioritiesSupported),
    SIZE(cudaDevAttrMaxSharedMemoryPerMultiprocessor, sharedMemPerMultiprocessor),
    INT(cudaDevAttrEccEnabled, ECCEnabled),
    INT(cudaDevAttrPciBusId, pciBusID),
    INT(cudaDevAttrPciDeviceId, pciDeviceID),
    INT(cudaDevAttrMemoryClockRate, memoryClockRate),
    INT(cudaDevAttrGlobalMemoryBusWidth, memoryBusWidth),
    INT(cudaDevAttrL2CacheSize, l2CacheSize),
    INT(cudaDevAttrMaxRegistersPerMultiprocessor, regsPerMultiprocessor),
    INT(cudaDevAttrComputePreemptionSupported, computePreemptionSupported),
    INT(cudaDevAttrCanUseHostPointerForRegisteredMem, canUseHostPointerForRegisteredMem),
    INT(cudaDevAttrCooperativeLaunch, cooperativeLaunch),
    SIZE(cudaDevAttrMaxSharedMemoryPerBlockOptin, sharedMemPerBlockOptin),
    INT(cudaDevAttrHostRegisterSupported, hostRegisterSupported),
    INT(cudaDevAttrPageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables),
    INT(cudaDevAttrDirectManagedMemAccessFromHost, directManagedMemAccessFromHost),
    SIZE(cudaDevAttrReservedSharedMemoryPerBlock, reservedSharedMemPerBlock),
    INT(cudaDevAttrMemoryPoolsSupported, memoryPoolsSupported),
    INT(cudaDevAttrManagedMemory, managedMemory),
    INT(cudaDevAttrPageableMemoryAccess, pageableMemoryAccess),
    INT(cudaDevAttrConcurrentManagedAccess, concurrentManagedAccess),
    INT(cudaDevAttrMaxBlocksPerMultiprocessor, maxBlocksPerMultiProcessor),
    SIZE(cudaDevAttrMaxPitch, memPitch),
    SIZE(cudaDevAttrTextureAlignment, textureAlignment),
    INT(cudaDevAttrMaxTexture1DWidth, maxTexture1D),
    INT(cudaDevAttrMaxTexture2DWidth, maxTexture2D[0]),
    INT(cudaDevAttrMaxTexture2DHeight, maxTexture2D[1]),
    INT(cudaDevAttrMaxTexture3DWidth, maxTexture3D[0]),
    INT(cudaDevAttrMaxTexture3DHeight, maxTexture3D[1]),
    INT(cudaDevAttrMaxTexture3DDepth, maxTexture3D[2]),
    INT(cudaDevAttrMaxTexture2DLayeredWidth, maxTexture2DLayered[0]),
    INT(cudaDevAttrMaxTexture2DLayeredHeight, maxTexture2DLayered[1]),
    INT(cudaDevAttrMaxTexture2DLayeredLayers, maxTexture2DLayered[2]),
    SIZE(cudaDevAttrSurfaceAlignment, surfaceAlignment),
    INT(cudaDevAttrTccDriver, tccDriver),
    INT(cudaDevAttrMaxTexture1DLayeredWidth, maxTexture1DLayered[0]),
    INT(cudaDevAttrMaxTexture1DLayeredLayers, maxTexture1DLayered[1]),
    INT(cudaDevAttrMaxTexture2DGatherWidth, maxTexture2DGather[0]),
    INT(cudaDevAttrMaxTexture2DGatherHeight, maxTexture2DGather[1]),
    INT(cudaDevAttrMaxTexture3DWidthAlt, maxTexture3DAlt[0]),
    INT(cudaDevAttrMaxTexture3DHeightAlt, maxTexture3DAlt[1]),
    INT(cudaDevAttrMaxTexture3DDepthAlt, maxTexture3DAlt[2]),
    INT(cudaDevAttrPciDomainId, pciDomainID),
    SIZE(cudaDevAttrTexturePitchAlignment, texturePitchAlignment),
    INT(cudaDevAttrMaxTextureCubemapWidth, maxTextureCubemap),
    INT(cudaDevAttrMaxTextureCubemapLayeredWidth, maxTextureCubemapLayered[0]),
    INT(cudaDevAttrMaxTextureCubemapLayeredLayers, maxTextureCubemapLayered[1]),
    INT(cudaDevAttrMaxSurface1DWidth, maxSurface1D),
    INT(cudaDevAttrMaxSurface2DWidth, maxSurface2D[0]),
    INT(cudaDevAttrMaxSurface2DHeight, maxSurface2D[1]),
    INT(cudaDevAttrMaxSurface3DWidth, maxSurface3D[0]),
    INT(cudaDevAttrMaxSurface3DHeight, maxSurface3D[1]),
    INT(cudaDevAttrMaxSurface3DDepth, maxSurface3D[2]),
    INT(cudaDevAttrMaxSurface1DLayeredWidth, maxSurface1DLayered[0]),
    INT(cudaDevAttrMaxSurface1DLayeredLayers, maxSurface1DLayered[1]),
    INT(cudaDevAttrMaxSurface2DLayeredWidth, maxSurface2DLayered[0]),
    INT(cudaDevAttrMaxSurface2DLayeredHeight, maxSurface2DLayered[1]),
    INT(cudaDevAttrMaxSurface2DLayeredLayers, maxSurface2DLayered[2]),
    INT(cudaDevAttrMaxSurfaceCubemapWidth, maxSurfaceCubemap),
    INT(cudaDevAttrMaxSurfaceCubemapLayeredWidth, maxSurfaceCubemapLayered[0]),
    INT(cudaDevAttrMaxSurfaceCubemapLayeredLayers, maxSurfaceCubemapLayered[1]),
    INT(cudaDevAttrMaxTexture1DLinearWidth, maxTexture1DLinear),
    INT(cudaDevAttrMaxTexture2DLinearWidth, maxTexture2DLinear[0]),
    INT(cudaDevAttrMaxTexture2DLinearHeight, maxTexture2DLinear[1]),
    INT(cudaDevAttrMaxTexture2DLinearPitch, maxTexture2DLinear[2]),
    INT(cudaDevAttrMaxTexture2DMipmappedWidth, maxTexture2DMipmap[0]),
    INT(cudaDevAttrMaxTexture2DMipmappedHeight, maxTexture2DMipmap[1]),
    INT(cudaDevAttrMaxTexture1DMipmappedWidth, maxTexture1DMipmap),
    INT(cudaDevAttrGlobalL1CacheSupported, globalL1CacheSupported),
    INT(cudaDevAttrLocalL1CacheSupported, localL1CacheSupported),
    INT(cudaDevAttrIsMultiGpuBoard, isMultiGpuBoard),
    INT(cudaDevAttrMultiGpuBoardGroupID, multiGpuBoardGroupID),
    INT(cudaDevAttrHostNativeAtomicSupported, hostNativeAtomicSupported),
    INT(cudaDevAttrSingleToDoublePrecisionPerfRatio, singleToDoublePrecisionPerfRatio),
    INT(cudaDevAttrCooperativeMultiDeviceLaunch, cooperativeMultiDeviceLaunch),
    INT(cudaDevAttrMaxPersistingL2CacheSize, persistingL2CacheMaxSize),
    INT(cudaDevAttrMaxAccessPolicyWindowSize, accessPolicyMaxWindowSize),
    INT(cudaDevAttrSparseCudaArraySupported, sparseCudaArraySupported),
    INT(cudaDevAttrHostRegisterReadOnlySupported, hostRegisterReadOnlySupported),
    INT(cudaDevAttrTimelineSemaphoreInteropSupported, timelineSemaphoreInteropSupported),
    INT(cudaDevAttrGPUDirectRDMASupported, gpuDirectRDMASupported),
    INT(cudaDevAttrGPUDirectRDMAFlushWritesOptions, gpuDirectRDMAFlushWritesOptions),
    INT(cudaDevAttrGPUDirectRDMAWritesOrdering, gpuDirectRDMAWritesOrdering),
    INT(cudaDevAttrMemoryPoolSupportedHandleTypes, memoryPoolSupportedHandleTypes),
    INT(cudaDevAttrClusterLaunch, clusterLaunch),
    INT(cudaDevAttrDeferredMappingCudaArraySupported, deferredMappingCudaArraySupported),
    INT(cudaDevAttrIpcEventSupport, ipcEventSupported),
    INT(cudaDevAttrNumaConfig, deviceNumaConfig),
    INT(cudaDevAttrNumaId, deviceNumaId),
    INT(cudaDevAttrMpsEnabled, mpsEnabled),
    INT(cudaDevAttrHostNumaId, hostNumaId),
    INT(cudaDevAttrGpuPciDeviceId, gpuPciDeviceID),
    INT(cudaDevAttrGpuPciSubsystemId, gpuPciSubsystemID),
    INT(cudaDevAttrHostNumaMultinodeIpcSupported, hostNumaMultinodeIpcSupported),
    /* What no card here can, and no field says. */
    INT(cudaDevAttrCanFlushRemoteWrites, reserved[0]),
    INT(cudaDevAttrD3D12CigSupported, reserved[0]),
    INT(cudaDevAttrVulkanCigSupported, reserved[0]),
    INT(cudaDevAttrHostNumaMemoryPoolsSupported, reserved[0]),
    INT(cudaDevAttrHostMemoryPoolsSupported, reserved[0]),
    INT(cudaDevAttrOnlyPartialHostNativeAtomicSupported, reserved[0]),
#undef INT
#undef SIZE
};

/* What all calls here begin with: is the pointer there, and is the device? */
static cudaError_t check_device(struct api_call *e, cudaError_t status, const void *result,
                                int device)
{
    return refuse_null(e, refuse_device(e, status, device, "argument, device"), result,
                       "first argument, where the answer goes");
}

/* A lost device is no error of this call. */
static cudaError_t may_be_lost(struct api_call *e, cudaError_t status)
{
    if (status != sim.sticky)
        return status;
    e->call.message = 0;
    return cudaSuccess;
}

/* Numbers that need no device: they are given when it is lost, too (measured on an H200). */
static cudaError_t give_number(const char *name, int *result, int value)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    status = check_device(&e, may_be_lost(&e, status), result, 0);
    if (status == cudaSuccess)
        *result = value;
    api_make(&e, status, NULL);
    return api_close(&e, status);
}

cudaError_t cudaGetDeviceCount(int *count)
{
    return give_number("cudaGetDeviceCount", count, (int)sim.card->devices);
}

cudaError_t cudaGetDevice(int *device)
{
    return give_number("cudaGetDevice", device, thread_self()->device);
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    return give_number("cudaRuntimeGetVersion", version, CUDART_VERSION);
}

cudaError_t cudaDriverGetVersion(int *version)
{
    return give_number("cudaDriverGetVersion", version, CUDART_VERSION);
}

/* When one device is lost, another can be chosen still: two H200 say so, and refuse what comes next
 * [M]. */
cudaError_t cudaSetDevice(int device)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaSetDevice");
    status = check_device(&e, may_be_lost(&e, status), &e, device);
    if (status == cudaSuccess)
        e.thread->device = device;
    api_make(&e, status, NULL);
    return api_close(&e, status);
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    struct api_call e;
    cudaError_t status =
        check_device(&e, api_open(&e, CALL_OTHER, "cudaGetDeviceProperties"), prop, device);
    if (status == cudaSuccess)
        fill(prop, sim.card, device);
    return api_finish(&e, status);
}

/* All devices of a machine here are alike: the first is as good as any. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    struct api_call e;
    cudaError_t status = check_device(&e, api_open(&e, CALL_OTHER, "cudaChooseDevice"), device, 0);
    status = refuse_null(&e, status, prop, "second argument, prop");
    if (status == cudaSuccess)
        *device = 0;
    return api_finish(&e, status);
}

/* 0000:00:00.0 and its end. */
enum { PCI_ID = 13 };

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device)
{
    struct api_call e;
    cudaError_t status =
        check_device(&e, api_open(&e, CALL_OTHER, "cudaDeviceGetPCIBusId"), id, device);
    status = REFUSE(&e, status, size < PCI_ID, cudaErrorInvalidValue,
                    "the second argument, len, is %d: a name takes %d bytes", size, PCI_ID);
    if (status == cudaSuccess)
        snprintf(id, (size_t)size, "0000:%02X:00.0", (unsigned)device);
    return api_finish(&e, status);
}

/* domain:bus:device.function, domain:bus:device or bus:device.function, in hexadecimal. */
static bool read_pci_id(const char *id, unsigned *bus, unsigned *others)
{
    unsigned domain = 0, slot = 0, function = 0;
    bool known = sscanf(id, "%x:%x:%x.%x", &domain, bus, &slot, &function) >= 3;
    if (!known) {
        domain = 0;
        known = sscanf(id, "%x:%x.%x", bus, &slot, &function) == 3;
    }
    *others = domain | slot | function;
    return known;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
    struct api_call e;
    unsigned bus = 0, others = 0;
    cudaError_t status =
        check_device(&e, api_open(&e, CALL_OTHER, "cudaDeviceGetByPCIBusId"), device, 0);
    status = refuse_null(&e, status, id, "second argument, pciBusId");
    if (status == cudaSuccess)
        status = REFUSE(&e, status, !read_pci_id(id, &bus, &others), cudaErrorInvalidValue,
                        "%s is not of the form 0000:00:00.0", id);
    status = REFUSE(&e, status, bus >= (unsigned)sim.card->devices || others != 0,
                    cudaErrorInvalidDevice, "no device is at %s", id);
    if (status == cudaSuccess)
        *device = (int)bus;
    return api_finish(&e, status);
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    struct api_call e;
    cudaError_t status =
        check_device(&e, api_open(&e, CALL_OTHER, "cudaDeviceGetAttribute"), value, device);
    size_t i = 0, count = sizeof attributes / sizeof *attributes;
    while (i < count && attributes[i].attribute != attribute)
        i++;
    bool known = i < count || attribute == cudaDevAttrMemSyncDomainCount;
    status = REFUSE(&e, status, !known, cudaErrorInvalidValue,
                    "the second argument, attr, is %d, which is not an attribute that is known here",
                    (int)attribute);
    if (status == cudaSuccess && attribute == cudaDevAttrMemSyncDomainCount) {
        *value = (int)card_sync_domains(sim.card);      /* which no field says */
    } else if (status == cudaSuccess) {
        struct cudaDeviceProp prop;
        fill(&prop, sim.card, device);
        const char *field = (const char *)&prop + attributes[i].offset;
        *value = attributes[i].wide ? (int)*(const size_t *)field : *(const int *)field;
    }
    return api_finish(&e, status);
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaDeviceGetStreamPriorityRange");
    if (status == cudaSuccess && least)
        *least = (int)sim.card->priority_least;
    if (status == cudaSuccess && greatest)
        *greatest = (int)sim.card->priority_greatest;
    return api_finish(&e, status);
}

cudaError_t cudaMemGetInfo(size_t *free, size_t *total)
{
    struct api_call e;
    cudaError_t status =
        refuse_null(&e, api_open(&e, CALL_OTHER, "cudaMemGetInfo"), free, "first argument, free");
    status = refuse_null(&e, status, total, "second argument, total");
    if (status == cudaSuccess) {
        *total = (size_t)sim.card->memory_mib << 20;
        size_t taken = allocation_total(MEM_DEVICE, e.thread->device) + residency_on_device();
        *free = taken < *total ? *total - taken : 0;
    }
    return api_finish(&e, status);
}

cudaError_t cudaDeviceSynchronize(void)
{
    struct api_call e;
    return api_finish(&e, api_open(&e, CALL_DEVICE_SYNC, "cudaDeviceSynchronize"));
}

/* The first that was made while this device was current; NULL: none is left. */
static const struct allocation *first_of(int device)
{
    const struct allocation *a = allocation_first();
    while (a && a->device != device)
        a = allocation_after(a);
    return a;
}

/* Everything that the program had on the current device is gone, host memory that was made for it
 * too [H]. After a lost device the reset succeeds and the calls after it do not [M]. */
cudaError_t cudaDeviceReset(void)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_DEVICE_SYNC, "cudaDeviceReset");
    if (status == cudaErrorNotPermitted)
        return api_finish(&e, status);
    api_make(&e, cudaSuccess, NULL);
    int device = e.thread->device;
    streams_reset(device);
    events_reset(device);
    pools_reset(device);
    graph_memory_reset(device);
    peers_reset(device);
    settings_reset(device);
    for (const struct allocation *a; (a = first_of(device));) {
        struct call call = { .kind = a->registered ? CALL_UNREGISTER : CALL_FREE,
                             .name = e.call.name, .file = e.call.file, .line = e.call.line,
                             .dst = a->at, .bytes = a->bytes, .dst_kind = a->kind,
                             .device = (uint32_t)device,
                             .dst_device = a->kind == MEM_DEVICE ? (uint32_t)device : 0 };
        note(&call);
        range_remove((const void *)a->at);
        residency_drop(a->at);
        allocation_drop((const void *)a->at);
    }
    e.thread->last = cudaSuccess;
    if (sim.sticky != cudaSuccess)
        sim.sticky = cudaErrorDevicesUnavailable;
    return api_close(&e, cudaSuccess);
}
