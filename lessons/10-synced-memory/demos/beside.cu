/* SPDX-License-Identifier: MIT */
/* beside.cu - a block and managed memory: which moves what when host and device take turns.
 *
 *   build/bin/simcc -Icommon -Ilessons/10-synced-memory -o beside lessons/10-synced-memory/demos/beside.cu && ./beside */
#include <stdio.h>

#include "block.h"

#define ROUNDS 8
#define STEP (4096 / sizeof(unsigned))      /* one number in every 4 KiB */

__global__ void read_all(const unsigned *x, size_t count, unsigned *sum)
{
    unsigned mine = 0;
    for (size_t i = threadIdx.x * STEP; i < count; i += blockDim.x * STEP)
        mine += x[i];
    atomicAdd(sum, mine);
}

__global__ void write_all(unsigned *x, size_t count)
{
    for (size_t i = threadIdx.x * STEP; i < count; i += blockDim.x * STEP)
        x[i]++;
}

/* What the host and a kernel do in each round. */
static const struct use { const char *name; bool host_writes, kernel_writes, one_number; } turns[] = {
    { "both read all of it", false, false, false },
    { "kernel writes all, host reads one number", false, true, true },
    { "host writes one number, kernel reads all", true, false, true },
    { "both write all of it", true, true, false },
};

static unsigned *sum, found;
static size_t count;                        /* numbers in the block */

static void use_host(unsigned *x, const struct use *t)
{
    for (size_t i = 0; i < count; i += t->one_number ? count : STEP)
        if (t->host_writes)
            x[i]++;
        else
            found += x[i];
}

static void use_device(unsigned *x, const struct use *t)
{
    if (t->kernel_writes)
        write_all<<<1, 128>>>(x, count);
    else
        read_all<<<1, 128>>>(x, count, sum);
    CHECK(cudaGetLastError());
}

static double synced(const struct use *t)
{
    struct synced m;
    synced_init(&m, count * sizeof(unsigned), true);
    synced_write_host(&m);
    synced_write_device(&m);
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    //> synced
    for (int round = 0; round < ROUNDS; round++) {
        use_device((unsigned *)(t->kernel_writes ? synced_write_device(&m) : synced_read_device(&m)), t);
        use_host((unsigned *)(t->host_writes ? synced_write_host(&m) : synced_read_host(&m)), t);
    }
    //< synced
    CHECK(cudaDeviceSynchronize());
    double ms = (now_ns() - begin) / 1e6;
    synced_fini(&m);
    return ms;
}

static double managed(const struct use *t)
{
    unsigned *x;
    CHECK(cudaMallocManaged((void **)&x, count * sizeof(unsigned)));
    for (size_t i = 0; i < count; i++)
        x[i] = 0;
    CHECK(prefetch(x, count * sizeof(unsigned), 0, NULL));
    CHECK(cudaDeviceSynchronize());
    label_push(t->name);
    long long begin = now_ns();
    //> managed
    for (int round = 0; round < ROUNDS; round++) {
        use_device(x, t);
        CHECK(cudaDeviceSynchronize());     // a fault waits for no kernel
        use_host(x, t);
    }
    //< managed
    double ms = (now_ns() - begin) / 1e6;
    label_pop();
    CHECK(cudaFree(x));
    return ms;
}

int main(void)
{
    CHECK(cudaMalloc((void **)&sum, sizeof *sum));
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    for (size_t mib = 2; mib <= 32; mib *= 16) {
        char title[32];
        count = (mib << 20) / sizeof(unsigned);
        snprintf(title, sizeof title, "%zu MiB, ms a round", mib);
        printf("%-42s %8s %8s\n", title, "synced", "managed");
        for (const struct use *t = turns; t < turns + sizeof turns / sizeof *turns; t++)
            printf("%-42s %8.3f %8.3f\n", t->name, synced(t) / ROUNDS, managed(t) / ROUNDS);
    }
    CHECK(cudaFree(sum));
    return found == 1;
}
