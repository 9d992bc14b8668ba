/* SPDX-License-Identifier: MIT */
/* What one thing takes that is alone, by its size: where one way of doing it ends and another begins. */
#include "facts.h"

static const size_t K = KIB, M = MIB;

static const char *size_of(size_t bytes)
{
    static char text[24];
    size_t unit = bytes >= M ? M : bytes >= K ? K : 1;
    snprintf(text, sizeof text, "%zu %s%s", bytes / unit, unit == M ? "MiB" : unit == K ? "KiB" : "B", bytes % unit ? " and a bit" : "");
    return text;
}

/* The host's time in the call, and till the device has done it and the host knows. `bytes`: 0 where there are none. */
template <typename F> void alone(const char *what, size_t bytes, F queue)
{
    enum { TIMES = 15 };
    double call[TIMES], done[TIMES];
    char line[80], answer[80];
    for (int i = -2; i < TIMES; i++) {
        long long begin = now_ns();
        queue();
        long long returned = now_ns();
        CHECK(cudaStreamSynchronize(t.s[0]));
        if (i < 0)
            continue;
        call[i] = (double)(returned - begin) / 1e3;
        done[i] = (double)(now_ns() - begin) / 1e3;
    }
    struct figure c = middle_of(call, TIMES), d = middle_of(done, TIMES);
    snprintf(line, sizeof line, "%s%s%s", what, bytes ? ", " : "", bytes ? size_of(bytes) : "");
    snprintf(answer, sizeof answer, "back after %.4g us, done after %.4g us (%.4g to %.4g)", c.middle, d.middle, d.least, d.most);
    observed("Alone in an idle stream", line, answer);
}

static void copies(void)
{
    for (size_t bytes : { (size_t)4, K, 4 * K, 8 * K, 16 * K, 17 * K, 24 * K, 32 * K, 64 * K, 256 * K })
        alone("a pinned copy to the device", bytes, [=] { CHECK(cudaMemcpyAsync(t.device, t.pinned, bytes, cudaMemcpyHostToDevice, t.s[0])); });
    for (size_t bytes : { (size_t)4, 4 * K, 16 * K, 32 * K, 64 * K, 64 * K + 4, 128 * K, 256 * K, M, 4 * M, 16 * M, 64 * M })
        alone("a pageable copy to the device", bytes, [=] { CHECK(cudaMemcpyAsync(t.device, t.pageable, bytes, cudaMemcpyHostToDevice, t.s[0])); });
    for (size_t bytes : { (size_t)4, 16 * K, 64 * K, 64 * K + 4, 256 * K, M, 4 * M, 16 * M, 64 * M })
        alone("a pageable copy to the host", bytes, [=] { CHECK(cudaMemcpyAsync(t.pageable, t.device, bytes, cudaMemcpyDeviceToHost, t.s[0])); });
    for (size_t bytes : { (size_t)4, 512 * (size_t)1, K, 2 * K, 4 * K, 16 * K, 64 * K })
        alone("a memset", bytes, [=] { CHECK(cudaMemsetAsync(t.device, 0, bytes, t.s[0])); });
    cudaEvent_t mark;
    CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    alone("an event without timing, recorded and waited for by its own stream", 0, [=] {
        CHECK(cudaEventRecord(mark, t.s[0]));
        CHECK(cudaStreamWaitEvent(t.s[0], mark, 0));
    });
    alone("the same, by another stream", 0, [=] {
        CHECK(cudaEventRecord(mark, t.s[0]));
        CHECK(cudaStreamWaitEvent(t.s[1], mark, 0));
    });
    CHECK(cudaEventDestroy(mark));
}

/* One of many that are queued as fast as the host can, in one stream and over four. */
static void one_of_many(size_t bytes)
{
    const int count = 96;
    char what[80];
    for (int streams : { 1, 4 }) {
        snprintf(what, sizeof what, "pinned copies of %s to the device, %d stream%s", size_of(bytes), streams, streams > 1 ? "s" : "");
        observed_us("One of 96 in idle streams, from the first call to the last one's end", what, several(9, [=] {
            return ns_of([=] {
                for (int i = 0; i < count; i++)
                    CHECK(cudaMemcpyAsync(t.device, t.pinned, bytes, cudaMemcpyHostToDevice, t.s[i % streams]));
                CHECK(cudaDeviceSynchronize());
            }) / 1e3 / count;
        }));
    }
}

static __global__ void touch_all(char *a, size_t step)
{
    a[(threadIdx.x + (size_t)blockIdx.x * blockDim.x) * step]++;
}

/* Pages that the host and a kernel take from each other: does the tenth round take what the first did? */
static void to_and_fro(size_t bytes)
{
    enum { PAGE = 4096, ROUNDS = 10 };
    char *m, what[80], answer[80];
    CHECK(cudaMallocManaged(&m, bytes));
    memset(m, 1, bytes);
    for (int round = 1; round <= ROUNDS; round++) {
        double device = ns_of([=] {
            touch_all<<<bytes / PAGE / 256, 256, 0, t.s[0]>>>(m, PAGE);
            CHECK(cudaStreamSynchronize(t.s[0]));
        });
        double host = ns_of([=] {
            for (size_t i = 0; i < bytes; i += PAGE)
                ((volatile char *)m)[i]++;
            int value;
            CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));      /* the simulator counts at calls */
        });
        if (round > 4 && round < ROUNDS)
            continue;
        snprintf(what, sizeof what, "%s, round %d", size_of(bytes), round);
        snprintf(answer, sizeof answer, "a kernel touches it in %.4g us, then the host in %.4g us", device / 1e3, host / 1e3);
        observed("Managed memory, to and fro", what, answer);
    }
    CHECK(cudaFree(m));
}

void measure_alone(void)
{
    copies();
    for (size_t bytes : { (size_t)4, 4 * K, 16 * K, 17 * K, 32 * K })
        one_of_many(bytes);
    if (t.card.managedMemory && t.card.concurrentManagedAccess)
        for (size_t bytes : { M, 4 * M, 16 * M })
            to_and_fro(bytes);
}
