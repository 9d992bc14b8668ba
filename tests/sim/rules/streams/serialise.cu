/* SPDX-License-Identifier: MIT */
/* Which calls wait for a kernel that runs in another stream, and which hold later work of a third up?
 * All of it measured [M]; in brackets what the older guide says of it. */
#include <stdlib.h>

#include "../rule.h"

static const size_t MIB = 1 << 20;
static const long long RUNS = 5 * LONG;

__constant__ int symbol;

__global__ void uses_shared(int *p)
{
    extern __shared__ int room[];
    room[threadIdx.x] = 1;
    *p = room[0];
}

struct outcome { bool host, device; };

static cudaStream_t a, b;

/* A long kernel in `a`, then `x`, then an empty kernel in `b`. */
template <typename F> static outcome beside(F x)
{
    outcome o;
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    busy<<<1, 1, 0, a>>>(RUNS);
    x();
    o.host = now_ns() - begin > RUNS / 2;
    busy<<<1, 1, 0, b>>>(0);
    CHECK(cudaStreamSynchronize(b));
    o.device = now_ns() - begin > RUNS / 2;
    CHECK(cudaDeviceSynchronize());
    return o;
}

template <typename F> static bool waits(F x)
{
    return beside(x).host;
}

template <typename F> static bool is_a_barrier(F x)
{
    outcome o = beside(x);
    return !o.host && o.device;
}

template <typename F> static bool passes(F x)
{
    outcome o = beside(x);
    return !o.host && !o.device;
}

int main()
{
    int *d = on_device<int>(MIB), *e = on_device<int>(MIB), *p = pinned<int>(16 * MIB / sizeof(int)), *q, *r, value = 1;
    char *pageable = (char *)malloc(64 * MIB), *large = on_device<char>(64 * MIB);
    void *host = aligned_alloc(4096, MIB);
    memset(pageable, 1, 64 * MIB);
    memset(host, 1, MIB);
    warm_up(d);
    CHECK(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 << 10));
    uses_shared<<<1, 1, 1024>>>(d);
    CHECK(cudaMemcpyToSymbol(symbol, &value, sizeof value));
    a = stream();
    b = stream();

    rule(passes([&] { CHECK(cudaMalloc(&q, MIB)); }), "cudaMalloc of 1 MiB holds nobody up [listed]");
    rule(waits([&] { CHECK(cudaFree(q)); }), "cudaFree waits for all streams");
    rule(passes([&] { CHECK(cudaMalloc(&q, 1024 * MIB)); }), "cudaMalloc of 1 GiB holds nobody up [listed]");
    CHECK(cudaFree(q));
    rule(passes([&] { CHECK(cudaMallocHost(&q, MIB)); }), "cudaMallocHost holds nobody up [listed]");
    rule(waits([&] { CHECK(cudaFreeHost(q)); }), "cudaFreeHost waits for all streams");
    rule(passes([&] { CHECK(cudaHostRegister(host, MIB, cudaHostRegisterDefault)); }), "cudaHostRegister holds nobody up");
    rule(waits([&] { CHECK(cudaHostUnregister(host)); }), "cudaHostUnregister waits for all streams");
    rule(passes([&] { CHECK(cudaMallocManaged(&q, MIB)); }), "cudaMallocManaged holds nobody up");
    rule(waits([&] { CHECK(cudaFree(q)); }), "cudaFree of managed memory waits for all streams");
    rule(passes([&] {
             CHECK(cudaMallocAsync((void **)&r, MIB, b));
             CHECK(cudaFreeAsync(r, b));
         }),
         "cudaMallocAsync and cudaFreeAsync hold nobody up");

    rule(is_a_barrier([&] { CHECK(cudaMemset(d, 0, MIB)); }), "cudaMemset is a barrier for the device, not for the host [listed]");
    rule(passes([&] { CHECK(cudaMemsetAsync(d, 0, MIB, b)); }), "cudaMemsetAsync in a stream is not");
    rule(is_a_barrier([&] { CHECK(cudaMemcpy(e, d, MIB, cudaMemcpyDeviceToDevice)); }),
         "cudaMemcpy inside the device is a barrier for the device, not for the host [listed]");
    rule(passes([&] { CHECK(cudaMemcpyAsync(e, d, MIB, cudaMemcpyDeviceToDevice, b)); }), "in a stream it is not");
    rule(waits([&] { CHECK(cudaMemcpy(d, pageable, 64 << 10, cudaMemcpyHostToDevice)); }) &&
             waits([&] { CHECK(cudaMemcpy(d, pageable, MIB, cudaMemcpyHostToDevice)); }),
         "cudaMemcpy from pageable memory waits for blocking streams");
    rule(passes([&] { CHECK(cudaMemcpyAsync(d, pageable, MIB, cudaMemcpyHostToDevice, b)); }),
         "cudaMemcpyAsync from pageable memory waits for no other stream");
    rule(passes([&] { CHECK(cudaMemcpyAsync(large, pageable, 64 * MIB, cudaMemcpyHostToDevice, b)); }),
         "nor does a large one, though it takes its time");
    rule(passes([&] { CHECK(cudaMemcpyAsync(d, p, MIB, cudaMemcpyHostToDevice, b)); }),
         "cudaMemcpyAsync from pinned memory holds nobody up");
    rule(waits([&] { CHECK(cudaMemcpyToSymbol(symbol, &value, sizeof value)); }), "cudaMemcpyToSymbol waits for blocking streams");
    rule(passes([&] { CHECK(cudaMemcpyToSymbolAsync(symbol, &value, sizeof value, 0, cudaMemcpyHostToDevice, b)); }),
         "cudaMemcpyToSymbolAsync in a stream does not");

    rule(is_a_barrier([&] { busy<<<1, 1>>>(0); }), "a kernel in the default stream is a barrier for the device [listed]");
    rule(passes([&] { busy<<<1, 1, 0, cudaStreamPerThread>>>(0); }), "one in the per-thread default stream is not");
    cudaEvent_t mark = event(), other;
    rule(is_a_barrier([&] { CHECK(cudaEventRecord(mark, 0)); }), "cudaEventRecord in the default stream is a barrier");
    rule(passes([&] { cudaStreamQuery(0); }) && passes([&] { cudaStreamQuery(a); }), "cudaStreamQuery holds nobody up");
    forget_errors();
    rule(passes([&] {
             CHECK(cudaEventCreate(&other));
             CHECK(cudaEventDestroy(other));
             cudaStream_t s = stream();
             CHECK(cudaStreamDestroy(s));
         }),
         "events and streams come and go and hold nobody up");

    rule(passes([&] {
             CHECK(cudaFuncSetAttribute(uses_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 40 << 10));
             uses_shared<<<1, 1, 40 << 10, b>>>(d);
         }),
         "a launch with another share of shared memory holds nobody up [listed]");
    rule(passes([&] { CHECK(cudaFuncSetCacheConfig(busy, cudaFuncCachePreferShared)); }),
         "cudaFuncSetCacheConfig holds nobody up [listed]");
    rule(passes([&] {
             struct cudaDeviceProp prop;
             size_t free, total;
             int number;
             CHECK(cudaGetDeviceProperties(&prop, 0));
             CHECK(cudaMemGetInfo(&free, &total));
             CHECK(cudaDeviceGetAttribute(&number, cudaDevAttrMultiProcessorCount, 0));
             CHECK(cudaDeviceGetLimit(&free, cudaLimitStackSize));
         }),
         "asking the device holds nobody up");
    rule(passes([&] { CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 * MIB)); }), "cudaDeviceSetLimit holds nobody up");
    rule(passes([&] {
             cudaGraph_t graph;
             cudaGraphExec_t exec;
             CHECK(cudaStreamBeginCapture(b, cudaStreamCaptureModeRelaxed));
             busy<<<1, 1, 0, b>>>(0);
             CHECK(cudaStreamEndCapture(b, &graph));
             CHECK(cudaGraphInstantiate(&exec, graph, 0));
             CHECK(cudaGraphExecDestroy(exec));
             CHECK(cudaGraphDestroy(graph));
         }),
         "capturing, instantiating and destroying a graph hold nobody up");
    free(pageable);
    free(host);
    return rules_end();
}
