/* SPDX-License-Identifier: MIT */
/*
 * sim_green.h - the driver API's green contexts: some of a device's SMs, and streams whose kernels run there alone. For cuda.h.
 * A green context is never current here: its streams are named, as any other.
 */
#ifndef SIM_INCLUDE_GREEN_H
#define SIM_INCLUDE_GREEN_H

typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;

typedef enum { CU_GREEN_CTX_DEFAULT_STREAM = 0x1 } CUgreenCtxCreate_flags;
typedef enum {
    CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING = 0x1, CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE = 0x2
} CUdevSmResourceSplit_flags;
typedef enum { CU_DEV_RESOURCE_TYPE_INVALID = 0, CU_DEV_RESOURCE_TYPE_SM = 1 } CUdevResourceType;

typedef struct CUdevSmResource_st {
    unsigned int smCount, minSmPartitionSize, smCoscheduledAlignment;
} CUdevSmResource;

typedef struct CUdevResource_st {
    CUdevResourceType type;
    unsigned char _internal_padding[92];    /* the simulator's: which SMs, and where they come from */
    union {
        CUdevSmResource sm;
        unsigned char _oversize[48];
    };
} CUdevResource;

#ifdef __cplusplus
extern "C" {
#endif

CUresult cuDeviceGetDevResource(CUdevice __device, CUdevResource *__resource, CUdevResourceType __type);
CUresult cuGreenCtxGetDevResource(CUgreenCtx __context, CUdevResource *__resource, CUdevResourceType __type);
CUresult cuDevSmResourceSplitByCount(CUdevResource *__result, unsigned int *__groups, const CUdevResource *__input, CUdevResource *__remaining,
                                     unsigned int __flags, unsigned int __least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *__desc, CUdevResource *__resources, unsigned int __count);
CUresult cuGreenCtxCreate(CUgreenCtx *__context, CUdevResourceDesc __desc, CUdevice __device, unsigned int __flags);
CUresult cuGreenCtxDestroy(CUgreenCtx __context);
CUresult cuGreenCtxStreamCreate(CUstream *__stream, CUgreenCtx __context, unsigned int __flags, int __priority);
CUresult cuStreamGetGreenCtx(CUstream __stream, CUgreenCtx *__context);

#ifdef __cplusplus
}
#endif

#endif
