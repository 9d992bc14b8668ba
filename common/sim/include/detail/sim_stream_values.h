/* SPDX-License-Identifier: MIT */
/* sim_stream_values.h - streams that write values in memory and wait for them. For cuda.h. */
#ifndef SIM_INCLUDE_STREAM_VALUES_H
#define SIM_INCLUDE_STREAM_VALUES_H

typedef enum CUstreamWaitValue_flags_enum {
    CU_STREAM_WAIT_VALUE_GEQ = 0x0, CU_STREAM_WAIT_VALUE_EQ = 0x1, CU_STREAM_WAIT_VALUE_AND = 0x2, CU_STREAM_WAIT_VALUE_NOR = 0x3,
    CU_STREAM_WAIT_VALUE_FLUSH = 1 << 30
} CUstreamWaitValue_flags;
typedef enum CUstreamWriteValue_flags_enum {
    CU_STREAM_WRITE_VALUE_DEFAULT = 0x0, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER = 0x1
} CUstreamWriteValue_flags;
typedef enum CUstreamBatchMemOpType_enum {
    CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1, CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2, CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
    CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4, CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5, CU_STREAM_MEM_OP_BARRIER = 6
} CUstreamBatchMemOpType;

/* One struct has waits and writes, as their members lie in the same places. */
struct __cu_value {
    CUstreamBatchMemOpType operation;
    CUdeviceptr address;
    union { cuuint32_t value; cuuint64_t value64; };
    unsigned int flags;
    CUdeviceptr alias;
};
typedef union CUstreamBatchMemOpParams_union {
    CUstreamBatchMemOpType operation;
    struct __cu_value waitValue, writeValue;
    struct { CUstreamBatchMemOpType operation; unsigned int flags; } flushRemoteWrites, memoryBarrier;
    cuuint64_t pad[6];
} CUstreamBatchMemOpParams;

#ifdef __cplusplus
extern "C"
#endif
cudaError_t sim_stream_value(const char *__name, cudaStream_t __stream, void *__at, cuuint64_t __value, unsigned int __bytes, int __how);

/* The number of a condition, from that of a write on; a flush of what came from other devices is always made. */
static inline int __cu_condition(unsigned int __flags)
{
    unsigned int __which = __flags & ~(unsigned int)CU_STREAM_WAIT_VALUE_FLUSH;
    return __which <= CU_STREAM_WAIT_VALUE_NOR ? 2 + (int)__which : 0;
}

static inline int __cu_writing(unsigned int __flags)
{
    return __flags <= CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER ? 1 : 0;
}

#define __CU_VALUE(__name, __type, __how) \
    static inline CUresult __name(CUstream __stream, CUdeviceptr __address, __type __value, unsigned int __flags) \
    { \
        return (CUresult)(sim_stream_value(#__name, __stream, (void *)__address, __value, sizeof __value, __how(__flags))); \
    }
__CU_VALUE(cuStreamWaitValue32, cuuint32_t, __cu_condition)
__CU_VALUE(cuStreamWaitValue64, cuuint64_t, __cu_condition)
__CU_VALUE(cuStreamWriteValue32, cuuint32_t, __cu_writing)
__CU_VALUE(cuStreamWriteValue64, cuuint64_t, __cu_writing)
#undef __CU_VALUE

static inline CUresult __cu_batch_one(CUstream __stream, const CUstreamBatchMemOpParams *__one)
{
    const struct __cu_value *__v = &__one->waitValue;
    const CUstreamBatchMemOpType __operation = __one->operation;
    const int __wide = __operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 || __operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
    const int __waits = __operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 || __operation == CU_STREAM_MEM_OP_WAIT_VALUE_64;
    if (__operation == CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES || __operation == CU_STREAM_MEM_OP_BARRIER)
        return CUDA_SUCCESS;
    if (!__wide && !__waits && __operation != CU_STREAM_MEM_OP_WRITE_VALUE_32)
        return CUDA_ERROR_INVALID_VALUE;
    return (CUresult)(sim_stream_value("cuStreamBatchMemOp", __stream, (void *)__v->address, __wide ? __v->value64 : __v->value, __wide ? 8 : 4,
                                       __waits ? __cu_condition(__v->flags) : __cu_writing(__v->flags)));
}

/* In the order in which they stand; 256 at most. */
static inline CUresult cuStreamBatchMemOp(CUstream __stream, unsigned int __count, CUstreamBatchMemOpParams *__operations, unsigned int __flags)
{
    CUresult __result = __count > 256 || !__operations || __flags != 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
    for (unsigned int __i = 0; __i < __count && __result == CUDA_SUCCESS; __i++)
        __result = __cu_batch_one(__stream, &__operations[__i]);
    return __cu_silent(__result);
}

#endif
