/* SPDX-License-Identifier: MIT */
/*
 * What two cards do with each other: how fast copies between them are, with
 * peer access and without, and what documentation leaves open. Prints tables;
 * their figures belong into common/model/cards/dual.card. Judges nothing.
 *
 *   nvcc -O2 -arch=native -Icommon tests/gpu/peer.cu common/streams.cu -o build/peer && build/peer [MIB]
 *
 * MIB: how much is copied to measure bandwidth, 256 unless told, at least 1.
 * With simcc it shows what the simulator makes of the profile: SIM_PROFILE=dual.
 */
#include <stdio.h>
#include <stdlib.h>

#include "streams.h"

enum { MIB = 1 << 20, TIMES = 5, SMALL_TIMES = 200 };
static size_t big = 256 * (size_t)MIB;      /* bytes of what is copied to measure bandwidth */
static const long long LONG = 20000000;     /* ns */

static char *d[2], *more[2], *host[2];
static cudaStream_t s[2], other[2], blocking[2];
static cudaEvent_t from[2], to[2];

static void use(int device)
{
    CHECK(cudaSetDevice(device));
}

static void wait_for_all(void)
{
    for (int i = 0; i < 2; i++) {
        use(i);
        CHECK(cudaDeviceSynchronize());
    }
    use(0);
}

__global__ void busy(long long ns)
{
    kernel_cost(ns);
}

/* Each thread takes its share: reads (and writes) 16 bytes at a time. */
__global__ void move(int4 *to, const int4 *from, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        to[i] = from[i];
}

template <typename F> static double ms_of(F work)
{
    wait_for_all();
    long long begin = now_ns();
    work();
    wait_for_all();
    return (now_ns() - begin) / 1e6;
}

/* The middle one of several. */
template <typename F> static double median_ms(F work)
{
    double ms[TIMES];
    for (int i = 0; i < TIMES; i++) {
        double one = ms_of(work);
        int at = i;
        for (; at > 0 && ms[at - 1] > one; at--)
            ms[at] = ms[at - 1];
        ms[at] = one;
    }
    return ms[TIMES / 2];
}

static double gb_s(double bytes, double ms)
{
    return bytes / ms / 1e6;
}

/* ---- bandwidth and latency, in each state of peer access ---- */

static void copy(int src, size_t bytes, cudaStream_t stream)
{
    CHECK(cudaMemcpyPeerAsync(more[1 - src], 1 - src, d[src], src, bytes, stream));
}

enum { NOBODY, ZERO_REACHES_ONE, BOTH, STATES };
static double table[32][STATES];
static const char *rows[32];
static int row;

static void put(const char *name, int state, double value)
{
    rows[row] = name;
    table[row++][state] = value;
}

/* Microseconds of one copy among many in a row, and of one with its wait. */
static void latency(const char *in_a_row, const char *alone, size_t bytes, int state)
{
    float ms;
    use(0);
    CHECK(cudaEventRecord(from[0], s[0]));
    for (int i = 0; i < SMALL_TIMES; i++)
        copy(0, bytes, s[0]);
    CHECK(cudaEventRecord(to[0], s[0]));
    CHECK(cudaEventSynchronize(to[0]));
    CHECK(cudaEventElapsedTime(&ms, from[0], to[0]));
    put(in_a_row, state, ms * 1000 / SMALL_TIMES);
    long long begin = now_ns();
    for (int i = 0; i < SMALL_TIMES; i++) {
        copy(0, bytes, s[0]);
        CHECK(cudaStreamSynchronize(s[0]));
    }
    put(alone, state, (now_ns() - begin) / 1000.0 / SMALL_TIMES);
}

/* Milliseconds that a call takes while its stream is busy for 20 ms. */
static double call_behind_work(size_t bytes)
{
    use(0);
    busy<<<1, 1, 0, s[0]>>>(LONG);
    long long begin = now_ns();
    copy(0, bytes, s[0]);
    double ms = (now_ns() - begin) / 1e6;
    wait_for_all();
    return ms;
}

/* A smaller copy from the host to device 1 while device 0's memory goes there. */
static double beside_ms(void)
{
    float ms;
    wait_for_all();
    copy(0, big, s[0]);
    copy(0, big, s[0]);
    use(1);
    CHECK(cudaEventRecord(from[1], s[1]));
    CHECK(cudaMemcpyAsync(d[1], host[1], big / 4, cudaMemcpyHostToDevice, s[1]));
    CHECK(cudaEventRecord(to[1], s[1]));
    wait_for_all();
    CHECK(cudaEventElapsedTime(&ms, from[1], to[1]));
    return ms;
}

static void measure(int state)
{
    row = 0;
    put("0 to 1 in a stream of 0, GB/s", state, gb_s(big, median_ms([] { copy(0, big, s[0]); })));
    put("0 to 1 in a stream of 1, GB/s", state, gb_s(big, median_ms([] { copy(0, big, s[1]); })));
    put("1 to 0 in a stream of 0, GB/s", state, gb_s(big, median_ms([] { copy(1, big, s[0]); })));
    put("1 to 0 in a stream of 1, GB/s", state, gb_s(big, median_ms([] { copy(1, big, s[1]); })));
    put("cudaMemcpyAsync, Default, GB/s", state,
        gb_s(big, median_ms([] { CHECK(cudaMemcpyAsync(more[1], d[0], big, cudaMemcpyDefault, s[0])); })));
    put("both ways at once, GB/s together", state, gb_s(2.0 * big, median_ms([] { copy(0, big, s[0]); copy(1, big, s[1]); })));
    put("one way in two streams, GB/s together", state,
        gb_s(big, median_ms([] {
            copy(0, big / 2, s[0]);
            CHECK(cudaMemcpyPeerAsync(more[1] + big / 2, 1, d[0] + big / 2, 0, big / 2, other[0]));
        })));
    latency("4 B among many, us", "4 B with its wait, us", 4, state);
    latency("64 KiB among many, us", "64 KiB with its wait, us", 64 << 10, state);
    latency("1 MiB among many, us", "1 MiB with its wait, us", MIB, state);
    put("the call alone takes, 4 B behind 20 ms, ms", state, call_behind_work(4));
    put("the same for 64 KiB, ms", state, call_behind_work(64 << 10));
    put("the same for 1 MiB, ms", state, call_behind_work(MIB));
    put("the same for all of it, ms", state, call_behind_work(big));
    /* Does a copy between devices take the engines or the bus from copies of the host? */
    put("H2D to 1 beside such a copy, GB/s", state, gb_s(big / 4.0, beside_ms()));
    if (state == NOBODY)
        return;
    const int4 *far_from = (const int4 *)d[1];
    int4 *far_to = (int4 *)more[1], *near = (int4 *)more[0];
    put("a kernel of 0 reads memory of 1, GB/s", state,
        gb_s(big, median_ms([=] { move<<<1056, 512, 0, s[0]>>>(near, far_from, big / sizeof(int4)); })));
    put("a kernel of 0 writes memory of 1, GB/s", state,
        gb_s(big, median_ms([=] { move<<<1056, 512, 0, s[0]>>>(far_to, near, big / sizeof(int4)); })));
}

static void show_table(void)
{
    printf("\n| copies between devices | no peers | 0 reaches 1 | both peers |\n|---|---|---|---|\n");
    for (int i = 0; i < row; i++)
        printf("| %s | %.3g | %.3g | %.3g |\n", rows[i], table[i][NOBODY], table[i][ZERO_REACHES_ONE], table[i][BOTH]);
}

/* ---- what documentation leaves open: who waits for whom ---- */

static void answer(const char *question, const char *say)
{
    printf("| %s | %s |\n", question, say);
}

static const char *long_or_not(long long ns)
{
    return ns > LONG / 2 ? "yes" : "no";
}

/* Is the host held in `call` while `stream` of a device is busy? */
template <typename F> static void ask_host(const char *question, int device, cudaStream_t stream, F call)
{
    wait_for_all();
    use(device);
    busy<<<1, 1, 0, stream>>>(LONG);
    use(0);
    long long begin = now_ns();
    call();
    answer(question, long_or_not(now_ns() - begin));
    wait_for_all();
}

/* Does `call` wait on the device for a kernel in `stream`? What it queues is in stream 0 of device 0. */
template <typename F> static void ask_before(const char *question, int device, cudaStream_t stream, F call)
{
    wait_for_all();
    use(device);
    busy<<<1, 1, 0, stream>>>(LONG);
    use(0);
    long long begin = now_ns();
    call();
    CHECK(cudaEventRecord(to[0], 0));
    CHECK(cudaEventSynchronize(to[0]));
    answer(question, long_or_not(now_ns() - begin));
    wait_for_all();
}

/* Does a kernel in `stream` of device 1 wait for the copy that `call` puts behind a long kernel of device 0? */
template <typename F> static void ask_after(const char *question, cudaStream_t stream, F call)
{
    wait_for_all();
    busy<<<1, 1, 0, 0>>>(LONG);
    call();
    use(1);
    long long begin = now_ns();
    busy<<<1, 1, 0, stream>>>(0);
    CHECK(cudaStreamSynchronize(stream));
    answer(question, long_or_not(now_ns() - begin));
    wait_for_all();
}

static void peer(void)
{
    CHECK(cudaMemcpyPeer(more[1], 1, d[0], 0, 4096));
}

static void peer_async(void)
{
    CHECK(cudaMemcpyPeerAsync(more[1], 1, d[0], 0, 4096, 0));
}

static void plain(void)
{
    CHECK(cudaMemcpy(more[1], d[0], 4096, cudaMemcpyDeviceToDevice));
}

static void ask_order(const char *state)
{
    printf("\n| in the legacy stream of device 0, %s | |\n|---|---|\n", state);
    ask_host("cudaMemcpyPeer holds the host while its stream is busy", 0, 0, peer);
    ask_host("cudaMemcpyPeerAsync holds the host", 0, 0, peer_async);
    ask_host("cudaMemcpy DeviceToDevice to 1 holds the host", 0, 0, plain);
    ask_before("cudaMemcpyPeer waits for a blocking stream of 1", 1, blocking[1], peer);
    ask_before("cudaMemcpyPeer waits for a non-blocking stream of 1", 1, s[1], peer);
    ask_before("cudaMemcpyPeer waits for a non-blocking stream of 0", 0, s[0], peer);
    ask_before("cudaMemcpyPeerAsync waits for a blocking stream of 1", 1, blocking[1], peer_async);
    ask_before("cudaMemcpy DeviceToDevice to 1 waits for a blocking stream of 1", 1, blocking[1], plain);
    ask_before("cudaMemcpy of the host's memory to 1's waits for a blocking stream of 1", 1, blocking[1],
               [] { CHECK(cudaMemcpy(d[1], host[0], 4096, cudaMemcpyHostToDevice)); });
    ask_before("cudaMemcpy of 1's memory to the host's waits for a blocking stream of 1", 1, blocking[1],
               [] { CHECK(cudaMemcpy(host[0], d[1], 4096, cudaMemcpyDeviceToHost)); });
    answer("cudaMemset of 1's memory", cudaGetErrorName(cudaMemset(d[1], 0, 4096)));
    cudaGetLastError();
    ask_after("a blocking stream of 1 waits for an earlier cudaMemcpyPeer", blocking[1], peer);
    ask_after("a non-blocking stream of 1 waits for it", s[1], peer);
    ask_after("a blocking stream of 1 waits for an earlier cudaMemcpyPeerAsync", blocking[1], peer_async);
    ask_after("a blocking stream of 1 waits for an earlier cudaMemcpy DeviceToDevice", blocking[1], plain);
}

static void ask_rest(void)
{
    static char *p, *q;
    struct cudaPointerAttributes a;
    printf("\n| device 0 is current | |\n|---|---|\n");
    use(1);
    CHECK(cudaMalloc(&p, MIB));
    CHECK(cudaMalloc(&q, MIB));
    use(0);
    CHECK(cudaPointerGetAttributes(&a, p));
    answer("devicePointer of 1's memory, no peers", a.devicePointer ? "the pointer" : "NULL");
    ask_host("cudaFree of 1's memory holds the host while 1 is busy", 1, s[1], [] { CHECK(cudaFree(p)); });
    ask_host("cudaFree of 1's memory holds the host while 0 is busy", 0, s[0], [] { CHECK(cudaFree(q)); });
    CHECK(cudaMallocHost(&p, MIB));
    ask_host("cudaFreeHost holds the host while 1 is busy", 1, s[1], [] { CHECK(cudaFreeHost(p)); });

    cudaHostFn_t sleeps = [](void *) { host_work(LONG); };
    double ms = ms_of([=] {
        CHECK(cudaLaunchHostFunc(s[0], sleeps, NULL));
        CHECK(cudaLaunchHostFunc(s[1], sleeps, NULL));
    });
    answer("host functions of two devices run at the same time", ms < 1.5 * LONG / 1e6 ? "yes" : "no");

    enum { ROUNDS = 100 };
    for (int devices = 1; devices <= 2; devices++) {
        ms = ms_of([=] {
            for (int i = 0; i < ROUNDS; i++) {
                int here = i % devices, next = (i + 1) % devices;
                cudaStream_t stream = devices > 1 || i % 2 == 0 ? s[here] : other[0];
                use(here);
                busy<<<1, 1, 0, stream>>>(10000);
                CHECK(cudaEventRecord(to[here], stream));
                CHECK(cudaStreamWaitEvent(devices > 1 ? s[next] : i % 2 ? s[0] : other[0], to[here], 0));
            }
        });
        printf("| 10 us kernels, each after an event of the other %s, us each | %.2f |\n",
               devices == 1 ? "stream" : "device", ms * 1000 / ROUNDS);
    }
    for (int i = 0; i < 2; i++)
        printf("| H2D to %d alone, GB/s | %.3g |\n", i,
               gb_s(big, median_ms([=] { CHECK(cudaMemcpyAsync(d[i], host[i], big, cudaMemcpyHostToDevice, s[i])); })));
    printf("| H2D to both at once, GB/s together | %.3g |\n", gb_s(2.0 * big, median_ms([] {
        for (int i = 0; i < 2; i++)
            CHECK(cudaMemcpyAsync(d[i], host[i], big, cudaMemcpyHostToDevice, s[i]));
    })));
    char *managed;
    CHECK(cudaMallocManaged(&managed, big));
    CHECK(prefetch(managed, big, 0, s[0]));
    printf("| prefetch of managed memory from 0 to 1, GB/s | %.3g |\n",
           gb_s(big, ms_of([=] { CHECK(prefetch(managed, big, 1, s[1])); })));
    CHECK(cudaFree(managed));
}

/* The last thing: device 1 is lost. */
static void ask_fault(void)
{
    char *p;
    printf("\n| after a kernel of 1 has read memory of 0, and is no peer | |\n|---|---|\n");
    use(1);
    move<<<1, 1, 0, s[1]>>>((int4 *)d[1], (const int4 *)d[0], 1);
    answer("cudaDeviceSynchronize on 1", cudaGetErrorName(cudaDeviceSynchronize()));
    answer("cudaMalloc on 1", cudaGetErrorName(cudaMalloc(&p, 16)));
    answer("cudaSetDevice(0)", cudaGetErrorName(cudaSetDevice(0)));
    answer("cudaMalloc on 0", cudaGetErrorName(cudaMalloc(&p, 16)));
    busy<<<1, 1, 0, s[0]>>>(0);
    answer("a launch on 0", cudaGetErrorName(cudaGetLastError()));
    answer("cudaStreamSynchronize on 0", cudaGetErrorName(cudaStreamSynchronize(s[0])));
}

static void begin(void)
{
    for (int i = 0; i < 2; i++) {
        use(i);
        CHECK(cudaMalloc(&d[i], big));
        CHECK(cudaMalloc(&more[i], big));
        CHECK(cudaMallocHost(&host[i], big));
        CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&other[i], cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&blocking[i], cudaStreamDefault));
        CHECK(cudaEventCreate(&from[i]));
        CHECK(cudaEventCreate(&to[i]));
        busy<<<1, 1>>>(0);
        move<<<1, 1>>>((int4 *)d[i], (const int4 *)more[i], 1);
    }
    wait_for_all();
    copy(0, big, s[0]);
    copy(1, big, s[1]);
    wait_for_all();
}

int main(int argc, char **argv)
{
    if (argc > 1 && atoi(argv[1]) > 0)
        big = (size_t)atoi(argv[1]) * MIB;
    int count = 0, there = 0, back = 0;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("This measures two devices; there is %d.\n", count);
        return 0;
    }
    CHECK(cudaDeviceCanAccessPeer(&there, 0, 1));
    CHECK(cudaDeviceCanAccessPeer(&back, 1, 0));
    printf("| | |\n|---|---|\n");
    for (int i = 0; i < 2; i++) {
        cudaDeviceProp prop;
        CHECK(cudaGetDeviceProperties(&prop, i));
        printf("| device %d | %s, bus %x:%02x |\n", i, prop.name, prop.pciDomainID, prop.pciBusID);
    }
    printf("| copies for bandwidth | %zu MiB |\n", big / MIB);
    printf("| 0 can reach 1, 1 can reach 0 | %d, %d |\n", there, back);
    static const char *const attributes[] = { "", "rank", "access", "atomics", "arrays" };
    for (int a = cudaDevP2PAttrPerformanceRank; a <= cudaDevP2PAttrCudaArrayAccessSupported; a++) {
        int value = -1;
        CHECK(cudaDeviceGetP2PAttribute(&value, (enum cudaDeviceP2PAttr)a, 0, 1));
        printf("| %s from 0 to 1 | %d |\n", attributes[a], value);
    }
    begin();
    measure(NOBODY);
    ask_order("no peers");
    ask_rest();
    use(0);
    if (there) {
        CHECK(cudaDeviceEnablePeerAccess(1, 0));
        measure(ZERO_REACHES_ONE);
    }
    use(1);
    if (there && back) {
        CHECK(cudaDeviceEnablePeerAccess(0, 0));
        measure(BOTH);
        ask_order("peers");
        use(1);
        CHECK(cudaDeviceDisablePeerAccess(0));
    }
    show_table();
    ask_fault();
    return 0;
}
