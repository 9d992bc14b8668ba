/* SPDX-License-Identifier: MIT */
/* sim_driver_names.h - the names that the toolkit's header gives calls of the driver API which had other parameters once. */
#ifndef SIM_INCLUDE_DRIVER_NAMES_H
#define SIM_INCLUDE_DRIVER_NAMES_H

#define cuCtxDestroy_v2 cuCtxDestroy
#define cuCtxPopCurrent_v2 cuCtxPopCurrent
#define cuCtxPushCurrent_v2 cuCtxPushCurrent
#define cuDeviceGetUuid_v2 cuDeviceGetUuid
#define cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxRelease
#define cuDevicePrimaryCtxReset_v2 cuDevicePrimaryCtxReset
#define cuDeviceTotalMem_v2 cuDeviceTotalMem
#define cuEventDestroy_v2 cuEventDestroy
#define cuEventElapsedTime_v2 cuEventElapsedTime
#define cuMemAdvise_v2 cuMemAdvise
#define cuMemAllocHost_v2 cuMemAllocHost
#define cuMemAllocPitch_v2 cuMemAllocPitch
#define cuMemAlloc_v2 cuMemAlloc
#define cuMemFree_v2 cuMemFree
#define cuMemGetInfo_v2 cuMemGetInfo
#define cuMemHostGetDevicePointer_v2 cuMemHostGetDevicePointer
#define cuMemHostRegister_v2 cuMemHostRegister
#define cuMemPrefetchAsync_v2 cuMemPrefetchAsync
#define cuMemcpy2DAsync_v2 cuMemcpy2DAsync
#define cuMemcpy2D_v2 cuMemcpy2D
#define cuMemcpyDtoDAsync_v2 cuMemcpyDtoDAsync
#define cuMemcpyDtoD_v2 cuMemcpyDtoD
#define cuMemcpyDtoHAsync_v2 cuMemcpyDtoHAsync
#define cuMemcpyDtoH_v2 cuMemcpyDtoH
#define cuMemcpyHtoDAsync_v2 cuMemcpyHtoDAsync
#define cuMemcpyHtoD_v2 cuMemcpyHtoD
#define cuMemsetD16_v2 cuMemsetD16
#define cuMemsetD32_v2 cuMemsetD32
#define cuMemsetD8_v2 cuMemsetD8
#define cuStreamBeginCapture_v2 cuStreamBeginCapture
#define cuStreamDestroy_v2 cuStreamDestroy

#endif
