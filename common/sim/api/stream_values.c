/* SPDX-License-Identifier: MIT */
/* Streams that write values in memory and wait for them: for the driver API, where these calls are
 * (sim_stream_values.h). */
#include "sim/api/stream.h"

#include "sim/kernel/effect.h"
#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "sim/visible.h"

VISIBLE cudaError_t sim_stream_value(const char *name, cudaStream_t stream, void *at,
                                     unsigned long long value, unsigned bytes, int how)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_HOST_FUNC, name);
    status = REFUSE(&e, status, how < VALUE_WRITE || how > VALUE_NOR, cudaErrorInvalidValue,
                    "the fourth argument, flags, names no condition");
    status = REFUSE(&e, status, (uintptr_t)at % bytes != 0, cudaErrorInvalidValue,
                    "the second argument, addr, is not a multiple of %u", bytes);
    status =
        REFUSE(&e, status,
               memory_kind_of(at, bytes) == MEM_NONE || memory_kind_of(at, bytes) == MEM_PAGEABLE,
               cudaErrorInvalidValue,
               "the second argument, addr, is not an address that the device can reach");
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    e.call.flags |= VALUE_IN_MEMORY;
    struct effect effect = { .kind = EFFECT_FUNCTION,
                             .function = { .stream = stream,
                                           .value = { (enum value_how)how, bytes, at, value } } };
    return api_close(&e, api_make(&e, status, status == cudaSuccess ? effect_new(&effect) : NULL));
}
