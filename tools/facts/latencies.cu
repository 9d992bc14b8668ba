/* SPDX-License-Identifier: MIT */
/* Host time of calls, and what the device takes beside the work itself. */
#include "facts.h"

#include <math.h>

/* The demo of overlap: its blocks are what a kernel without a declared cost takes. */
static __global__ void demo(float *a)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i, s = sinf(x), c = cosf(x);
    a[i] = a[i] + sqrtf(s * s + c * c);
}

template <int N> __global__ void nothing(long long ns)
{
    kernel_cost(ns);
}

/* ---- host time of calls ---- */

/* What the clock itself takes. */
static double clock_ns(void)
{
    return several(31, [] { return ns_of([] {}); }).middle;
}

/* Microseconds of a call, each timed by itself while the device is busy (`hold` ns; 0: while it is idle). */
template <typename F> struct figure call_us(int times, long long hold, F call)
{
    double values[SAMPLES], clock = clock_ns();
    for (int i = -2; i < times; i++) {
        if (i <= 0 && hold > 0) {
            busy<<<1, 1, 0, t.s[0]>>>(hold);
            CHECK(cudaEventRecord(t.to, t.s[0]));
        }
        double ns = ns_of(call) - clock;
        if (i >= 0)
            values[i] = ns / 1e3;
    }
    CHECK(cudaDeviceSynchronize());
    return middle_of(values, times);
}

/* Microseconds of pinning `mib` MiB. */
static double pin_us(size_t mib)
{
    char *p;
    double ns = ns_of([&] { CHECK(cudaMallocHost(&p, mib * MIB)); });
    CHECK(cudaFreeHost(p));
    return ns / 1e3;
}

static void measure_pinning(void)
{
    double one[7], all[7];
    for (int i = 0; i < 7; i++) {
        one[i] = (pin_us(64) - pin_us(4)) / 60;
        all[i] = pin_us(1) - one[i];
    }
    fact("pin_mib_ns", "us", middle_of(one, 7), "cudaMallocHost, slope from 4 to 64 MiB");
    fact("call_host_alloc", "us", middle_of(all, 7), "cudaMallocHost of 1 MiB less pin_mib_ns");
}

/* One of many calls, over streams that are all busy. */
template <typename F> double one_of_many_us(F call)
{
    const int count = 96;
    CHECK(cudaDeviceSynchronize());
    for (auto &s : t.s)
        busy<<<1, 1, 0, s>>>(5 * MS);
    double ns = ns_of([=] {
        for (int i = 0; i < count; i++)
            call(t.s[i % 4]);
    });
    CHECK(cudaDeviceSynchronize());
    return ns / 1e3 / count;
}

static double launch_us(void)
{
    return one_of_many_us([](cudaStream_t s) { busy<<<1, 1, 0, s>>>(0); });
}

static double copy_inside_us(void)
{
    return one_of_many_us([](cudaStream_t s) { CHECK(cudaMemcpyAsync(t.more, t.device, 64 * KIB, cudaMemcpyDeviceToDevice, s)); });
}

/* Of a wait in a stream whose kernel has been over for a while, as the host could not know. */
static double sync_us(void)
{
    busy<<<1, 1, 0, t.s[0]>>>(0);
    for (long long begin = now_ns(); now_ns() - begin < 200 * US;)
        ;
    return ns_of([] { CHECK(cudaStreamSynchronize(t.s[0])); }) / 1e3;
}

/* A graph of `kernels` kernels in a row that do nothing. */
static cudaGraphExec_t graph_of(int kernels)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(t.s[0], cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < kernels; i++)
        busy<<<1, 1, 0, t.s[0]>>>(0);
    CHECK(cudaStreamEndCapture(t.s[0], &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphLaunch(exec, t.s[0]));
    CHECK(cudaDeviceSynchronize());
    return exec;
}

void measure_calls(void)
{
    const int n = 41;
    cudaGraphExec_t graph = graph_of(10);
    launch_us();
    fact("call_launch", "us", several(15, launch_us), "one of 96 kernels over four busy streams");
    fact("call_d2d", "us", several(15, [] {
        double more = copy_inside_us() - launch_us();
        return more > 0 ? more : 0;
    }), "one of 96 copies in the device over four busy streams, beside a launch");
    fact("call_graph", "us", call_us(n, 5 * MS, [=] { CHECK(cudaGraphLaunch(graph, t.s[0])); }), "cudaGraphLaunch, ten kernels");
    CHECK(cudaGraphExecDestroy(graph));
    fact("call_copy", "us", call_us(n, 5 * MS, [] {
        CHECK(cudaMemcpyAsync(t.device, t.pinned, MIB, cudaMemcpyHostToDevice, t.s[0]));
    }), "cudaMemcpyAsync, pinned, 1 MiB");
    fact("call_record", "us", call_us(n, 5 * MS, [] { CHECK(cudaEventRecord(t.to, t.s[0])); }), "cudaEventRecord");
    cudaEvent_t mark;
    CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    fact("call_mark", "us", call_us(n, 5 * MS, [=] { CHECK(cudaEventRecord(mark, t.s[0])); }), "cudaEventRecord without timing");
    CHECK(cudaEventDestroy(mark));
    fact("call_wait", "us", call_us(n, 5 * MS, [] { CHECK(cudaStreamWaitEvent(t.s[1], t.to, 0)); }), "cudaStreamWaitEvent");
    fact("call_query", "us", call_us(n, 5 * MS, [] { cudaEventQuery(t.to); }), "cudaEventQuery of one that is to come");
    fact("call_sync", "us", several(n, sync_us), "cudaStreamSynchronize with nothing to wait for, 200 us after a kernel");

    static void *pieces[SAMPLES];
    static cudaStream_t streams[SAMPLES];
    static cudaEvent_t events[SAMPLES];
    int at = 0;
    fact("call_malloc", "us", call_us(n, 0, [&] { CHECK(cudaMalloc(&pieces[at++], MIB)); }), "cudaMalloc of 1 MiB");
    fact("call_free", "us", call_us(n, 0, [&] { CHECK(cudaFree(pieces[--at])); }), "cudaFree of 1 MiB, nothing running");
    fact("call_stream_create", "us", call_us(n, 0, [&] { CHECK(cudaStreamCreateWithFlags(&streams[at++], cudaStreamNonBlocking)); }),
         "cudaStreamCreateWithFlags");
    while (at > 0)
        CHECK(cudaStreamDestroy(streams[--at]));
    fact("call_event_create", "us", call_us(n, 0, [&] { CHECK(cudaEventCreate(&events[at++])); }), "cudaEventCreate");
    while (at > 0)
        CHECK(cudaEventDestroy(events[--at]));
    fact("call_other", "us", call_us(n, 0, [] {
        int value;
        CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    }), "cudaDeviceGetAttribute");
    measure_pinning();
}

/* ---- what the device takes ---- */

static double copies_ns(size_t bytes, bool up)
{
    return ns_in_a_row([=] {
        CHECK(cudaMemcpyAsync(up ? t.device : t.pinned, up ? t.pinned : t.device, bytes,
                              up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, t.s[0]));
    });
}

static double kernels_ns(long long ns)
{
    return ns_in_a_row([=] { busy<<<1, 1, 0, t.s[0]>>>(ns); }) - (double)ns;
}

/* A copy and a kernel in turn: two changes of engine a pair. */
static double change_ns(void)
{
    double pair = ns_in_a_row([] {
        CHECK(cudaMemcpyAsync(t.device, t.pinned, MIB, cudaMemcpyHostToDevice, t.s[0]));
        busy<<<1, 1, 0, t.s[0]>>>(10 * US);
    });
    return (pair - copies_ns(MIB, true) - kernels_ns(10 * US) - 10 * US) / 2;
}

/* Copies of 4 B to the device and to the host in turn, likewise. */
static double quick_change_ns(void)
{
    double pair = ns_in_a_row([] {
        CHECK(cudaMemcpyAsync(t.device, t.pinned, 4, cudaMemcpyHostToDevice, t.s[0]));
        CHECK(cudaMemcpyAsync(t.pinned_too, t.device, 4, cudaMemcpyDeviceToHost, t.s[0]));
    });
    double change = (pair - copies_ns(4, true) - copies_ns(4, false)) / 2;
    return change > 0 ? change : 0;
}

static double set_ns(void)
{
    const int bytes = 64 * KIB;
    double more = ns_in_a_row([] { CHECK(cudaMemsetAsync(t.device, 0, bytes, t.s[0])); }) - value_of("kernel_ns") * 1e3
                  - bytes / value_of("memset");
    return more > 0 ? more : 0;
}

/* Kernels of 10 us, each in the next one of the streams, after an event of the one before. All but
 * two of the streams wait meanwhile for something that is not over. */
static double hop_ns(int streams, cudaEvent_t mark)
{
    int at = 0;
    return ns_in_a_row([&] {
        busy<<<1, 1, 0, t.s[at]>>>(10 * US);
        CHECK(cudaEventRecord(mark, t.s[at]));
        at = (at + 1) % streams;
        CHECK(cudaStreamWaitEvent(t.s[at], mark, 0));
    });
}

static void measure_marks(void)
{
    cudaEvent_t mark;
    CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    fact("record_ns", "us", several(9, [] { return ns_in_a_row([] { CHECK(cudaEventRecord(t.done[0], t.s[0])); }) / 1e3; }),
         "events with a time in a row");
    fact("turn_ns", "us", several(9, [=] { return (hop_ns(4, mark) - hop_ns(2, mark)) / 2 / 1e3; }),
         "kernels of 10 us, each after an event of the one before, in four streams and in two: for each of two more");
    CHECK(cudaEventDestroy(mark));
}

/* From launch to end of one kernel, seen by asking again and again and by waiting. The host's polls
 * come at any time of their own length: over many lengths of the kernel that is half of one. */
static void measure_starting(void)
{
    enum { RUNS = 48 };
    double start[RUNS], wake[RUNS], seen[RUNS], waited[RUNS], launch[RUNS];
    double polls = 0, polling = 0;
    for (int i = 0; i < RUNS; i++) {
        long long ns = 20 * US + i * 131;
        for (int polled = 0; polled < 2; polled++) {
            CHECK(cudaDeviceSynchronize());
            long long begin = now_ns();
            busy<<<1, 1, 0, t.s[0]>>>(ns);
            long long launched = now_ns();
            if (polled) {
                int count = 1;
                while (cudaStreamQuery(t.s[0]) == cudaErrorNotReady)
                    count++;
                polls += count;
                polling += (double)(now_ns() - launched);
            } else {
                CHECK(cudaStreamSynchronize(t.s[0]));
            }
            (polled ? seen : waited)[i] = (double)(now_ns() - begin - ns);
            launch[i] = (double)(launched - begin);
        }
    }
    double per_poll = polls > 0 ? polling / polls : 0, done = middle_of(seen, RUNS).middle - 1.5 * per_poll;
    double launched = middle_of(launch, RUNS).middle, fixed = value_of("kernel_ns") * 1e3;
    for (int i = 0; i < RUNS; i++) {
        start[i] = (seen[i] - 1.5 * per_poll - launched - fixed) / 1e3;
        wake[i] = (waited[i] - done) / 1e3;
    }
    fact("start_ns", "us", middle_of(start, RUNS), "launch to the end of a kernel, less what both take");
    fact("wake_ns", "us", middle_of(wake, RUNS), "from when cudaStreamQuery could say that all is done to when cudaStreamSynchronize returns");
}

/* Graphs in a row: what grows with their kernels, and what does not. */
static void measure_graphs(void)
{
    enum { FEW = 10, MANY = 100, TIMES = 5 };
    cudaGraphExec_t few = graph_of(FEW), many = graph_of(MANY);
    double fixed[TIMES], kernel[TIMES];
    for (int i = 0; i < TIMES; i++) {
        double less = ns_in_a_row([=] { CHECK(cudaGraphLaunch(few, t.s[0])); }) / 1e3;
        double more = ns_in_a_row([=] { CHECK(cudaGraphLaunch(many, t.s[0])); }) / 1e3;
        kernel[i] = (more - less) / (MANY - FEW);
        fixed[i] = less - FEW * kernel[i];
    }
    fact("graph_ns", "us", middle_of(fixed, TIMES), "graphs of 10 and 100 kernels in a row: what does not grow with them");
    fact("graph_kernel_ns", "us", middle_of(kernel, TIMES), "likewise: for each further kernel");
    CHECK(cudaGraphExecDestroy(few));
    CHECK(cudaGraphExecDestroy(many));
}

static long long function_began;

static void CUDART_CB looks_at_clock(void *)
{
    function_began = now_ns();
}

static double function_us(void)
{
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    CHECK(cudaLaunchHostFunc(t.s[0], looks_at_clock, NULL));
    CHECK(cudaDeviceSynchronize());
    return (double)(function_began - begin) / 1e3 - value_of("call_launch") - value_of("start_ns");
}

/* A host function after a kernel, from where the kernel ends, less what it takes without one. */
static double function_wake_us(long long ns)
{
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    busy<<<1, 1, 0, t.s[0]>>>(ns);
    CHECK(cudaLaunchHostFunc(t.s[0], looks_at_clock, NULL));
    CHECK(cudaDeviceSynchronize());
    return (double)(function_began - begin - ns) / 1e3 - value_of("call_launch") - value_of("start_ns") - value_of("kernel_ns") -
           value_of("depend_ns") - value_of("function_ns");
}

static void measure_demo(void)
{
    const int blocks = 16384, threads = 256;
    int per_sm = t.card.maxThreadsPerMultiProcessor / threads;
    if (per_sm > t.card.maxBlocksPerMultiProcessor)
        per_sm = t.card.maxBlocksPerMultiProcessor;
    int together = t.card.multiProcessorCount * per_sm, waves = (blocks + together - 1) / together;
    auto queue_one = [=] { demo<<<blocks, threads, 0, t.s[0]>>>((float *)t.device); };
#ifdef __SIMCC__
    const int rounds = 1, few = 1, many = 5;        /* each takes the same there, and four million threads to compute */
#else
    const int rounds = 5, few = 8, many = 40;
#endif
    queue_one();
    auto one = [=] { return ns_in_a_row(queue_one, few, many) / 1e3; };
    struct figure kernel = several(rounds, one), block = kernel;
    for (double *part : { &block.middle, &block.least, &block.most })
        *part = (*part - value_of("kernel_ns")) / waves;
    char how[96];
    snprintf(how, sizeof how, "the overlap demo's kernel, 16384 blocks of 256 in %d waves, takes %.4g us", waves, kernel.middle);
    fact("block_ns", "us", block, how);
}

void measure_latencies(void)
{
    char what[64];
    fact("kernel_ns", "us", several(9, [] { return kernels_ns(10 * US) / 1e3; }), "kernels of 10 us in a row: what each takes beyond its 10 us");
    for (bool up : { true, false })
        fact(up ? "copy_ns" : "copy_back_ns", "us", several(9, [=] { return (4 * copies_ns(256 * KIB, up) - copies_ns(MIB, up)) / 3 / 1e3; }),
             up ? "copies of 256 KiB and 1 MiB in a row, to the device: what does not grow with the size" : "likewise, to the host");
    measure_graphs();
    fact("depend_ns", "us", several(9, [] { return change_ns() / 1e3; }), "copy and kernel in turn: for each change");
    struct figure quick = several(9, [] { return quick_change_ns() / 1e3; });
    quick.middle = quick.least;         /* in a long row each may take 6 us more, in one process and not in another */
    fact("quick_depend_ns", "us", quick, "copies of 4 B to the device and to the host in turn: for each change, the least");
    fact("set_ns", "us", several(9, [] { return set_ns() / 1e3; }), "memsets of 64 KiB in a row, less kernel_ns and the bytes' time");
    measure_marks();
    measure_starting();
    fact("function_ns", "us", several(21, function_us), "cudaLaunchHostFunc to its function, less call_launch and start_ns");
    fact("function_wake_ns", "us", several(41, [] { return function_wake_us(50 * US); }), "how much later it begins after a kernel of 50 us");
    measure_demo();

    for (long long ns : { 20 * US, 50 * US, 100 * US, 300 * US, 1 * MS, 3 * MS }) {
        snprintf(what, sizeof what, "after a kernel of %lld us", ns / US);
        observed_us("A host function: how much later than in an idle stream", what, several(21, [=] { return function_wake_us(ns); }));
    }
    const char *table = "One of many in a row, on the device";
    for (long long ns : { 0 * US, 2 * US, 5 * US, 10 * US, 50 * US }) {
        snprintf(what, sizeof what, "kernel that spins for %lld us", ns / US);
        observed_us(table, what, several(5, [=] { return (kernels_ns(ns) + (double)ns) / 1e3; }));
    }
    for (size_t bytes : { (size_t)4, (size_t)KIB, (size_t)16 * KIB, (size_t)32 * KIB, (size_t)64 * KIB, (size_t)256 * KIB, (size_t)MIB, (size_t)4 * MIB })
        for (bool up : { true, false }) {
            snprintf(what, sizeof what, "pinned copy %s, %zu bytes", up ? "to the device" : "to the host", bytes);
            observed_us(table, what, several(5, [=] { return copies_ns(bytes, up) / 1e3; }));
        }
    for (size_t kib : { 4, 16, 24, 32, 64, 256 }) {
        snprintf(what, sizeof what, "pinned copies of %zu KiB to the device and back", kib);
        observed_us(table, what, several(5, [=] {
            return ns_in_a_row([=] {
                CHECK(cudaMemcpyAsync(t.device, t.pinned, kib * KIB, cudaMemcpyHostToDevice, t.s[0]));
                CHECK(cudaMemcpyAsync(t.pinned, t.device, kib * KIB, cudaMemcpyDeviceToHost, t.s[0]));
            }) / 1e3;
        }));
    }
    observed_us(table, "event", several(5, [] { return ns_in_a_row([] { CHECK(cudaEventRecord(t.done[0], t.s[0])); }) / 1e3; }));
    for (size_t kib : { 1, 4, 16, 64 }) {
        snprintf(what, sizeof what, "memset of %zu KiB", kib);
        observed_us(table, what, several(5, [=] { return ns_in_a_row([=] { CHECK(cudaMemsetAsync(t.device, 0, kib * KIB, t.s[0])); }) / 1e3; }));
    }
    observed_us(table, "copy in the device, 64 KiB", several(5, [] {
        return ns_in_a_row([] { CHECK(cudaMemcpyAsync(t.more, t.device, 64 * KIB, cudaMemcpyDeviceToDevice, t.s[0])); }) / 1e3;
    }));
}

/* ---- a process that has done nothing yet ---- */

template <int N> double launch_ns(void)
{
    return ns_of([] { nothing<N><<<1, 1, 0, t.s[0]>>>(0); });
}

void print_first(void)
{
    int pools = 0;
    CHECK(cudaStreamCreateWithFlags(&t.s[0], cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    double first[6] = { launch_ns<0>(), launch_ns<1>(), launch_ns<2>(), launch_ns<3>(), launch_ns<4>(), launch_ns<5>() };
    CHECK(cudaDeviceSynchronize());
    double later = several(31, [] { return launch_ns<0>(); }).middle;
    CHECK(cudaDeviceSynchronize());
    printf("load_first %.3f\n", (first[0] - later) / 1e3);
    for (int i = 1; i < 6; i++)
        printf("load_kernel %.3f\n", (first[i] - later) / 1e3);
    CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
    double pool[2] = { 0, 0 };
    for (int i = 0; pools && i < 2; i++) {
        void *p;
        pool[i] = ns_of([&] { CHECK(cudaMallocAsync(&p, 80000, t.s[0])); });
        CHECK(cudaFreeAsync(p, t.s[0]));
    }
    printf("pool_first %.3f\n", (pool[0] - pool[1]) / 1e3);
}
