/* SPDX-License-Identifier: MIT */
/*
 * Events and memory of another process [H "cudaIpc…", "cudaMemPoolExport…"]. What is refused and
 * how, and how long memory lives, was measured (facts/h100-processes.txt,
 * facts/h200-processes.txt).
 *
 * Opened memory has its owner's address here, so that what both processes do to it meets in the
 * shadow memory (race/); on a card each process has an address of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/api/event.h"
#include "sim/api/memory/pool_calls.h"
#include "sim/graph/graph_memory.h"
#include "sim/memory/because.h"
#include "sim/memory/peer.h"
#include "sim/memory/pool_state.h"
#include "sim/race/access.h"

/* What is in a handle; the rest of its bytes are 0. */
struct ticket {
    char magic[8];
    int64_t program;            /* the operating system's number of it */
    uint64_t at;                /* memory; the number of an event */
    uint32_t serial;            /* of an allocation */
};
static const char event_magic[8] = "SIMEVENT", memory_magic[8] = "SIMMEMRY",
                  pool_magic[8] = "SIMMPOOL", block_magic[8] = "SIMBLOCK";

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
                  "the handle is none that %s has given",
                  magic == event_magic    ? "cudaIpcGetEventHandle"
                  : magic == memory_magic ? "cudaIpcGetMemHandle"
                  : magic == pool_magic   ? "cudaMemPoolExportToShareableHandle"
                                          : "cudaMemPoolExportPointer");
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
    bool open = a && a->at == (uintptr_t)pointer && a->opened[e.thread->process] > 0
                && !pool_owns(pointer);
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

/* ---- pools: a file descriptor that stands for one, and what leads to a block of it ---- */

static cudaError_t refuse_handle(struct api_call *e, cudaError_t status,
                                 enum cudaMemAllocationHandleType type, unsigned int flags)
{
    status = REFUSE(
        e, status, type != cudaMemHandleTypePosixFileDescriptor, cudaErrorInvalidValue,
        "the third argument, handleType, is %d; here it is cudaMemHandleTypePosixFileDescriptor",
        (int)type);
    return REFUSE(e, status, flags != 0, cudaErrorInvalidValue,
                  "the fourth argument, flags, is %#x and must be 0", flags);
}

static cudaError_t write_file(struct api_call *e, int *file, cudaMemPool_t pool)
{
    char handle[CUDA_IPC_HANDLE_SIZE];
    write_ticket(handle, pool_magic, pool->number, 0);
    *file = memfd_create("pool", MFD_CLOEXEC);
    if (*file < 0 || write(*file, handle, sizeof handle) != sizeof handle)
        return because(&e->call, cudaErrorMemoryAllocation, "there is no file for it: %s",
                       strerror(errno));
    return cudaSuccess;
}

cudaError_t cudaMemPoolExportToShareableHandle(void *handle, cudaMemPool_t pool,
                                               enum cudaMemAllocationHandleType type,
                                               unsigned int flags)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaMemPoolExportToShareableHandle");
    status = refuse_null(&e, status, handle, "first argument, shareableHandle");
    status = pool_refuse_imported(&e, refuse_no_pool(&e, status, pool), pool);
    status = refuse_handle(&e, status, type, flags);
    status = REFUSE(
        &e, status, pool->handle_types == cudaMemHandleTypeNone, cudaErrorInvalidValue,
        "the pool was not created with handleTypes = cudaMemHandleTypePosixFileDescriptor, and cannot be exported");
    if (status == cudaSuccess)
        status = write_file(&e, handle, pool);
    if (status == cudaSuccess)
        pool->exported = true;
    return api_finish(&e, status);
}

static cudaError_t read_file(struct api_call *e, cudaError_t status, int file, struct ticket *t)
{
    char handle[CUDA_IPC_HANDLE_SIZE];
    if (status != cudaSuccess)
        return status;
    if (fcntl(file, F_GETFD) < 0)
        return because(&e->call, cudaErrorUnknown,  /* [M] */
                       "the second argument, shareableHandle, is %d, which is no open file", file);
    if (pread(file, handle, sizeof handle, 0) != sizeof handle)
        memset(handle, 0, sizeof handle);
    return read_ticket(e, status, handle, pool_magic, t);
}

/* The pool of this number, or what the process has imported it as; NULL: there is none. */
static cudaMemPool_t pool_numbered(uint64_t number, bool imported, uint32_t process)
{
    cudaMemPool_t p = pools.first;
    while (p && (p->destroyed || (imported ? p->source != number || p->process != process
                                           : p->number != number)))
        p = p->next;
    return p;
}

/* Twice the same. */
static cudaMemPool_t import(cudaMemPool_t source, uint32_t process)
{
    cudaMemPool_t pool = pool_numbered(source->number, true, process);
    if (pool)
        return pool;
    pool = pool_new(source->device, 0);
    pool->source = source->number;
    return pool;
}

cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *pool, void *handle,
                                                 enum cudaMemAllocationHandleType type,
                                                 unsigned int flags)
{
    struct api_call e;
    struct ticket t;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaMemPoolImportFromShareableHandle");
    status = refuse_null(&e, status, pool, "first argument, memPool");
    status = refuse_handle(&e, status, type, flags);
    status = read_file(&e, status, (int)(intptr_t)handle, &t);
    cudaMemPool_t source =
        status == cudaSuccess ? pool_numbered(t.at, false, e.thread->process) : NULL;
    status = REFUSE(&e, status, !source, cudaErrorInvalidValue,
                    "the pool of the handle has been destroyed");
    if (status == cudaSuccess)
        *pool = import(source, e.thread->process);
    return api_finish(&e, status);
}

cudaError_t cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *data, void *pointer)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaMemPoolExportPointer");
    const struct pool_block *b = pool_block_find(pointer);
    status = refuse_null(&e, status, data, "first argument, exportData");
    status = REFUSE(
        &e, status, !b || !b->used || b->pool->process != e.thread->process, cudaErrorInvalidValue,
        "the second argument, ptr, is %s; the beginning of what this process has allocated from a pool is needed",
        words_of_memory(pointer).text);
    status = REFUSE(
        &e, status, !b->pool->exported, cudaErrorInvalidValue,
        "the pool of the memory has not been exported by cudaMemPoolExportToShareableHandle");
    if (status == cudaSuccess)
        write_ticket(data, block_magic, (uint64_t)(uintptr_t)b->at, (uint32_t)b->pool->number);
    return api_finish(&e, status);
}

cudaError_t cudaMemPoolImportPointer(void **pointer, cudaMemPool_t pool,
                                     struct cudaMemPoolPtrExportData *data)
{
    struct api_call e;
    struct ticket t;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaMemPoolImportPointer");
    status = refuse_null(&e, status, pointer, "first argument, ptr");
    status = refuse_null(&e, status, data, "third argument, exportData");
    status = refuse_no_pool(&e, status, pool);
    status = REFUSE(
        &e, status, pool->source == 0, cudaErrorInvalidValue,
        "the second argument, memPool, is not one that cudaMemPoolImportFromShareableHandle has given");
    status = read_ticket(&e, status, data, block_magic, &t);
    status = REFUSE(&e, status, t.serial != pool->source, cudaErrorInvalidValue,
                    "the memory is from another pool than the one that was imported");
    const struct pool_block *b =
        status == cudaSuccess ? pool_block_find((const void *)(uintptr_t)t.at) : NULL;
    status = REFUSE(&e, status, !b || !b->used, cudaErrorInvalidValue,
                    "the memory has been freed by its owner");
    status = REFUSE(&e, status, b->pool->process == e.thread->process, cudaErrorInvalidValue,
                    "the memory is this process's own");
    if (status == cudaSuccess) {
        pool_import_open(pool, b);
        *pointer = b->at;
    }
    return api_finish(&e, status);
}
