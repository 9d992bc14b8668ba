/* SPDX-License-Identifier: MIT */
/*
 * Events and memory of another process [H "cudaIpc…"]. What is refused and how, and how long
 * memory lives, was measured on an H100 (facts/h100-processes.txt).
 *
 * Opened memory has its owner's address here, so that what both processes do to it meets in the
 * shadow memory (race/); on a card each process has an address of its own.
 */
#include <string.h>
#include <unistd.h>

#include "sim/api/event.h"
#include "sim/graph/graph_memory.h"
#include "sim/memory/because.h"
#include "sim/memory/peer.h"
#include "sim/memory/pool.h"
#include "sim/race/access.h"

/* What is in a handle; the rest of its bytes are 0. */
struct ticket {
    char magic[8];
    int64_t program;            /* the operating system's number of it */
    uint64_t at;                /* memory; the number of an event */
    uint32_t serial;            /* of an allocation */
};
static const char event_magic[8] = "SIMEVENT", memory_magic[8] = "SIMMEMRY";

static void write_ticket(void *handle, const char *magic, uint64_t at, uint32_t serial)
{
    struct ticket t = { .program = getpid(), .at = at, .serial = serial };
    memcpy(t.magic, magic, sizeof t.magic);
    memset(handle, 0, CUDA_IPC_HANDLE_SIZE);
    memcpy(handle, &t, sizeof t);
}

/* Refuses what no call has given. */
static cudaError_t read_ticket(struct api_call *e, cudaError_t status, const void *handle,
                               const char *magic, struct ticket *t)
{
    memcpy(t, handle, sizeof *t);
    bool known = memcmp(t->magic, magic, sizeof t->magic) == 0;
    if (status == cudaSuccess && known && t->program != getpid()) {
        status = because(&e->call, cudaErrorInvalidValue, "the handle is another program's");
        api_absent(e, "memory and events of another program");
        return status;
    }
    return REFUSE(e, status, !known, cudaErrorInvalidValue,
                  "the second argument, handle, is none that cudaIpcGet%sHandle has given",
                  magic == event_magic ? "Event" : "Mem");
}

/* [H]: for devices with unified addresses. */
static cudaError_t refuse_old(struct api_call *e, cudaError_t status)
{
    return REFUSE(e, status, sim.card->major < 2, cudaErrorNotSupported,
                  "the device has no addresses that it shares with the host (compute capability 2.0)");
}

/* ---- events ---- */

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    struct api_call e;
    uint32_t number = 0, flags;
    cudaError_t status = refuse_old(&e, api_open(&e, CALL_OTHER, "cudaIpcGetEventHandle"));
    status = refuse_null(&e, status, handle, "first argument, handle");
    if (status == cudaSuccess)
        status = event_of(&e, event, &number, &flags);
    status = REFUSE(
        &e, status, !event_may_be_opened(event, &number), cudaErrorInvalidResourceHandle,
        "the second argument, event, was not created here with cudaEventInterprocess | cudaEventDisableTiming");
    if (status == cudaSuccess)
        write_ticket(handle, event_magic, number, 0);
    return api_finish(&e, status);
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    struct api_call e;
    struct ticket t;
    cudaError_t status = api_open(&e, CALL_EVENT_CREATE, "cudaIpcOpenEventHandle");
    status = refuse_null(&e, status, event, "first argument, event");
    status = read_ticket(&e, status, &handle, event_magic, &t);
    status = REFUSE(&e, status, !event_is_of_other((uint32_t)t.at), cudaErrorDeviceUninitialized,
                    "the event of the handle is this process's own, or is gone");
    if (status == cudaSuccess)
        *event = event_add_opened(&e, (uint32_t)t.at);
    return api_finish(&e, status);
}

/* ---- memory ---- */

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer)
{
    struct api_call e;
    cudaError_t status = refuse_old(&e, api_open(&e, CALL_OTHER, "cudaIpcGetMemHandle"));
    const struct allocation *a = allocation_find(pointer);
    bool own = a && a->kind == MEM_DEVICE && a->process == e.thread->process && !pool_owns(pointer)
               && !graph_memory_find((const void *)a->at);
    status = refuse_null(&e, status, handle, "first argument, handle");
    status = REFUSE(&e, status, !own, cudaErrorInvalidValue,
                    "the second argument, devPtr, is %s; only memory that this process has from "
                    "cudaMalloc can be opened by another",
                    words_of_memory(pointer).text);
    if (status == cudaSuccess) {
        write_ticket(handle, memory_magic, a->at, a->serial);
        e.call.dst = (uint64_t)(uintptr_t)pointer;
    }
    return api_finish(&e, status);
}

/* What the ticket is for; NULL: it is no longer there. */
static const struct allocation *memory_of(const struct ticket *t)
{
    const struct allocation *a = allocation_find((const void *)(uintptr_t)t->at);
    return a && a->serial == t->serial && !a->freed ? a : NULL;
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned int flags)
{
    struct api_call e;
    struct ticket t;
    cudaError_t status = api_open(&e, CALL_REGISTER, "cudaIpcOpenMemHandle");
    status = refuse_null(&e, status, pointer, "first argument, devPtr");
    status = REFUSE(
        &e, status, flags != cudaIpcMemLazyEnablePeerAccess, cudaErrorInvalidValue,
        "the third argument, flags, is %#x and must be cudaIpcMemLazyEnablePeerAccess", flags);
    status = read_ticket(&e, status, &handle, memory_magic, &t);
    const struct allocation *a = memory_of(&t);
    status = REFUSE(&e, status, !a, cudaErrorInvalidValue, "the memory of the handle is freed");
    status = REFUSE(&e, status, a->process == e.thread->process, cudaErrorDeviceUninitialized,
                    "the memory of the handle is this process's own");
    if (status != cudaSuccess)
        return api_finish(&e, status);
    *pointer = (void *)a->at;
    e.call.dst = a->at;
    e.call.bytes = a->asked;
    e.call.dst_kind = MEM_DEVICE;
    allocation_open(*pointer, e.thread->process, 1);
    return api_finish(&e, status);
}

cudaError_t cudaIpcCloseMemHandle(void *pointer)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_UNREGISTER, "cudaIpcCloseMemHandle");
    const struct allocation *a = allocation_find(pointer);
    bool open = a && a->at == (uintptr_t)pointer && a->opened[e.thread->process] > 0;
    status = REFUSE(&e, status, !open, cudaErrorInvalidValue,
                    "the argument, devPtr, is %s, and not what cudaIpcOpenMemHandle gave and this "
                    "call has not closed",
                    words_of_memory(pointer).text);
    if (status != cudaSuccess)
        return api_finish(&e, status);
    e.call.dst = a->at;
    e.call.bytes = a->asked;
    e.call.dst_kind = MEM_DEVICE;
    e.call.device = (uint32_t)a->device;
    status = api_make(&e, status, NULL);    /* waits for this process's kernels [M] */
    allocation_open(pointer, e.thread->process, -1);
    if (a->freed && allocation_openings(a) == 0) {
        access_given_back(e.index);
        allocation_drop(pointer);
    }
    return api_close(&e, status);
}
