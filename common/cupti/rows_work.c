/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

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
    row_stream(m, p->stream);
}

static void launch_exc(struct made *m)
{
    PARAMS(cudaLaunchKernelExC_v11060);
    set_grid(m->c, p->config->gridDim, p->config->blockDim, p->config->dynamicSmemBytes);
    row_stream(m, p->config->stream);
}

/* ---- copies, memsets, prefetches ---- */

static void set_copy(struct made *m, const void *dst, const void *src, uint64_t bytes,
                     cudaStream_t stream)
{
    struct call *c = m->c;
    c->dst = ADDRESS(dst);
    c->src = ADDRESS(src);
    c->bytes = bytes;
    c->dst_kind = memory_at(dst, &c->dst_device);
    c->src_kind = memory_at(src, &c->src_device);
    if (bytes == 0)
        c->kind = CALL_OTHER;
    row_stream(m, stream);
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

static void set_symbol(struct made *m, bool to, const void *symbol, const void *other, size_t bytes,
                       enum cudaMemcpyKind kind, cudaStream_t stream)
{
    (void)kind;
    /* The symbol's own address stands for the variable's: it is not asked for, and as good a name.
     */
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
    row_stream(m, stream);
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

static void set_prefetch(struct made *m, const void *at, uint64_t bytes, bool host, int device,
                         cudaStream_t stream)
{
    struct call *c = m->c;
    c->src = ADDRESS(at);
    c->bytes = bytes;
    c->src_kind = MEM_MANAGED;
    c->dst_kind = host ? MEM_PAGEABLE : MEM_DEVICE;
    c->dst_device = host ? 0 : (uint32_t)device;
    row_stream(m, stream);
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
    set_prefetch(m, p->devPtr, p->count, p->location.type != cudaMemLocationTypeDevice,
                 p->location.id, p->stream);
}

/* ---- host functions ---- */

static void host_function(struct made *m)
{
    PARAMS(cudaLaunchHostFunc_v10000);
    m->c->cost = COST_UNKNOWN;
    row_stream(m, p->stream);
}

static void add_callback(struct made *m)
{
    PARAMS(cudaStreamAddCallback_v5000);
    m->c->cost = COST_UNKNOWN;
    row_stream(m, p->stream);
}

const struct row rows_of_work[] = {
    { .name = "cudaLaunchKernel", .kind = CALL_LAUNCH, .enter = launch },
    { .name = "__cudaLaunchKernel", .kind = CALL_LAUNCH, .enter = launch },
    { .name = "cudaLaunchCooperativeKernel", .kind = CALL_LAUNCH, .enter = launch },
    { .name = "cudaLaunchKernelExC", .kind = CALL_LAUNCH, .enter = launch_exc },
    { .name = "cudaMemcpy", .kind = CALL_COPY, .enter = copy },
    { .name = "cudaMemcpyAsync", .kind = CALL_COPY, .flags = CALL_ASYNC, .enter = copy_async },
    { .name = "cudaMemcpy2D", .kind = CALL_COPY, .enter = copy_2d },
    { .name = "cudaMemcpy2DAsync", .kind = CALL_COPY, .flags = CALL_ASYNC, .enter = copy_2d_async },
    { .name = "cudaMemcpyPeer", .kind = CALL_COPY, .enter = copy_peer },
    { .name = "cudaMemcpyPeerAsync", .kind = CALL_COPY, .flags = CALL_ASYNC,
      .enter = copy_peer_async },
    { .name = "cudaMemcpyToSymbol", .kind = CALL_COPY, .enter = to_symbol },
    { .name = "cudaMemcpyToSymbolAsync", .kind = CALL_COPY, .flags = CALL_ASYNC,
      .enter = to_symbol_async },
    { .name = "cudaMemcpyFromSymbol", .kind = CALL_COPY, .enter = from_symbol },
    { .name = "cudaMemcpyFromSymbolAsync", .kind = CALL_COPY, .flags = CALL_ASYNC,
      .enter = from_symbol_async },
    { .name = "cudaMemset", .kind = CALL_SET, .enter = set },
    { .name = "cudaMemsetAsync", .kind = CALL_SET, .flags = CALL_ASYNC, .enter = set_async },
    { .name = "cudaMemset2D", .kind = CALL_SET, .enter = set_2d },
    { .name = "cudaMemset2DAsync", .kind = CALL_SET, .flags = CALL_ASYNC, .enter = set_2d_async },
#if CUDART_VERSION < 13000
    { .name = "cudaMemPrefetchAsync", .kind = CALL_PREFETCH, .enter = prefetch_12 },
    { .name = "cudaMemPrefetchAsync_v2", .kind = CALL_PREFETCH, .enter = prefetch },
#else
    { .name = "cudaMemPrefetchAsync", .kind = CALL_PREFETCH, .enter = prefetch },
#endif
    { .name = "cudaLaunchHostFunc", .kind = CALL_HOST_FUNC, .enter = host_function },
    { .name = "cudaStreamAddCallback", .kind = CALL_HOST_FUNC, .enter = add_callback },
    { 0 },
};
