/* SPDX-License-Identifier: MIT */
/* Which calls hold up the host or the device, and which streams wait for which. */
#include "facts.h"

static const long long HOLD = 10 * MS;

static __global__ void other(int *p)
{
    if (p)
        *p = 0;
}

static __device__ int symbol[4];
static char *held_device, *held_pinned, *held_plain, *held_managed;

struct answer { bool host, device; };

/* What comes after the call: an empty kernel; where no two kernels run at once, a copy. */
static void after(cudaStream_t stream)
{
    if (t.card.concurrentKernels)
        busy<<<1, 1, 0, stream>>>(0);
    else
        CHECK(cudaMemcpyAsync(t.more, t.pinned_too, MIB, cudaMemcpyHostToDevice, stream));
}

/* A kernel in stream 0, the call, something in stream 1: who waits? */
template <typename F> struct answer ask(F call)
{
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    busy<<<1, 1, 0, t.s[0]>>>(HOLD);
    long long launched = now_ns();
    call();
    double called = (double)(now_ns() - launched);
    after(t.s[1]);
    CHECK(cudaStreamSynchronize(t.s[1]));
    double done = (double)(now_ns() - begin);
    CHECK(cudaDeviceSynchronize());
    return { called > 0.8 * HOLD, done > 0.95 * HOLD };
}

template <typename F> struct answer line(const char *what, F call)
{
    struct answer a = ask(call);
    observed("A kernel runs; the call; work in another stream", what,
             a.host ? a.device ? "holds up host and device" : "holds up the host" : a.device ? "holds up the device" : "holds up neither");
    return a;
}

static void barrier(const char *key, struct answer a, const char *what)
{
    char source[96];
    snprintf(source, sizeof source, "[M] %s while a kernel runs, then work in another stream", what);
    fact_known(key, "", a.device, source);
}

static void ask_calls(void)
{
    const size_t mib = MIB;
    const cudaMemcpyKind up = cudaMemcpyHostToDevice, inside = cudaMemcpyDeviceToDevice;
    held_plain = (char *)malloc(mib);
    memset(held_plain, 0, mib);
    barrier("barrier_malloc", line("cudaMalloc", [=] { CHECK(cudaMalloc(&held_device, mib)); }), "cudaMalloc");
    line("cudaFree", [] { CHECK(cudaFree(held_device)); });
    barrier("barrier_host_alloc", line("cudaMallocHost", [=] { CHECK(cudaMallocHost(&held_pinned, mib)); }), "cudaMallocHost");
    line("cudaFreeHost", [] { CHECK(cudaFreeHost(held_pinned)); });
    line("cudaHostRegister", [=] { CHECK(cudaHostRegister(held_plain, mib, cudaHostRegisterDefault)); });
    line("cudaHostUnregister", [] { CHECK(cudaHostUnregister(held_plain)); });
    if (t.card.managedMemory) {
        line("cudaMallocManaged", [=] { CHECK(cudaMallocManaged(&held_managed, mib)); });
        line("cudaFree of managed memory", [] { CHECK(cudaFree(held_managed)); });
    }
    barrier("barrier_memset", line("cudaMemsetAsync", [=] { CHECK(cudaMemsetAsync(t.device, 0, mib, t.s[1])); }), "cudaMemsetAsync");
    barrier("barrier_d2d", line("cudaMemcpyAsync in the device", [=] { CHECK(cudaMemcpyAsync(t.more, t.device, mib, inside, t.s[1])); }),
            "cudaMemcpyAsync in the device");
    barrier("barrier_cache_config", line("cudaFuncSetCacheConfig and a launch", [] {
        CHECK(cudaFuncSetCacheConfig(other, cudaFuncCachePreferShared));
        other<<<1, 1, 0, t.s[2]>>>(NULL);
        CHECK(cudaFuncSetCacheConfig(other, cudaFuncCachePreferNone));
    }), "cudaFuncSetCacheConfig and a launch");
    line("cudaMemcpyAsync to the device, pinned", [=] { CHECK(cudaMemcpyAsync(t.device, t.pinned, mib, up, t.s[1])); });
    line("cudaMemcpyAsync to the device, pageable", [=] { CHECK(cudaMemcpyAsync(t.device, t.pageable, mib, up, t.s[1])); });
    line("cudaMemcpyToSymbolAsync", [] { CHECK(cudaMemcpyToSymbolAsync(symbol, t.pinned, sizeof symbol, 0, up, t.s[1])); });
    line("cudaEventCreate and cudaEventDestroy", [] {
        cudaEvent_t e;
        CHECK(cudaEventCreate(&e));
        CHECK(cudaEventDestroy(e));
    });
    line("cudaStreamCreate and cudaStreamDestroy", [] {
        cudaStream_t s;
        CHECK(cudaStreamCreate(&s));
        CHECK(cudaStreamDestroy(s));
    });
    line("cudaStreamQuery of the busy stream", [] { cudaStreamQuery(t.s[0]); });
}

/* The default stream waits for blocking streams, and they for it: the two kernels are in such. */
static void ask_default_stream(void)
{
    cudaStream_t kept[2] = { t.s[0], t.s[1] };
    const size_t mib = MIB;
    const cudaMemcpyKind up = cudaMemcpyHostToDevice, inside = cudaMemcpyDeviceToDevice;
    for (int i = 0; i < 2; i++)
        CHECK(cudaStreamCreate(&t.s[i]));
    line("kernel in the NULL stream (here and below: blocking streams)", [] { busy<<<1, 1>>>(0); });
    line("cudaEventRecord in the NULL stream", [] { CHECK(cudaEventRecord(t.to, 0)); });
    line("cudaMemset", [=] { CHECK(cudaMemset(t.device, 0, mib)); });
    line("cudaMemcpy in the device", [=] { CHECK(cudaMemcpy(t.more, t.device, mib, inside)); });
    line("cudaMemcpy to the device, pageable", [=] { CHECK(cudaMemcpy(t.device, t.pageable, mib, up)); });
    line("cudaMemcpyToSymbol", [] { CHECK(cudaMemcpyToSymbol(symbol, t.pageable, sizeof symbol)); });
    line("cudaStreamQuery of the NULL stream", [] { cudaStreamQuery(0); });
    line("kernel in cudaStreamPerThread", [] { busy<<<1, 1, 0, cudaStreamPerThread>>>(0); });
    for (int i = 0; i < 2; i++) {
        CHECK(cudaStreamDestroy(t.s[i]));
        t.s[i] = kept[i];
    }
}

static void ask_matrix(void)
{
    static const char *const names[] = { "NULL", "blocking", "another blocking", "non-blocking", "per-thread" };
    cudaStream_t s[5] = { cudaStreamLegacy, 0, 0, t.s[0], cudaStreamPerThread };
    CHECK(cudaStreamCreate(&s[1]));
    CHECK(cudaStreamCreate(&s[2]));
    for (int row = 0; row < 5; row++) {
        char answer[64] = "";
        for (int column = 0; column < 5; column++) {
            CHECK(cudaDeviceSynchronize());
            busy<<<1, 1, 0, s[row]>>>(3 * MS);
            busy<<<1, 1, 0, s[column]>>>(0);
            CHECK(cudaEventRecord(t.done[0], s[column]));
            double ns = ns_of([] { CHECK(cudaEventSynchronize(t.done[0])); });
            CHECK(cudaDeviceSynchronize());
            strcat(strcat(answer, column ? " " : ""), ns > 2 * MS ? "w" : ".");
        }
        observed("A kernel in the row's stream; in NULL, two blocking, a non-blocking, the per-thread stream one waits (w) or not (.)",
                 names[row], answer);
    }
    CHECK(cudaStreamDestroy(s[1]));
    CHECK(cudaStreamDestroy(s[2]));
}

/* ---- graphs ---- */

static void ask_graphs(void)
{
    char what[64];
    observed_us("Host time of calls on a busy stream", "cudaMemsetAsync, 64 KiB", several(21, [] {
        busy<<<1, 1, 0, t.s[0]>>>(200 * US);
        double ns = ns_of([] { CHECK(cudaMemsetAsync(t.device, 0, 64 * KIB, t.s[0])); });
        CHECK(cudaDeviceSynchronize());
        return ns / 1e3;
    }));
    observed_us("Host time of calls on a busy stream", "cudaMemcpyAsync in the device, 64 KiB", several(21, [] {
        busy<<<1, 1, 0, t.s[0]>>>(200 * US);
        double ns = ns_of([] { CHECK(cudaMemcpyAsync(t.more, t.device, 64 * KIB, cudaMemcpyDeviceToDevice, t.s[0])); });
        CHECK(cudaDeviceSynchronize());
        return ns / 1e3;
    }));
    for (size_t kib : { 1, 16, 64 }) {
        snprintf(what, sizeof what, "cudaMemcpyAsync to the device, pinned, %zu KiB", kib);
        observed_us("Host time of calls on a busy stream", what, several(21, [=] {
            busy<<<1, 1, 0, t.s[0]>>>(200 * US);
            double ns = ns_of([=] { CHECK(cudaMemcpyAsync(t.device, t.pinned, kib * KIB, cudaMemcpyHostToDevice, t.s[0])); });
            CHECK(cudaDeviceSynchronize());
            return ns / 1e3;
        }));
    }
    observed_us("Host time of calls on a busy stream", "cudaMemsetAsync, 1 KiB", several(21, [] {
        busy<<<1, 1, 0, t.s[0]>>>(200 * US);
        double ns = ns_of([] { CHECK(cudaMemsetAsync(t.device, 0, KIB, t.s[0])); });
        CHECK(cudaDeviceSynchronize());
        return ns / 1e3;
    }));
    observed_us("Host time of calls on a busy stream", "cudaLaunchHostFunc", several(21, [] {
        busy<<<1, 1, 0, t.s[0]>>>(200 * US);
        double ns = ns_of([] { CHECK(cudaLaunchHostFunc(t.s[0], [](void *) {}, NULL)); });
        CHECK(cudaDeviceSynchronize());
        return ns / 1e3;
    }));
    const char *table = "A graph of kernels in a row that do nothing";
    for (int nodes : { 1, 10, 100 }) {
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        CHECK(cudaStreamBeginCapture(t.s[0], cudaStreamCaptureModeThreadLocal));
        for (int i = 0; i < nodes; i++)
            busy<<<1, 1, 0, t.s[0]>>>(0);
        CHECK(cudaStreamEndCapture(t.s[0], &graph));
        struct figure made = several(3, [&] {
            double ns = ns_of([&] { CHECK(cudaGraphInstantiate(&exec, graph, 0)); });
            CHECK(cudaGraphLaunch(exec, t.s[0]));
            CHECK(cudaDeviceSynchronize());
            return ns / 1e3;
        });
        struct figure call = several(21, [=] {
            busy<<<1, 1, 0, t.s[0]>>>(200 * US);
            double ns = ns_of([=] { CHECK(cudaGraphLaunch(exec, t.s[0])); });
            CHECK(cudaDeviceSynchronize());
            return ns / 1e3;
        });
        struct figure run = several(3, [=] { return ns_in_a_row([=] { CHECK(cudaGraphLaunch(exec, t.s[0])); }) / 1e3; });
        snprintf(what, sizeof what, "%d: cudaGraphInstantiate", nodes);
        observed_us(table, what, made);
        snprintf(what, sizeof what, "%d: cudaGraphLaunch", nodes);
        observed_us(table, what, call);
        snprintf(what, sizeof what, "%d: one of many in a row, on the device", nodes);
        observed_us(table, what, run);
    }
}

void measure_order(void)
{
    other<<<1, 1>>>(NULL);          /* loads them */
    busy<<<1, 1>>>(0);
    CHECK(cudaDeviceSynchronize());
    ask_calls();
    ask_default_stream();
    ask_matrix();
    ask_graphs();
}
