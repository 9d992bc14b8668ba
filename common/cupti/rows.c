/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"

static unsigned captures;       /* that are going on */

#define PARAMS(type) const type##_params *p = (const type##_params *)m->params
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

static void set_stream(struct made *m, cudaStream_t stream)
{
    m->stream = stream == NULL && m->per_thread ? cudaStreamPerThread : stream;
    m->c->stream = stream_number(stream, m->per_thread, m->c->device);
}

/* ---- launches ---- */

uint32_t call_kernel_name(const char *symbol)
{
    static char *(*demangle)(const char *, char *, size_t *, int *);
    static bool looked;
    if (!looked)
        *(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
    looked = true;
    int status = -1;
    char *plain = demangle && symbol ? demangle(symbol, NULL, NULL, &status) : NULL;
    if (!plain)
        return record_string(symbol);
    /* Without what it returns, its parameters and its template's arguments. */
    char *at = plain, *space = strchr(plain, ' '), *open = strpbrk(plain, "<(");
    if (space && open && space < open)
        at = space + 1;
    at[strcspn(at, "<(")] = '\0';
    uint32_t name = record_string(at);
    free(plain);
    return name;
}

static void set_grid(struct call *c, dim3 grid, dim3 block, size_t shared)
{
    const uint32_t g[3] = { grid.x, grid.y, grid.z }, b[3] = { block.x, block.y, block.z };
    memcpy(c->grid, g, sizeof g);
    memcpy(c->block, b, sizeof b);
    c->shared = (uint32_t)shared;
}

static void launch(struct made *m)
{
    PARAMS(cudaLaunchKernel_v7000);
    set_grid(m->c, p->gridDim, p->blockDim, p->sharedMem);
    set_stream(m, p->stream);
}

static void launch_exc(struct made *m)
{
    PARAMS(cudaLaunchKernelExC_v11060);
    set_grid(m->c, p->config->gridDim, p->config->blockDim, p->config->dynamicSmemBytes);
    set_stream(m, p->config->stream);
}

/* ---- copies, memsets, prefetches ---- */

static void set_copy(struct made *m, const void *dst, const void *src, uint64_t bytes, cudaStream_t stream)
{
    struct call *c = m->c;
    c->dst = ADDRESS(dst);
    c->src = ADDRESS(src);
    c->bytes = bytes;
    c->dst_kind = memory_at(dst, &c->dst_device);
    c->src_kind = memory_at(src, &c->src_device);
    if (bytes == 0)
        c->kind = CALL_OTHER;
    set_stream(m, stream);
}

static void copy(struct made *m)
{
    PARAMS(cudaMemcpy_v3020);
    set_copy(m, p->dst, p->src, p->count, NULL);
}

static void copy_async(struct made *m)
{
    PARAMS(cudaMemcpyAsync_v3020);
    set_copy(m, p->dst, p->src, p->count, p->stream);
}

static void copy_2d(struct made *m)
{
    PARAMS(cudaMemcpy2D_v3020);
    set_copy(m, p->dst, p->src, p->width * p->height, NULL);
    call_set_rows(m->c, p->height, p->dpitch, p->spitch);
}

static void copy_2d_async(struct made *m)
{
    PARAMS(cudaMemcpy2DAsync_v3020);
    set_copy(m, p->dst, p->src, p->width * p->height, p->stream);
    call_set_rows(m->c, p->height, p->dpitch, p->spitch);
}

static void copy_peer(struct made *m)
{
    PARAMS(cudaMemcpyPeer_v4000);
    set_copy(m, p->dst, p->src, p->count, NULL);
}

static void copy_peer_async(struct made *m)
{
    PARAMS(cudaMemcpyPeerAsync_v4000);
    set_copy(m, p->dst, p->src, p->count, p->stream);
}

static void set_symbol(struct made *m, bool to, const void *symbol, const void *other, size_t bytes, enum cudaMemcpyKind kind,
                       cudaStream_t stream)
{
    (void)kind;
    /* The symbol's own address stands for the variable's: it is not asked for, and as good a name. */
    set_copy(m, to ? symbol : other, to ? other : symbol, bytes, stream);
    *(to ? &m->c->dst_kind : &m->c->src_kind) = MEM_DEVICE;
    *(to ? &m->c->dst_device : &m->c->src_device) = m->c->device;
}

static void to_symbol(struct made *m)
{
    PARAMS(cudaMemcpyToSymbol_v3020);
    set_symbol(m, true, (const char *)p->symbol + p->offset, p->src, p->count, p->kind, NULL);
}

static void to_symbol_async(struct made *m)
{
    PARAMS(cudaMemcpyToSymbolAsync_v3020);
    set_symbol(m, true, (const char *)p->symbol + p->offset, p->src, p->count, p->kind, p->stream);
}

static void from_symbol(struct made *m)
{
    PARAMS(cudaMemcpyFromSymbol_v3020);
    set_symbol(m, false, (const char *)p->symbol + p->offset, p->dst, p->count, p->kind, NULL);
}

static void from_symbol_async(struct made *m)
{
    PARAMS(cudaMemcpyFromSymbolAsync_v3020);
    set_symbol(m, false, (const char *)p->symbol + p->offset, p->dst, p->count, p->kind, p->stream);
}

static void set_memset(struct made *m, const void *at, uint64_t bytes, cudaStream_t stream)
{
    m->c->dst = ADDRESS(at);
    m->c->bytes = bytes;
    m->c->dst_kind = memory_at(at, &m->c->dst_device);
    if (bytes == 0)
        m->c->kind = CALL_OTHER;
    set_stream(m, stream);
}

static void set(struct made *m)
{
    PARAMS(cudaMemset_v3020);
    set_memset(m, p->devPtr, p->count, NULL);
}

static void set_async(struct made *m)
{
    PARAMS(cudaMemsetAsync_v3020);
    set_memset(m, p->devPtr, p->count, p->stream);
}

static void set_2d(struct made *m)
{
    PARAMS(cudaMemset2D_v3020);
    set_memset(m, p->devPtr, p->width * p->height, NULL);
    call_set_rows(m->c, p->height, p->pitch, 0);
}

static void set_2d_async(struct made *m)
{
    PARAMS(cudaMemset2DAsync_v3020);
    set_memset(m, p->devPtr, p->width * p->height, p->stream);
    call_set_rows(m->c, p->height, p->pitch, 0);
}

static void set_prefetch(struct made *m, const void *at, uint64_t bytes, bool host, int device, cudaStream_t stream)
{
    struct call *c = m->c;
    c->src = ADDRESS(at);
    c->bytes = bytes;
    c->src_kind = MEM_MANAGED;
    c->dst_kind = host ? MEM_PAGEABLE : MEM_DEVICE;
    c->dst_device = host ? 0 : (uint32_t)device;
    set_stream(m, stream);
}

#if CUDART_VERSION < 13000
static void prefetch_12(struct made *m)
{
    PARAMS(cudaMemPrefetchAsync_v8000);
    set_prefetch(m, p->devPtr, p->count, p->dstDevice == cudaCpuDeviceId, p->dstDevice, p->stream);
}
#define cudaMemPrefetchAsync_v12020_params cudaMemPrefetchAsync_v2_v12020_params
#endif

static void prefetch(struct made *m)
{
    PARAMS(cudaMemPrefetchAsync_v12020);
    set_prefetch(m, p->devPtr, p->count, p->location.type != cudaMemLocationTypeDevice, p->location.id, p->stream);
}

/* ---- host functions ---- */

static void host_function(struct made *m)
{
    PARAMS(cudaLaunchHostFunc_v10000);
    m->c->cost = COST_UNKNOWN;
    set_stream(m, p->stream);
}

static void add_callback(struct made *m)
{
    PARAMS(cudaStreamAddCallback_v5000);
    m->c->cost = COST_UNKNOWN;
    set_stream(m, p->stream);
}

/* ---- streams ---- */

static void made_stream(struct made *m, cudaStream_t stream, unsigned flags, int priority)
{
    m->c->stream = stream_add(stream);
    m->c->device = stream_device(m->c->stream);
    m->c->flags = flags & cudaStreamNonBlocking ? STREAM_NON_BLOCKING : 0;
    m->c->priority = priority;
}

static void stream_created(struct made *m)
{
    PARAMS(cudaStreamCreate_v3020);
    made_stream(m, *p->pStream, 0, 0);
}

static void stream_created_flags(struct made *m)
{
    PARAMS(cudaStreamCreateWithFlags_v5000);
    made_stream(m, *p->pStream, p->flags, 0);
}

static void stream_created_priority(struct made *m)
{
    PARAMS(cudaStreamCreateWithPriority_v5050);
    made_stream(m, *p->pStream, p->flags, p->priority);
}

/* cudaStreamDestroy, Synchronize and Query have the same parameter. */
static void the_stream(struct made *m)
{
    PARAMS(cudaStreamSynchronize_v3020);
    set_stream(m, p->stream);
}

static void stream_gone(struct made *m)
{
    PARAMS(cudaStreamDestroy_v5050);
    stream_remove(p->stream);
}

static void wait_event(struct made *m)
{
    PARAMS(cudaStreamWaitEvent_v3020);
    m->c->event = event_number(p->event);
    set_stream(m, p->stream);
}

static void capture_began(struct made *m)
{
    (void)m;
    captures++;
}

static void capture_ended(struct made *m)
{
    PARAMS(cudaStreamEndCapture_v10000);
    captures -= captures > 0;
    m->c->dst = p->pGraph ? ADDRESS(*p->pGraph) : 0;
}

/* ---- events ---- */

static void made_event(struct made *m, cudaEvent_t event, unsigned flags)
{
    m->c->event = event_add(event);
    m->c->flags = (flags & cudaEventDisableTiming ? EVENT_NO_TIMING : 0u) |
                  (flags & cudaEventBlockingSync ? EVENT_BLOCKING_SYNC : 0u) |
                  (flags & cudaEventInterprocess ? EVENT_INTERPROCESS : 0u);
}

static void event_created(struct made *m)
{
    PARAMS(cudaEventCreate_v3020);
    made_event(m, *p->event, 0);
}

static void event_created_flags(struct made *m)
{
    PARAMS(cudaEventCreateWithFlags_v3020);
    made_event(m, *p->event, p->flags);
}

/* cudaEventDestroy, Synchronize and Query have the same parameter. */
static void the_event(struct made *m)
{
    PARAMS(cudaEventSynchronize_v3020);
    m->c->event = event_number(p->event);
}

static void event_gone(struct made *m)
{
    PARAMS(cudaEventDestroy_v3020);
    event_remove(p->event);
}

/* WithFlags begins with the same parameters. */
static void record_event(struct made *m)
{
    PARAMS(cudaEventRecord_v3020);
    m->c->event = event_number(p->event);
    set_stream(m, p->stream);
}

/* ---- memory ---- */

static void poison(struct call *c)
{
    static CUstream stream;
    if (!getenv(EXCHANGE_OUTPUT) || captures > 0)
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
    set_stream(m, p->hStream);
}

static void got_async(struct made *m)
{
    PARAMS(cudaMallocAsync_v11020);
    allocated(m, *p->devPtr, p->size, MEM_DEVICE);
}

static void ask_pool(struct made *m)
{
    PARAMS(cudaMallocFromPoolAsync_v11020);
    set_stream(m, p->stream);
}

static void got_pool(struct made *m)
{
    PARAMS(cudaMallocFromPoolAsync_v11020);
    allocated(m, *p->ptr, p->size, MEM_DEVICE);
}

static void freed(struct made *m, const void *at)
{
    struct block b;
    if (!block_remove(at, &b)) {
        m->c->kind = CALL_OTHER;
        return;
    }
    m->c->dst = ADDRESS(at);
    m->c->bytes = b.bytes;
    m->c->dst_kind = b.kind;
    m->c->device = m->c->dst_device = b.device;
    /* cudaFree of a pool's memory waits for nothing. */
    if (b.async && !(m->c->flags & CALL_ASYNC)) {
        m->c->flags |= CALL_ASYNC;
        m->c->stream = NO_STREAM;
    }
}

static void free_device(struct made *m)
{
    PARAMS(cudaFree_v3020);
    freed(m, p->devPtr);
}

static void free_host(struct made *m)
{
    PARAMS(cudaFreeHost_v3020);
    freed(m, p->ptr);
}

static void ask_free_async(struct made *m)
{
    PARAMS(cudaFreeAsync_v11020);
    set_stream(m, p->hStream);
}

static void free_async(struct made *m)
{
    PARAMS(cudaFreeAsync_v11020);
    freed(m, p->devPtr);
}

static void registered(struct made *m)
{
    PARAMS(cudaHostRegister_v4000);
    allocated(m, p->ptr, p->size, MEM_PINNED);
}

static void unregistered(struct made *m)
{
    PARAMS(cudaHostUnregister_v4000);
    freed(m, p->ptr);
}

/* ---- graphs ---- */

/* All three begin with the same two. */
static void instantiated(struct made *m)
{
    PARAMS(cudaGraphInstantiateWithFlags_v11040);
    graph_instantiated(*p->pGraphExec, p->graph);
    m->c->dst = ADDRESS(*p->pGraphExec);
}

static void exec_destroyed(struct made *m)
{
    PARAMS(cudaGraphExecDestroy_v10000);
    graph_destroyed(p->graphExec);
    m->c->dst = ADDRESS(p->graphExec);
}

static void graph_created(struct made *m)
{
    PARAMS(cudaGraphCreate_v10000);
    m->c->dst = ADDRESS(*p->pGraph);
}

static void graph_cloned(struct made *m)
{
    PARAMS(cudaGraphClone_v10000);
    m->c->dst = ADDRESS(*p->pGraphClone);
}

static void graph_gone(struct made *m)
{
    PARAMS(cudaGraphDestroy_v10000);
    m->c->dst = ADDRESS(p->graph);
}

static void launch_graph(struct made *m)
{
    PARAMS(cudaGraphLaunch_v10000);
    m->c->src = graph_number(p->graphExec);
    set_stream(m, p->stream);
}

static const struct row rows[] = {
    { "cudaLaunchKernel", CALL_LAUNCH, 0, launch, NULL },
    { "__cudaLaunchKernel", CALL_LAUNCH, 0, launch, NULL },
    { "cudaLaunchCooperativeKernel", CALL_LAUNCH, 0, launch, NULL },
    { "cudaLaunchKernelExC", CALL_LAUNCH, 0, launch_exc, NULL },
    { "cudaMemcpy", CALL_COPY, 0, copy, NULL },
    { "cudaMemcpyAsync", CALL_COPY, CALL_ASYNC, copy_async, NULL },
    { "cudaMemcpy2D", CALL_COPY, 0, copy_2d, NULL },
    { "cudaMemcpy2DAsync", CALL_COPY, CALL_ASYNC, copy_2d_async, NULL },
    { "cudaMemcpyPeer", CALL_COPY, 0, copy_peer, NULL },
    { "cudaMemcpyPeerAsync", CALL_COPY, CALL_ASYNC, copy_peer_async, NULL },
    { "cudaMemcpyToSymbol", CALL_COPY, 0, to_symbol, NULL },
    { "cudaMemcpyToSymbolAsync", CALL_COPY, CALL_ASYNC, to_symbol_async, NULL },
    { "cudaMemcpyFromSymbol", CALL_COPY, 0, from_symbol, NULL },
    { "cudaMemcpyFromSymbolAsync", CALL_COPY, CALL_ASYNC, from_symbol_async, NULL },
    { "cudaMemset", CALL_SET, 0, set, NULL },
    { "cudaMemsetAsync", CALL_SET, CALL_ASYNC, set_async, NULL },
    { "cudaMemset2D", CALL_SET, 0, set_2d, NULL },
    { "cudaMemset2DAsync", CALL_SET, CALL_ASYNC, set_2d_async, NULL },
#if CUDART_VERSION < 13000
    { "cudaMemPrefetchAsync", CALL_PREFETCH, 0, prefetch_12, NULL },
    { "cudaMemPrefetchAsync_v2", CALL_PREFETCH, 0, prefetch, NULL },
#else
    { "cudaMemPrefetchAsync", CALL_PREFETCH, 0, prefetch, NULL },
#endif
    { "cudaLaunchHostFunc", CALL_HOST_FUNC, 0, host_function, NULL },
    { "cudaStreamAddCallback", CALL_HOST_FUNC, 0, add_callback, NULL },
    { "cudaEventRecord", CALL_EVENT_RECORD, 0, record_event, NULL },
    { "cudaEventRecordWithFlags", CALL_EVENT_RECORD, 0, record_event, NULL },
    { "cudaStreamWaitEvent", CALL_STREAM_WAIT, 0, wait_event, NULL },
    { "cudaGraphLaunch", CALL_GRAPH_LAUNCH, 0, launch_graph, NULL },
    { "cudaStreamSynchronize", CALL_STREAM_SYNC, 0, the_stream, NULL },
    { "cudaDeviceSynchronize", CALL_DEVICE_SYNC, 0, NULL, NULL },
    { "cudaEventSynchronize", CALL_EVENT_SYNC, 0, the_event, NULL },
    { "cudaStreamQuery", CALL_STREAM_QUERY, 0, the_stream, NULL },
    { "cudaEventQuery", CALL_EVENT_QUERY, 0, the_event, NULL },
    { "cudaStreamCreate", CALL_STREAM_CREATE, 0, NULL, stream_created },
    { "cudaStreamCreateWithFlags", CALL_STREAM_CREATE, 0, NULL, stream_created_flags },
    { "cudaStreamCreateWithPriority", CALL_STREAM_CREATE, 0, NULL, stream_created_priority },
    { "cudaStreamDestroy", CALL_STREAM_DESTROY, 0, the_stream, stream_gone },
    { "cudaStreamBeginCapture", CALL_OTHER, 0, NULL, capture_began },
    { "cudaStreamBeginCaptureToGraph", CALL_OTHER, 0, NULL, capture_began },
    { "cudaStreamEndCapture", CALL_OTHER, 0, NULL, capture_ended },
    { "cudaEventCreate", CALL_EVENT_CREATE, 0, NULL, event_created },
    { "cudaEventCreateWithFlags", CALL_EVENT_CREATE, 0, NULL, event_created_flags },
    { "cudaEventDestroy", CALL_EVENT_DESTROY, 0, the_event, event_gone },
    { "cudaMalloc", CALL_MALLOC, 0, NULL, got_device },
    { "cudaMallocPitch", CALL_MALLOC, 0, NULL, got_pitch },
    { "cudaMallocHost", CALL_MALLOC, 0, NULL, got_host },
    { "cudaHostAlloc", CALL_MALLOC, 0, NULL, got_host_alloc },
    { "cudaMallocManaged", CALL_MALLOC, 0, NULL, got_managed },
    { "cudaMallocAsync", CALL_MALLOC, CALL_ASYNC, ask_async, got_async },
    { "cudaMallocFromPoolAsync", CALL_MALLOC, CALL_ASYNC, ask_pool, got_pool },
    { "cudaFree", CALL_FREE, 0, NULL, free_device },
    { "cudaFreeHost", CALL_FREE, 0, NULL, free_host },
    { "cudaFreeAsync", CALL_FREE, CALL_ASYNC, ask_free_async, free_async },
    { "cudaHostRegister", CALL_REGISTER, 0, NULL, registered },
    { "cudaHostUnregister", CALL_UNREGISTER, 0, NULL, unregistered },
    { "cudaGraphCreate", CALL_OTHER, 0, NULL, graph_created },
    { "cudaGraphClone", CALL_OTHER, 0, NULL, graph_cloned },
    { "cudaGraphDestroy", CALL_OTHER, 0, NULL, graph_gone },
    { "cudaGraphInstantiate", CALL_OTHER, 0, NULL, instantiated },
    { "cudaGraphInstantiateWithFlags", CALL_OTHER, 0, NULL, instantiated },
    { "cudaGraphInstantiateWithParams", CALL_OTHER, 0, NULL, instantiated },
    { "cudaGraphExecDestroy", CALL_OTHER, 0, NULL, exec_destroyed },
    { "cudaDeviceReset", CALL_DEVICE_SYNC, 0, NULL, NULL },
};

const struct row *row_of(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

bool goes_into_graph(cudaStream_t stream)
{
    CUstreamCaptureStatus status;
    return captures > 0 && cu.is_capturing((CUstream)stream, &status) == CUDA_SUCCESS &&
           status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}
