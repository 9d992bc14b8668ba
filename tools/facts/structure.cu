/* SPDX-License-Identifier: MIT */
/* What runs at once: kernels, hardware queues, copies; who goes first. */
#include "facts.h"

enum { MOST_STREAMS = 256 };
static cudaStream_t streams[MOST_STREAMS];

static void make(int count)
{
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
}

static void drop(int count)
{
    for (int i = 0; i < count; i++)
        CHECK(cudaStreamDestroy(streams[i]));
}

/* In lengths of a kernel: how long do chains of `steps` kernels in `count` new streams take, stream by stream? */
static double chains(int count, int steps, long long length)
{
    make(count);
    CHECK(cudaDeviceSynchronize());
    double ns = ns_of([=] {
        for (int i = 0; i < count * steps; i++)
            busy<<<1, 1, 0, streams[i / steps]>>>(length);
        CHECK(cudaDeviceSynchronize());
    });
    drop(count);
    return ns / (double)length;
}

int queues_found(void)
{
    chains(1, 2, MS);               /* loads the kernel */
    int count = 1;
    while (count < 64 && chains(count + 1, 2, 2 * MS) < 2.5)
        count++;
    return count;
}

/* The most one-block kernels that run together. */
static int grids_found(void)
{
    int good = 1, bad = MOST_STREAMS + 1;
    while (bad - good > 1) {
        int middle = (good + bad) / 2;
        if (chains(middle, 1, 4 * MS) < 1.7)
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* Does a copy that waits for a kernel hold up one of another stream, issued after it? */
static bool copies_in_order(void)
{
    busy<<<1, 1, 0, t.s[0]>>>(5 * MS);
    CHECK(cudaMemcpyAsync(t.device, t.pinned, MIB, cudaMemcpyHostToDevice, t.s[0]));
    CHECK(cudaMemcpyAsync(t.more, t.pinned_too, MIB, cudaMemcpyHostToDevice, t.s[1]));
    CHECK(cudaEventRecord(t.done[1], t.s[1]));
    CHECK(cudaEventRecord(t.done[0], t.s[0]));
    double ns = ns_of([] { CHECK(cudaEventSynchronize(t.done[1])); });
    CHECK(cudaDeviceSynchronize());
    return ns > 2.5 * MS;
}

/* Does such a copy hold up a kernel of another stream? */
static bool copies_hold_kernels(void)
{
    busy<<<1, 1, 0, t.s[0]>>>(5 * MS);
    CHECK(cudaMemcpyAsync(t.pinned, t.device, MIB, cudaMemcpyDeviceToHost, t.s[0]));
    busy<<<1, 1, 0, t.s[1]>>>(0);
    double ns = ns_of([] { CHECK(cudaStreamSynchronize(t.s[1])); });
    CHECK(cudaDeviceSynchronize());
    return ns > 2.5 * MS;
}

/* Is a small copy done before a large one that was issued before it in another stream? `host`: its memory there;
 * `before`: ns of a kernel that its own stream has before it, 0: none. */
static bool overtakes(size_t bytes, bool up, char *host, long long before = 0)
{
    cudaMemcpyKind kind = up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
    CHECK(cudaMemcpyAsync(up ? t.device : t.pinned, up ? t.pinned : t.device, HALF, kind, t.s[0]));
    if (before > 0)
        busy<<<1, 1, 0, t.s[1]>>>(before);
    CHECK(cudaMemcpyAsync(up ? t.more : host, up ? host : t.more, bytes, kind, t.s[1]));
    CHECK(cudaEventRecord(t.done[1], t.s[1]));
    double ns = ns_of([] { CHECK(cudaEventSynchronize(t.done[1])); });
    CHECK(cudaDeviceSynchronize());
    return ns < MS;
}

static size_t largest_that_overtakes(char *host, long long before)
{
    size_t most = 0;
    for (size_t bytes = 4; bytes <= MIB && overtakes(bytes, true, host, before); bytes = bytes & (bytes - 1) ? bytes / 3 * 4 : bytes / 2 * 3)
        most = bytes;
    return most;
}

static void small_copies(void)
{
    char what[64];
    fact_known("inline_bytes", "B", (double)largest_that_overtakes(t.pinned_too, 0),
               "[M] the largest of 4, 6, 8, 12, 16, ... bytes that overtakes a copy of 128 MiB in another stream");
    fact_known("inline_busy", "B", (double)largest_that_overtakes(t.pinned_too, 100 * US), "[M] likewise, after a kernel in its own stream");
    fact_known("inline_pageable", "B", (double)largest_that_overtakes(t.pageable, 100 * US), "[M] likewise, from pageable memory");
    for (size_t kib : { 1, 4, 16, 17, 24, 32, 64 })
        for (bool up : { true, false }) {
            snprintf(what, sizeof what, "%zu KiB %s", kib, up ? "to the device" : "to the host");
            observed("A small pinned copy issued after one of 128 MiB in another stream", what,
                     overtakes(kib * KIB, up, t.pinned_too) ? "overtakes it" : "waits for it");
        }
    for (size_t kib : { 1, 16, 64, 128 }) {
        snprintf(what, sizeof what, "%zu KiB to the device", kib);
        observed("A pageable copy issued after one of 128 MiB in another stream", what,
                 overtakes(kib * KIB, true, t.pageable) ? "overtakes it" : "waits for it");
    }
    for (size_t kib : { 1, 16, 32 }) {
        snprintf(what, sizeof what, "%zu KiB to the device", kib);
        observed("A small pinned copy, after a kernel of 100 us in its stream and 128 MiB in another", what,
                 overtakes(kib * KIB, true, t.pinned_too, 100 * US) ? "overtakes them" : "waits for them");
    }
}

/* The largest pageable copy that returns while its stream is busy. */
static void pageable_calls(void)
{
    char what[64];
    const char *table = "A pageable copy to the device whose stream is busy";
    for (size_t kib : { 1, 64, 256, 1024, 1088, 2048, 3072, 4096 }) {
        busy<<<1, 1, 0, t.s[0]>>>(5 * MS);
        double ns = ns_of([=] { CHECK(cudaMemcpyAsync(t.device, t.pageable, kib * KIB, cudaMemcpyHostToDevice, t.s[0])); });
        CHECK(cudaDeviceSynchronize());
        snprintf(what, sizeof what, "%zu KiB", kib);
        observed(table, what, ns < 2.5 * MS ? "returns at once" : "waits");
    }
}

static void priorities(void)
{
    cudaStream_t urgent;
    int least, greatest, full = t.card.multiProcessorCount * (t.card.maxThreadsPerMultiProcessor / 256);
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    for (int priority : { least, greatest }) {
        CHECK(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, priority));
        CHECK(cudaEventRecord(t.from, t.s[0]));
        busy<<<20 * full, 256, 0, t.s[0]>>>(200 * US);
        host_work(900 * US);
        busy<<<full, 256, 0, urgent>>>(200 * US);
        CHECK(cudaEventRecord(t.done[0], urgent));
        CHECK(cudaDeviceSynchronize());
        double us = elapsed_ns(t.from, t.done[0]) / 1e3;
        observed_us("20 waves of 200 us; a kernel of one wave comes after 0.9 ms and is done after",
                    priority == least ? "in a stream of the same priority" : "in one of the greatest priority", { us, us, us });
        CHECK(cudaStreamDestroy(urgent));
    }
}

void measure_structure(void)
{
    fact_known("queues", "", queues_found(), "[M] chains of kernels, stream by stream: one more stream takes longer");
    fact_known("concurrent_grids", "", grids_found(), "[M] kernels of one block that run together");
    fact_known("copies_in_issue_order", "", copies_in_order(), "[M] a copy that waits, and one in another stream");
    if (t.card.concurrentKernels)
        fact_known("copies_signal_in_queue", "", copies_hold_kernels(), "[M] a copy that waits for a kernel, and a kernel in another stream");
    else
        fact_known("copies_signal_in_queue", "", 0, "not to be seen: kernels run one at a time");
    small_copies();
    pageable_calls();
    priorities();
}
