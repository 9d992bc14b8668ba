/* SPDX-License-Identifier: MIT */
/* What the card says of itself, and how fast bytes move. */
#include "facts.h"

static int attribute(enum cudaDeviceAttr which)
{
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, which, 0));
    return value;
}

void measure_properties(void)
{
    const struct cudaDeviceProp &card = t.card;
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    fact_known("major", "", card.major, "[Q]");
    fact_known("minor", "", card.minor, "[Q]");
    fact_known("memory_mib", "MiB", (double)(card.totalGlobalMem / MIB), "[Q]");
    fact_known("clock_mhz", "MHz", attribute(cudaDevAttrClockRate) / 1000, "[Q]");
    fact_known("memory_mhz", "MHz", attribute(cudaDevAttrMemoryClockRate) / 1000, "[Q]");
    fact_known("memory_bus", "", card.memoryBusWidth, "[Q]");
    fact_known("l2_kib", "KiB", card.l2CacheSize / KIB, "[Q]");
    fact_known("l2_persisting", "KiB", card.persistingL2CacheMaxSize / KIB, "[Q]");
    fact_known("l2_window", "KiB", card.accessPolicyMaxWindowSize / KIB, "[Q]");
    fact_known("sms", "", card.multiProcessorCount, "[Q]");
    fact_known("threads_per_sm", "", card.maxThreadsPerMultiProcessor, "[Q]");
    fact_known("blocks_per_sm", "", card.maxBlocksPerMultiProcessor, "[Q]");
    fact_known("shared_per_sm", "KiB", card.sharedMemPerMultiprocessor / 1024.0, "[Q]");
    fact_known("shared_per_block", "KiB", card.sharedMemPerBlock / 1024.0, "[Q] without opting in");
    fact_known("threads_per_block", "", card.maxThreadsPerBlock, "[Q]");
    fact_known("copy_engines", "", card.asyncEngineCount, "[Q]");
    fact_known("priority_least", "", least, "[Q]");
    fact_known("priority_greatest", "", greatest, "[Q]");
    fact_known("managed", "", card.managedMemory, "[Q]");
    fact_known("concurrent_managed", "", card.concurrentManagedAccess, "[Q]");
}

/* Bytes in a nanosecond: GB/s. What does not depend on the size goes out. */
template <typename F> struct figure slope(size_t small, size_t large, F ns)
{
    ns(small);
    ns(large);
    return several(7, [=] { return (double)(large - small) / (ns(large) - ns(small)); });
}

static void copy(char *to, const char *from, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream)
{
    CHECK(cudaMemcpyAsync(to, from, bytes, kind, stream));
}

static double pageable_ns(size_t bytes, bool up)
{
    return ns_of([=] {
        copy(up ? t.device : t.pageable, up ? t.pageable : t.device, bytes, up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, t.s[0]);
        CHECK(cudaStreamSynchronize(t.s[0]));
    });
}

/* Both directions, or one of them, after one event. */
static double ways_ns(bool up, bool down)
{
    busy<<<1, 1, 0, t.s[0]>>>(MS);
    CHECK(cudaEventRecord(t.from, t.s[0]));
    CHECK(cudaStreamWaitEvent(t.s[1], t.from, 0));
    CHECK(cudaStreamWaitEvent(t.s[2], t.from, 0));
    if (up)
        copy(t.device, t.pinned, HALF, cudaMemcpyHostToDevice, t.s[1]);
    if (down)
        copy(t.pinned_too, t.more, HALF, cudaMemcpyDeviceToHost, t.s[2]);
    CHECK(cudaEventRecord(t.done[0], t.s[1]));
    CHECK(cudaEventRecord(t.done[1], t.s[2]));
    CHECK(cudaDeviceSynchronize());
    double first = elapsed_ns(t.from, t.done[0]), second = elapsed_ns(t.from, t.done[1]);
    return first > second ? first : second;
}

/* The host's part of a pageable copy that is set aside. */
static double staging_ns(size_t bytes)
{
    double ns = ns_of([=] { copy(t.device, t.pageable, bytes, cudaMemcpyHostToDevice, t.s[0]); });
    CHECK(cudaDeviceSynchronize());
    return ns;
}

/* The host writes small copies into memory for commands, which goes round: when does a call get faster? */
void print_command(void)
{
    enum { CALLS = 160, SOME = 40, WARM = 4 };
    const size_t bytes = 64 * KIB;
    double ns[CALLS], first[SOME], later[SOME];
    double least = several(15, [] { return staging_ns(4); }).middle;
    for (double &one : ns)
        one = staging_ns(bytes);
    for (int i = 0; i < SOME; i++) {
        first[i] = ns[WARM + i];
        later[i] = ns[CALLS - SOME + i];
    }
    double slow = middle_of(first, SOME).middle, fast = middle_of(later, SOME).middle;
    int calls = 0;
    for (double one : ns)
        calls += slow > 1.3 * fast && one > (slow + fast) / 2;
    printf("ring_calls %d\n", calls);
    printf("first_written %.3f\n", (bytes - 4) / (slow - least));
    printf("later_written %.3f\n", (bytes - 4) / (fast - least));
}

/* To the device what is in the host's caches goes faster than what is not. */
void print_pageable(void)
{
    const size_t mib = MIB;
    auto up = [](size_t bytes) { return pageable_ns(bytes, true); };
    auto down = [](size_t bytes) { return pageable_ns(bytes, false); };
    for (int i = 0; i < 3; i++) {
        printf("h2d_pageable %.3f\n", slope(4 * mib, CACHED, up).middle);
        printf("h2d_uncached %.3f\n", slope(CACHED, HALF, up).middle);
        printf("d2h_pageable %.3f\n", slope(mib, 64 * mib, down).middle);
        printf("staging %.3f\n", slope(128 * KIB, mib, staging_ns).middle);
    }
}

void measure_speeds(void)
{
    const size_t mib = MIB;
    auto up = [](size_t bytes) { return ns_on_device([=] { copy(t.device, t.pinned, bytes, cudaMemcpyHostToDevice, t.s[0]); }); };
    auto down = [](size_t bytes) { return ns_on_device([=] { copy(t.pinned, t.device, bytes, cudaMemcpyDeviceToHost, t.s[0]); }); };
    auto inside = [](size_t bytes) { return ns_on_device([=] { copy(t.more, t.device, bytes, cudaMemcpyDeviceToDevice, t.s[0]); }); };
    auto set = [](size_t bytes) { return ns_on_device([=] { CHECK(cudaMemsetAsync(t.device, 0, bytes, t.s[0])); }); };
    fact("h2d_pinned", "GB/s", slope(16 * mib, 64 * mib, up), "slope from 16 to 64 MiB");
    fact("d2h_pinned", "GB/s", slope(16 * mib, 64 * mib, down), "slope from 16 to 64 MiB");
    fact("d2d", "GB/s", slope(64 * mib, 256 * mib, inside), "bytes copied, slope from 64 to 256 MiB");
    fact("memset", "GB/s", slope(64 * mib, 256 * mib, set), "slope from 64 to 256 MiB");
    if (t.card.asyncEngineCount > 1)
        fact("duplex_permille", "times", several(7, [] {
            double one = (ways_ns(true, false) + ways_ns(false, true)) / 2, both = ways_ns(true, true) / one;
            return both > 1 ? both : 1;
        }), "128 MiB each way at once, beside one way alone");
    else
        fact_known("duplex_permille", "times", 1, "one engine: never both ways at once");
}
