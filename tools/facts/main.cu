/* SPDX-License-Identifier: MIT */
/*
 * facts all FIRST MOST JSON   measures the card; FIRST: what `facts first` said in fresh processes,
 *                             MOST: what `facts queues` said with as many queues as can be asked for
 * facts first                 what only a process's first launch and first memory of a pool can tell, and what is
 *                             different from process to process, as the host's memory lies: lines `key value`
 * facts queues                how many hardware queues there are
 */
#include "facts.h"

struct tools t;

static void begin(void)
{
    CHECK(cudaGetDeviceProperties(&t.card, 0));
    for (auto &s : t.s)
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&t.from));
    CHECK(cudaEventCreate(&t.to));
    for (auto &e : t.done)
        CHECK(cudaEventCreate(&e));
    CHECK(cudaMalloc(&t.device, BIG));
    CHECK(cudaMalloc(&t.more, BIG));
    CHECK(cudaMallocHost(&t.pinned, HALF));
    CHECK(cudaMallocHost(&t.pinned_too, HALF));
    t.pageable = (char *)malloc(HALF);
    memset(t.pinned, 1, HALF);
    memset(t.pinned_too, 1, HALF);
    memset(t.pageable, 1, HALF);
    /* The card's clocks rise under load. */
    busy<<<t.card.multiProcessorCount, 256>>>(200 * MS);
    CHECK(cudaDeviceSynchronize());
}

/* Lines `key value` of several processes, as one figure. */
static struct figure in_file(const char *path, const char *key)
{
    char name[32];
    double values[SAMPLES], value;
    int count = 0;
    FILE *in = fopen(path, "r");
    while (in && fscanf(in, "%31s %lf", name, &value) == 2)
        if (strcmp(name, key) == 0 && count < SAMPLES)
            values[count++] = value;
    if (in)
        fclose(in);
    if (count == 0) {
        fprintf(stderr, "facts: %s says nothing of %s\n", path, key);
        exit(2);
    }
    return middle_of(values, count);
}

static void take_over(const char *first, const char *most)
{
    struct figure queues = in_file(most, "queues");
    fact_known("max_queues", "", queues.middle, "[M] found with CUDA_DEVICE_MAX_CONNECTIONS=32");
    fact("load_first", "us", in_file(first, "load_first"), "the first launch of a process beside a later one");
    fact("load_kernel", "us", in_file(first, "load_kernel"), "the first launch of other kernels beside a later one");
    struct figure cached = in_file(first, "h2d_pageable"), uncached = in_file(first, "h2d_uncached");
    fact("h2d_pageable", "GB/s", cached, "slope from 4 to 16 MiB, in three processes");
    if (uncached.middle < 0.8 * cached.middle) {
        fact("h2d_uncached", "GB/s", uncached, "slope from 16 to 128 MiB, in three processes");
        fact_known("host_cache", "MiB", (double)CACHED / MIB, "[M] more goes slower");
    }
    fact("d2h_pageable", "GB/s", in_file(first, "d2h_pageable"), "slope from 1 to 64 MiB, in three processes");
    fact("staging", "GB/s", in_file(first, "staging"),
         "the call of a pageable copy into an idle stream, slope from 128 KiB to 1 MiB, in three processes");
    struct figure ring = in_file(first, "ring_calls");
    if (value_of("inline_pageable") >= 64 * KIB) {
        fact("inline_written", "GB/s", in_file(first, "first_written"),
             "the first calls of pageable copies in a stream, slope from 4 B to 64 KiB, in three processes");
        if (ring.middle > 0) {
            char how[128];
            snprintf(how, sizeof how, "[M] pageable copies of 64 KiB: the first %.0f calls in a stream (%.0f to %.0f) take longer than all later ones",
                     ring.middle, ring.least, ring.most);
            fact_known("inline_ring", "MiB", (double)(int)(ring.middle * 64 / 1024 + 0.5), how);
            fact("inline_rewritten", "GB/s", in_file(first, "later_written"), "later calls, likewise");
        }
    }
    if (t.card.managedMemory && t.card.concurrentManagedAccess) {
        fact("prefetch_call", "us", in_file(first, "prefetch_call"), "a MiB: the call of a prefetch to the device, slope from 1 to 64 MiB");
        fact("prefetch_h2d", "GB/s", in_file(first, "prefetch_h2d"), "slope from 16 to 64 MiB, in three processes");
        fact("prefetch_d2h", "GB/s", in_file(first, "prefetch_d2h"), "slope from 16 to 64 MiB, in three processes");
        fact("fault_device", "us", in_file(first, "fault_device"),
             "a kernel touches 64 MiB of the host's, six faults for 2 MiB, beside the bytes' time, in three processes");
        fact("fault_host", "us", in_file(first, "fault_host"), "the host touches 64 MiB of the device's, likewise");
    }
    fact("pool_first", "us", in_file(first, "pool_first"), "the first cudaMallocAsync of a process beside a later one");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "first") == 0) {
        print_first();
        begin();
        print_command();
        measure_speeds();               /* as others need them here */
        print_pageable();
        print_managed();
        return 0;
    }
    if (argc == 2 && strcmp(argv[1], "queues") == 0) {
        begin();
        printf("queues %d\n", queues_found());
        return 0;
    }
    if (argc != 5 || strcmp(argv[1], "all") != 0) {
        fputs("usage: facts first | queues | all FIRST MOST JSON\n", stderr);
        return 2;
    }
    doing("what the card says of itself");
    begin();
    measure_properties();
    doing("bandwidths");
    measure_speeds();
    doing("host time of calls");
    measure_calls();
    measure_graph_calls();
    doing("latencies");
    measure_latencies();
    doing("what runs at once");
    measure_structure();
    take_over(argv[2], argv[3]);
    doing("what waits for what");
    measure_order();
    doing("managed memory and pools");
    measure_memory();
    doing("one thing of each size");
    measure_alone();
    report(argv[4]);
    return 0;
}
