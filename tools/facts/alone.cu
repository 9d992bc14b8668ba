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

/* Microseconds: of the host in the call, and till the device has done it and the host knows. */
struct lone { struct figure call, done; };

/* `bytes`: 0 where there are none. */
template <typename F> struct lone alone(const char *what, size_t bytes, F queue)
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
    struct lone l = { middle_of(call, TIMES), middle_of(done, TIMES) };
    snprintf(line, sizeof line, "%s%s%s", what, bytes ? ", " : "", bytes ? size_of(bytes) : "");
    snprintf(answer, sizeof answer, "back after %.4g us, done after %.4g us (%.4g to %.4g)", l.call.middle, l.done.middle,
             l.done.least, l.done.most);
    observed("Alone in an idle stream", line, answer);
    return l;
}

static struct lone pinned_copy(size_t bytes)
{
    return alone("a pinned copy to the device", bytes, [=] { CHECK(cudaMemcpyAsync(t.device, t.pinned, bytes, cudaMemcpyHostToDevice, t.s[0])); });
}

static struct lone pageable_copy(size_t bytes)
{
    return alone("a pageable copy to the device", bytes, [=] { CHECK(cudaMemcpyAsync(t.device, t.pageable, bytes, cudaMemcpyHostToDevice, t.s[0])); });
}

/* What the device takes for it, when it knows of it. */
static double on_device(struct lone l)
{
    return l.done.middle - l.call.middle - value_of("start_ns") - value_of("wake_ns");
}

/* Microseconds from a kernel's launch to the end of a copy of 4 B after it. */
static double after_a_kernel(const char *host)
{
    return several(31, [=] {
        return ns_of([=] {
            busy<<<1, 1, 0, t.s[0]>>>(20 * US);
            CHECK(cudaMemcpyAsync(t.device, host, 4, cudaMemcpyHostToDevice, t.s[0]));
            CHECK(cudaStreamSynchronize(t.s[0]));
        }) / 1e3;
    }).middle;
}

/* Small copies that the host writes into the command. */
static void with_command(struct lone least)
{
    char how[128];
    size_t most = (size_t)value_of("inline_bytes");
    if (most < K)
        return;
    struct lone largest = pinned_copy(most);
    double bytes = (double)most - 4, fixed = on_device(least), more = on_device(largest) - fixed;
    fact("inline_call", "us", least.call, "cudaMemcpyAsync, pinned, 4 B, alone");
    if (value_of("inline_pageable") < 64 * K) {
        snprintf(how, sizeof how, "[M] the calls of pinned copies alone, slope from 4 B to %s", size_of(most));
        fact_known("inline_written", "GB/s", bytes / (largest.call.middle - least.call.middle) / 1e3, how);
    }
    fact_known("inline_ns", "us", fixed > 0 ? fixed : 0, "[M] from the end of the call on, 4 B, less start_ns and wake_ns");
    snprintf(how, sizeof how, "[M] from the end of the call on, slope from 4 B to %s", size_of(most));
    fact_known("inline_read", "GB/s", bytes / more / 1e3, how);
    if (value_of("inline_busy") > 0) {
        double pinned = after_a_kernel(t.pinned), pageable = after_a_kernel(t.pageable);
        fact_known("inline_busy_ns", "us", (fixed > 0 ? fixed : 0) + pinned - pageable,
                   "[M] 4 B after a kernel, pinned beside pageable, and inline_ns");
    }
}

static void memsets(void)
{
    const size_t sizes[] = { 4, 512, K, 2 * K, 4 * K, 8 * K, 16 * K, 64 * K };
    const int count = sizeof sizes / sizeof sizes[0];
    struct lone set[count];
    for (int i = 0; i < count; i++)
        set[i] = alone("a memset", sizes[i], [=] { CHECK(cudaMemsetAsync(t.device, 0, sizes[i], t.s[0])); });
    double less = set[0].call.middle, more = set[count - 1].call.middle;
    int most = 0;
    if (less > 0.6 * more)
        return;
    while (set[most + 1].call.middle < (less + more) / 2)
        most++;
    char how[96];
    snprintf(how, sizeof how, "[M] the largest of 4 B, 512 B, 1 KiB, 2 KiB, ... whose call is short");
    fact_known("inline_set_bytes", "B", (double)sizes[most], how);
    snprintf(how, sizeof how, "cudaMemsetAsync, %s, alone", size_of(sizes[most]));
    fact("inline_set_call", "us", set[most].call, how);
}

static void marks(void)
{
    cudaEvent_t mark;
    CHECK(cudaEventCreateWithFlags(&mark, cudaEventDisableTiming));
    struct lone own = alone("an event without timing, recorded and waited for by its own stream", 0, [=] {
        CHECK(cudaEventRecord(mark, t.s[0]));
        CHECK(cudaStreamWaitEvent(t.s[0], mark, 0));
    });
    alone("the same, by another stream", 0, [=] {
        CHECK(cudaEventRecord(mark, t.s[0]));
        CHECK(cudaStreamWaitEvent(t.s[1], mark, 0));
    });
    fact_known("idle_marks", "", own.done.middle - own.call.middle < value_of("start_ns"),
               "[M] recorded in an idle stream and waited for: the device is not asked, which would take start_ns");
    CHECK(cudaEventDestroy(mark));
}

static void copies(void)
{
    struct lone least = pinned_copy(4);
    for (size_t bytes : { K, 4 * K, 8 * K, 16 * K, 17 * K, 24 * K, 32 * K, 64 * K, 256 * K })
        pinned_copy(bytes);
    for (size_t bytes : { (size_t)4, 4 * K, 16 * K, 32 * K, 48 * K })
        pageable_copy(bytes);
    with_command(least);
    pageable_copy(64 * K);
    alone("the same, with cudaDeviceSynchronize", 0, [=] {
        CHECK(cudaMemcpyAsync(t.device, t.pageable, 64 * K, cudaMemcpyHostToDevice, t.s[0]));
        CHECK(cudaDeviceSynchronize());
    });
    for (size_t bytes : { 64 * K + 4, 128 * K, 256 * K, M, 4 * M, 16 * M, 64 * M })
        pageable_copy(bytes);
    for (size_t bytes : { (size_t)4, 16 * K, 64 * K, 64 * K + 4, 256 * K, M, 4 * M, 16 * M, 64 * M })
        alone("a pageable copy to the host", bytes, [=] { CHECK(cudaMemcpyAsync(t.pageable, t.device, bytes, cudaMemcpyDeviceToHost, t.s[0])); });
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

/* Pages that the host and a kernel take from each other: does the tenth round take what the first did, and do all? `pause`: ns
 * of something else after each touch. */
static void to_and_fro(size_t bytes, long long pause)
{
    enum { PAGE = 4096, ROUNDS = 40 };
    char *m, what[80], answer[80], size[48];
    double kernel_us[ROUNDS], host_us[ROUNDS];
    snprintf(size, sizeof size, "%s%s", size_of(bytes), pause ? ", 1 ms between" : "");
    const size_t blocks = bytes / PAGE > 256 ? bytes / PAGE / 256 : 1;
    CHECK(cudaMallocManaged(&m, bytes));
    memset(m, 1, bytes);
    for (int round = 1; round <= ROUNDS; round++) {
        double device = ns_of([=] {
            touch_all<<<blocks, bytes / PAGE / blocks, 0, t.s[0]>>>(m, PAGE);
            CHECK(cudaStreamSynchronize(t.s[0]));
        });
        host_work(pause);
        double host = ns_of([=] {
            for (size_t i = 0; i < bytes; i += PAGE)
                ((volatile char *)m)[i]++;
            int value;
            CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));      /* the simulator counts at calls */
        });
        host_work(pause);
        kernel_us[round - 1] = device / 1e3;
        host_us[round - 1] = host / 1e3;
        if (round > 4 && round != 10)
            continue;
        snprintf(what, sizeof what, "%s, round %d", size, round);
        snprintf(answer, sizeof answer, "a kernel touches it in %.4g us, then the host in %.4g us", device / 1e3, host / 1e3);
        observed("Managed memory, to and fro", what, answer);
    }
    for (bool up : { true, false }) {
        snprintf(what, sizeof what, "%s, %d rounds, %s", size, ROUNDS, up ? "a kernel" : "the host");
        observed_us("Managed memory, to and fro", what, middle_of(up ? kernel_us : host_us, ROUNDS));
    }
    CHECK(cudaFree(m));
}

/* Is the host made to wait for pages that change sides too often? In the third round, where each takes less than the
 * driver's 500 us (uvm_perf_thrashing.c of its open modules). */
static void thrashing(void)
{
    enum { PIECE = 64 << 10, PIECES = 8, PAGE = 4096, ROUNDS = 3, TIMES = 7 };
    double longer[TIMES];
    for (double &wait : longer) {
        char *m;
        double host[ROUNDS];
        CHECK(cudaMallocManaged(&m, PIECES * PIECE));
        memset(m, 1, PIECES * PIECE);
        for (double &us : host) {
            touch_all<<<1, PIECES * PIECE / PAGE, 0, t.s[0]>>>(m, PAGE);
            CHECK(cudaStreamSynchronize(t.s[0]));
            us = ns_of([=] {
                for (size_t i = 0; i < PIECES * PIECE; i += PAGE)
                    ((volatile char *)m)[i]++;
                int value;
                CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
            }) / 1e3;
        }
        wait = (host[2] - host[1]) / PIECES;
        CHECK(cudaFree(m));
    }
    struct figure wait = middle_of(longer, TIMES);
    if (wait.middle < 50)
        return;
    fact("thrash_wait", "us", wait, "512 KiB that a kernel and the host touch in turn: the host's third round beside its second, for each 64 KiB");
    fact_known("thrash_lapse", "us", 500, "what the source of the driver's open modules has (uvm_perf_thrashing.c)");
}

void measure_alone(void)
{
    copies();
    memsets();
    marks();
    for (size_t bytes : { (size_t)4, 4 * K, 16 * K, 17 * K, 32 * K })
        one_of_many(bytes);
    if (t.card.managedMemory && t.card.concurrentManagedAccess) {
        for (size_t bytes : { 512 * K, M, 4 * M, 16 * M })
            to_and_fro(bytes, 0);
        to_and_fro(512 * K, MS);
        thrashing();
    }
}
