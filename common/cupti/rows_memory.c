/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <stdlib.h>

#include "exchange.h"

static void poison(struct call *c)
{
    static CUstream stream;
    if (!getenv(EXCHANGE_OUTPUT) || captures_any())
        return;
    if (!stream)
        cu.create_stream(&stream, CU_STREAM_NON_BLOCKING);
    if (stream && cu.set_memory(c->dst, POISON, c->bytes, stream) == CUDA_SUCCESS)
        cu.synchronize_stream(stream);
}

static void allocated(struct made *m, const void *at, uint64_t bytes, uint32_t kind)
{
    struct call *c = m->c;
    c->dst = ADDRESS(at);
    c->bytes = bytes;
    c->dst_kind = kind;
    c->dst_device = kind == MEM_DEVICE ? c->device : 0;
    if (at)
        block_add(at, (struct block){ bytes, kind, c->dst_device, (c->flags & CALL_ASYNC) != 0 });
    else
        c->kind = CALL_OTHER;
    if (at && kind == MEM_DEVICE && !(c->flags & CALL_ASYNC))
        poison(c);
}

static void got_device(struct made *m)
{
    PARAMS(cudaMalloc_v3020);
    allocated(m, *p->devPtr, p->size, MEM_DEVICE);
}

static void got_pitch(struct made *m)
{
    PARAMS(cudaMallocPitch_v3020);
    allocated(m, *p->devPtr, *p->pitch * p->height, MEM_DEVICE);
}

static void got_host(struct made *m)
{
    PARAMS(cudaMallocHost_v3020);
    allocated(m, *p->ptr, p->size, MEM_PINNED);
}

static void got_host_alloc(struct made *m)
{
    PARAMS(cudaHostAlloc_v3020);
    allocated(m, *p->pHost, p->size, MEM_PINNED);
}

static void got_managed(struct made *m)
{
    PARAMS(cudaMallocManaged_v6000);
    allocated(m, *p->devPtr, p->size, MEM_MANAGED);
}

static void ask_async(struct made *m)
{
    PARAMS(cudaMallocAsync_v11020);
    row_stream(m, p->hStream);
}

static void got_async(struct made *m)
{
    PARAMS(cudaMallocAsync_v11020);
    allocated(m, *p->devPtr, p->size, MEM_DEVICE);
}

static void ask_pool(struct made *m)
{
    PARAMS(cudaMallocFromPoolAsync_v11020);
    row_stream(m, p->stream);
}

static void got_pool(struct made *m)
{
    PARAMS(cudaMallocFromPoolAsync_v11020);
    allocated(m, *p->ptr, p->size, MEM_DEVICE);
}

/* What this thread's call is giving back, if anything: before it returns another thread may have
 * been given the same bytes. */
static __thread struct { const void *at; struct block block; } leaving;

static void free_begins(struct made *m, const void *at)
{
    struct block *b = &leaving.block;
    leaving.at = block_remove(at, b) ? at : NULL;
    if (!leaving.at) {
        m->c->kind = CALL_OTHER;
        return;
    }
    m->c->dst = ADDRESS(at);
    m->c->bytes = b->bytes;
    m->c->dst_kind = b->kind;
    m->c->device = m->c->dst_device = b->device;
    /* cudaFree of a pool's memory waits for nothing. */
    if (b->async && !(m->c->flags & CALL_ASYNC)) {
        m->c->flags |= CALL_ASYNC;
        m->c->stream = NO_STREAM;
    }
}

static void free_failed(struct made *m)
{
    (void)m;
    if (leaving.at)
        block_add(leaving.at, leaving.block);
}

static void free_device(struct made *m)
{
    PARAMS(cudaFree_v3020);
    free_begins(m, p->devPtr);
}

static void free_host(struct made *m)
{
    PARAMS(cudaFreeHost_v3020);
    free_begins(m, p->ptr);
}

static void free_async(struct made *m)
{
    PARAMS(cudaFreeAsync_v11020);
    row_stream(m, p->hStream);
    free_begins(m, p->devPtr);
}

static void registered(struct made *m)
{
    PARAMS(cudaHostRegister_v4000);
    allocated(m, p->ptr, p->size, MEM_PINNED);
}

static void unregistered(struct made *m)
{
    PARAMS(cudaHostUnregister_v4000);
    free_begins(m, p->ptr);
}

static void got_handle(struct made *m)
{
    PARAMS(cudaIpcGetMemHandle_v4010);
    m->c->dst = ADDRESS(p->devPtr);
}

/* Another process's: what is in it stays as it is. */
static void opened(struct made *m)
{
    PARAMS(cudaIpcOpenMemHandle_v4010);
    size_t bytes = 0;
    cu.get_attribute(&bytes, CU_POINTER_ATTRIBUTE_RANGE_SIZE, (CUdeviceptr)*p->devPtr);
    m->c->dst = ADDRESS(*p->devPtr);
    m->c->bytes = bytes;
    m->c->dst_kind = MEM_DEVICE;
    m->c->dst_device = m->c->device;
    block_add(*p->devPtr, (struct block){ bytes, MEM_DEVICE, m->c->device, false });
}

static void closed(struct made *m)
{
    PARAMS(cudaIpcCloseMemHandle_v4010);
    free_begins(m, p->devPtr);
}

static void pool_made(struct made *m)
{
    PARAMS(cudaMemPoolCreate_v11020);
    m->c->dst = ADDRESS(*p->memPool);
}

static void pool_gone(struct made *m)
{
    PARAMS(cudaMemPoolDestroy_v11020);
    m->c->dst = ADDRESS(p->memPool);
}

const struct row rows_of_memory[] = {
    { .name = "cudaMalloc", .kind = CALL_MALLOC, .leave = got_device },
    { .name = "cudaMallocPitch", .kind = CALL_MALLOC, .leave = got_pitch },
    { .name = "cudaMallocHost", .kind = CALL_MALLOC, .leave = got_host },
    { .name = "cudaHostAlloc", .kind = CALL_MALLOC, .leave = got_host_alloc },
    { .name = "cudaMallocManaged", .kind = CALL_MALLOC, .leave = got_managed },
    { .name = "cudaMallocAsync", .kind = CALL_MALLOC, .flags = CALL_ASYNC, .enter = ask_async,
      .leave = got_async },
    { .name = "cudaMallocFromPoolAsync", .kind = CALL_MALLOC, .flags = CALL_ASYNC,
      .enter = ask_pool, .leave = got_pool },
    { .name = "cudaMemPoolCreate", .kind = CALL_OTHER, .leave = pool_made },
    { .name = "cudaMemPoolDestroy", .kind = CALL_OTHER, .leave = pool_gone },
    { .name = "cudaFree", .kind = CALL_FREE, .enter = free_device,
      .failed = free_failed },
    { .name = "cudaFreeHost", .kind = CALL_FREE, .enter = free_host,
      .failed = free_failed },
    { .name = "cudaFreeAsync", .kind = CALL_FREE, .flags = CALL_ASYNC, .enter = free_async,
      .failed = free_failed },
    { .name = "cudaHostRegister", .kind = CALL_REGISTER, .leave = registered },
    { .name = "cudaHostUnregister", .kind = CALL_UNREGISTER, .enter = unregistered,
      .failed = free_failed },
    { .name = "cudaIpcGetMemHandle", .kind = CALL_OTHER, .leave = got_handle },
    { .name = "cudaIpcOpenMemHandle", .kind = CALL_REGISTER, .leave = opened },
    { .name = "cudaIpcCloseMemHandle", .kind = CALL_UNREGISTER, .enter = closed,
      .failed = free_failed },
    { 0 },
};
