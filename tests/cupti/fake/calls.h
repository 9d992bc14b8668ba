/* SPDX-License-Identifier: MIT */
/* calls.h - what program.c's scenes are made of: calls of the runtime, what the device did, host
 * functions. */
#ifndef CALLS_H
#define CALLS_H

#include "fake.h"

static __thread CUpti_CallbackData now;
static uint32_t correlation = 100;
static const char *symbol;

static void enter(const char *name, const void *params)
{
    now = (CUpti_CallbackData){
        CUPTI_API_ENTER, name,
        params,          NULL,
        symbol,          __atomic_add_fetch(&correlation, 1, __ATOMIC_SEQ_CST)
    };
    CUpti_CallbackId id = 0;
    for (const char *s = name; *s; s++)
        id = (id * 31 + (unsigned char)*s) % 1000;
    fake_call(CUPTI_CB_DOMAIN_RUNTIME_API, id, &now);
}

static uint32_t leave(int status)
{
    CUpti_CallbackId id = 0;
    for (const char *s = now.functionName; *s; s++)
        id = (id * 31 + (unsigned char)*s) % 1000;
    now.callbackSite = CUPTI_API_EXIT;
    now.functionReturnValue = &status;
    fake_call(CUPTI_CB_DOMAIN_RUNTIME_API, id, &now);
    return now.correlationId;
}

static uint32_t call(const char *name, const void *params)
{
    enter(name, params);
    return leave(0);
}
#define CALL(name, type, ...) call(name, &(type##_params){ __VA_ARGS__ })

/* The device did it from begin to end from now on, in ns: said before a wait for it ends, however
 * slow this machine is. */
static void ran(CUpti_ActivityKind what, uint32_t correlation_id, uint64_t begin, uint64_t end,
                uint64_t bytes, uint64_t node)
{
    if (begin != 0) {
        uint64_t from = fake.clock();
        begin += from;
        end += from;
    }
    if (what == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        fake.records[fake.record_count++].kernel =
            (CUpti_ActivityKernel10){ what, correlation_id, begin, end, node };
    else
        fake.records[fake.record_count++].copy =
            (CUpti_ActivityMemcpy6){ what,
                                     correlation_id,
                                     begin,
                                     end,
                                     node,
                                     bytes,
                                     CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                                     CUPTI_ACTIVITY_MEMORY_KIND_DEVICE };
}

#define KERNEL CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
#define COPY CUPTI_ACTIVITY_KIND_MEMCPY
#define PEER CUPTI_ACTIVITY_KIND_MEMCPY2

static cudaStream_t make_stream(uintptr_t handle)
{
    cudaStream_t stream = (cudaStream_t)handle;
    CALL("cudaStreamCreateWithFlags", cudaStreamCreateWithFlags_v5000, &stream,
         cudaStreamNonBlocking);
    return stream;
}

static uint32_t launch(cudaStream_t stream)
{
    symbol = "_Z4workPfi";
    return CALL("cudaLaunchKernel", cudaLaunchKernel_v7000, NULL, { 4, 1, 1 }, { 128, 1, 1 }, NULL,
                0, stream);
}

/* ---- host functions, as the driver calls them ---- */

static int hosted;
static void function(void *data) { hosted += *(int *)data; }

static cuLaunchHostFunc_params queue_function(cudaStream_t stream, int *data)
{
    cuLaunchHostFunc_params inner = { (CUstream)stream, function, data };
    enter("cudaLaunchHostFunc", &(cudaLaunchHostFunc_v10000_params){ stream, function, data });
    fake_call(CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchHostFunc,
              &(CUpti_CallbackData){ CUPTI_API_ENTER, "cuLaunchHostFunc", &inner, NULL, NULL, 0 });
    leave(0);
    return inner;
}

#endif
