/* SPDX-License-Identifier: MIT */
#include "sim/api/stream.h"

#include "sim/host/note.h"
#include "sim/kernel/effect.h"
#include "sim/memory/because.h"

/* The error of a handle that is no stream's, or no longer. */
static cudaError_t no_stream(struct call *c, cudaStream_t handle)
{
    uint32_t number = stream_number_of(handle);
    if (number != NO_STREAM && stream_numbered(number)->orphan)
        return because(
            c, cudaErrorContextIsDestroyed,
            "the stream's green context was destroyed before the stream (cuGreenCtxDestroy)");
    if (!handle || handle == cudaStreamLegacy
        || handle == cudaStreamPerThread) /* cudaStreamDestroy's */
        return because(c, cudaErrorInvalidResourceHandle,
                       "the stream is not valid: %s is a default stream, which no call made and none destroys%s",
                       !handle                      ? "0"
                       : handle == cudaStreamLegacy ? "cudaStreamLegacy"
                                                    : "cudaStreamPerThread",
                       words_of_latest(CALL_STREAM_DESTROY).text);
    return because(c, cudaErrorInvalidResourceHandle, "the stream is not valid: %s",
                   words_of_gone(CALL_STREAM_DESTROY, number, false).text);
}

void streams_begin(void)
{
    for (int device = 0; is_device(device); device++) {
        struct call legacy = { .kind = CALL_STREAM_CREATE,
                               .flags = STREAM_LEGACY,
                               .device = (uint32_t)device,
                               .stream = stream_add((struct stream){ .device = device }) };
        note(&legacy);
    }
}

static uint32_t per_thread(struct api_call *e)
{
    int device = e->thread->device;
    uint32_t *number = &e->thread->per_thread_stream[device];
    if (*number == 0) {
        *number = stream_add((struct stream){ .device = device });
        note(&(struct call){ .kind = CALL_STREAM_CREATE, .flags = STREAM_PER_THREAD,
                             .stream = *number, .device = (uint32_t)device });
    }
    return *number;
}

cudaError_t stream_find(struct api_call *e, cudaStream_t handle)
{
    if (!handle)
        handle = e->thread->site.zero_is_per_thread ? cudaStreamPerThread : cudaStreamLegacy;
    if (handle == cudaStreamLegacy)
        e->call.stream = (uint32_t)e->thread->device;
    else if (handle == cudaStreamPerThread)
        e->call.stream = per_thread(e);
    else if (!stream_of(handle, &e->call.stream))
        return no_stream(&e->call, handle);
    return cudaSuccess;
}

/* ---- create, destroy ---- */

static cudaError_t create_stream(const char *name, cudaStream_t *stream, unsigned flags,
                                 int priority)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_STREAM_CREATE, name);
    status = refuse_null(&e, status, stream, "first argument, pStream");
    status = REFUSE(
        &e, status, flags > cudaStreamNonBlocking, cudaErrorInvalidValue,
        "the second argument, flags, is %#x; it may be cudaStreamDefault or cudaStreamNonBlocking",
        flags);
    if (status == cudaSuccess) {
        int granted = card_priority(sim.card, priority);
        e.call.stream = stream_add((struct stream){
            .flags = flags, .priority = granted, .device = e.thread->device,
            .process = e.thread->process, .made = true });
        e.call.flags = (flags & cudaStreamNonBlocking ? STREAM_NON_BLOCKING : 0)
                       | (e.thread->process != 0 ? STREAM_OF_OTHER : 0);
        e.call.priority = priority;
        *stream = stream_handle(e.call.stream);
    }
    return api_finish(&e, status);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return create_stream("cudaStreamCreate", stream, cudaStreamDefault, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
    return create_stream("cudaStreamCreateWithFlags", stream, flags, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
    return create_stream("cudaStreamCreateWithPriority", stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_STREAM_DESTROY, "cudaStreamDestroy");
    if (status == cudaSuccess) {
        struct stream *stream = stream_of(handle, &e.call.stream);
        if (stream)
            stream->made = false;
        else
            status = no_stream(&e.call, handle);
    }
    return api_finish(&e, status);
}

void streams_reset(int device)
{
    struct stream *stream;
    for (uint32_t i = 0; (stream = stream_numbered(i)); i++) {
        if (!stream->made || stream->device != device)
            continue;
        note(
            &(struct call){ .kind = CALL_STREAM_DESTROY, .stream = i, .device = (uint32_t)device });
        stream->made = false;
    }
}

/* ---- questions, waits ---- */

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_STREAM_SYNC, "cudaStreamSynchronize");
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    return api_finish(&e, status);
}

cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_STREAM_QUERY, "cudaStreamQuery");
    if (status == cudaSuccess)
        status = stream_find(&e, stream);
    if (status != cudaSuccess)
        e.call.kind = CALL_OTHER;
    else if (!api_done(&e.call))
        status = cudaErrorNotReady;
    return api_finish(&e, status);
}

/* What a stream was made with; the default streams have 0 of everything. */
static cudaError_t look_at_stream(const char *name, cudaStream_t handle, const void *result,
                                  struct stream *out)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, name);
    if (status == cudaSuccess)
        status = stream_find(&e, handle);
    status = refuse_null(&e, status, result, "second argument, where the answer goes");
    if (status == cudaSuccess)
        *out = *stream_numbered(e.call.stream);
    return api_finish(&e, status);
}

#define GET(call, type, member) \
    cudaError_t call(cudaStream_t handle, type *answer) \
    { \
        struct stream stream; \
        cudaError_t status = look_at_stream(#call, handle, answer, &stream); \
        if (status == cudaSuccess) \
            *answer = stream.member; \
        return status; \
    }
GET(cudaStreamGetPriority, int, priority)
GET(cudaStreamGetFlags, unsigned int, flags)
GET(cudaStreamGetDevice, int, device)
GET(cudaStreamGetId, unsigned long long, id)
#undef GET

/* ---- host functions ---- */

static cudaError_t call_host(const char *name, unsigned flags, struct host_function function)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_HOST_FUNC, name);
    status = REFUSE(&e, status, !function.function && !function.callback, cudaErrorInvalidValue,
                    "the second argument, the function, is NULL");
    status = REFUSE(&e, status, flags != 0, cudaErrorInvalidValue,
                    "the fourth argument, flags, is %#x and must be 0", flags);
    if (status == cudaSuccess)
        status = stream_find(&e, function.stream);
    struct effect effect = { .kind = EFFECT_FUNCTION, .function = function };
    return api_close(&e, api_make(&e, status, status == cudaSuccess ? effect_new(&effect) : NULL));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data)
{
    return call_host(
        "cudaLaunchHostFunc", 0,
        (struct host_function){ .function = function, .stream = stream, .data = data });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data,
                                  unsigned int flags)
{
    return call_host(
        "cudaStreamAddCallback", flags,
        (struct host_function){ .callback = callback, .stream = stream, .data = data });
}
