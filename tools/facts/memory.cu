/* SPDX-License-Identifier: MIT */
/* Managed memory and pools. No more of either than 64 MiB. */
#include "facts.h"

static const size_t MANAGED = 64 * (size_t)MIB, PAGE = 4096;
static char *m;

static __global__ void touch(char *a, size_t step)
{
    a[(threadIdx.x + (size_t)blockIdx.x * blockDim.x) * step]++;
}

static void go_to(int where)
{
    CHECK(prefetch(m, MANAGED, where, t.s[0]));
    CHECK(cudaDeviceSynchronize());
}

/* A block for each 64 KiB: what one block touches comes together (fault_more). */
static double kernel_ns(void)
{
    return ns_of([] {
        touch<<<MANAGED / PAGE / 16, 16, 0, t.s[0]>>>(m, PAGE);
        CHECK(cudaDeviceSynchronize());
    });
}

/* Pieces double from 64 KiB to 1 MiB: six faults for 2 MiB. */
static const double FAULTS = 6.0 * MANAGED / (2 * MIB);

static double fault_us(double took, double there, const char *way)
{
    return (took - there - (double)MANAGED / value_of(way)) / FAULTS / 1e3;
}

static double device_fault(void)
{
    go_to(cudaCpuDeviceId);
    double took = kernel_ns();
    return fault_us(took, kernel_ns(), "h2d_pinned");
}

static double host_touches(void)
{
    return ns_of([] {
        for (size_t i = 0; i < MANAGED; i += PAGE)
            ((volatile char *)m)[i]++;
        int value;
        CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));      /* the simulator counts at calls */
    });
}

static double host_fault(void)
{
    go_to(0);
    double took = host_touches();
    return fault_us(took, host_touches(), "d2h_pinned");
}

/* Gigabytes a second of a prefetch from the first call to the end, what does not depend on the size left out. */
static double prefetch_speed(int to, int from)
{
    const size_t small = MANAGED / 4;
    double ns[2];
    for (int i = 0; i < 2; i++) {
        go_to(from);
        ns[i] = ns_of([=] {
            CHECK(prefetch(m, i ? MANAGED : small, to, t.s[0]));
            CHECK(cudaStreamSynchronize(t.s[0]));
        });
    }
    return (double)(MANAGED - small) / (ns[1] - ns[0]);
}

static double prefetch_call(void)
{
    double ns[2];
    for (int i = 0; i < 2; i++) {
        go_to(cudaCpuDeviceId);
        ns[i] = ns_of([=] { CHECK(prefetch(m, i ? MANAGED : (size_t)MIB, 0, t.s[0])); });
        CHECK(cudaDeviceSynchronize());
    }
    return (ns[1] - ns[0]) / ((double)MANAGED / MIB - 1) / 1e3;
}

void print_managed(void)
{
    if (!t.card.managedMemory || !t.card.concurrentManagedAccess)
        return;
    CHECK(cudaMallocManaged(&m, MANAGED));
    memset(m, 1, MANAGED);
    kernel_ns();
    go_to(cudaCpuDeviceId);
    for (int i = 0; i < 3; i++) {
        printf("prefetch_call %.3f\n", prefetch_call());
        printf("prefetch_h2d %.3f\n", prefetch_speed(0, cudaCpuDeviceId));
        printf("prefetch_d2h %.3f\n", prefetch_speed(cudaCpuDeviceId, 0));
        printf("fault_device %.3f\n", device_fault());
        printf("fault_host %.3f\n", host_fault());
    }
    CHECK(cudaFree(m));
}

/* The host has done something else: what the driver's call needs is no longer in the core's cache. */
static void something_else(void)
{
    memset(t.pinned, 1, 4 * MIB);
}

/* What a prefetch takes beside its bytes, their preparation and what any copy takes that is waited for. */
static double prefetch_fixed(void)
{
    go_to(cudaCpuDeviceId);
    something_else();
    double ns = ns_of([] {
        CHECK(prefetch(m, MIB, 0, t.s[0]));
        CHECK(cudaStreamSynchronize(t.s[0]));
    });
    return ns / 1e3 - MIB / value_of("prefetch_h2d") / 1e3 - value_of("prefetch_call") - value_of("copy_ns")
           - value_of("call_copy") - value_of("start_ns") - value_of("wake_ns");
}

/* The call of one to the host, beside what any copy's call takes and its bytes. */
static double prefetch_home(void)
{
    const size_t bytes = 64 * KIB;
    go_to(0);
    double ns = ns_of([] { CHECK(prefetch(m, bytes, cudaCpuDeviceId, t.s[0])); });
    CHECK(cudaDeviceSynchronize());
    return ns / 1e3 - bytes / value_of("prefetch_d2h") / 1e3 - value_of("call_copy");
}

/* From the end of a kernel to the end of `count` prefetches of 64 KiB, which were queued after it while it ran. */
static double after_a_kernel(int count)
{
    const long long kernel = 300 * US;
    go_to(cudaCpuDeviceId);
    double ns = ns_of([=] {
        busy<<<1, 1, 0, t.s[0]>>>(kernel);
        for (int i = 0; i < count; i++)
            CHECK(prefetch(m + 2 * i * MIB, 64 * KIB, 0, t.s[0]));
        CHECK(cudaStreamSynchronize(t.s[0]));
    });
    return (ns - kernel) / 1e3 - value_of("call_launch") - value_of("start_ns") - value_of("kernel_ns") - value_of("wake_ns");
}

/* What such a prefetch takes by itself, once it has begun. */
static double late_prefetch(void)
{
    return value_of("prefetch_ns") + value_of("prefetch_call") / 16 + value_of("copy_ns") + 64 * KIB / value_of("prefetch_h2d") / 1e3;
}

/* One block whose threads touch `pages` pages next to each other that the host has, beside the same once more. */
static double block_faults(int pages)
{
    auto ns = [=] {
        return ns_of([=] {
            touch<<<1, pages, 0, t.s[0]>>>(m, PAGE);
            CHECK(cudaDeviceSynchronize());
        });
    };
    host_touches();
    double took = ns();
    return (took - ns()) / 1e3 - (pages > 16 ? (double)(pages * PAGE) : 64.0 * KIB) / value_of("h2d_pinned") / 1e3;
}

/* Of what is told apart only since other than the simplest programs were measured. */
static void measure_managed_more(void)
{
    auto positive = [](struct figure f) {
        f.middle = f.middle > 0 ? f.middle : 0;
        return f;
    };
    fact("prefetch_home", "us", several(9, prefetch_home), "the call of a prefetch of 64 KiB to the host, less call_copy and the bytes' time");
    fact("prefetch_late", "us", positive(several(9, [] { return after_a_kernel(2) - after_a_kernel(1) - late_prefetch(); })),
         "two prefetches of 64 KiB after a kernel of 300 us take longer than one, less what one takes in an idle stream");
    fact("prefetch_wake", "us", positive(several(9, [] {
        return after_a_kernel(1) - value_of("depend_ns") - value_of("prefetch_late") - late_prefetch();
    })), "one of them, from the kernel's end to its own, less depend_ns, prefetch_late and what it takes in an idle stream");
    fact("fault_first", "us", positive(several(9, [] { return block_faults(1) - value_of("fault_device"); })),
         "a kernel touches one page, beside the same once more, less fault_device and the bytes' time");
    fact("fault_more", "us", several(9, [] { return (block_faults(512) - value_of("fault_first") - value_of("fault_device")) / 5; }),
         "one block touches 2 MiB, likewise, less fault_first and one fault: five more");
}

static void measure_managed(void)
{
    CHECK(cudaMallocManaged(&m, MANAGED));
    memset(m, 1, MANAGED);
    kernel_ns();
    fact("prefetch_ns", "us", several(9, prefetch_fixed),
         "a prefetch of 1 MiB to the device and a wait, after the host has done something else, less all else in it");
    measure_managed_more();
    CHECK(cudaFree(m));
    const char *table = "Managed memory, 64 MiB";
    CHECK(cudaMallocManaged(&m, MANAGED));
    observed_us(table, "a kernel is the first to touch it", several(1, [] { return kernel_ns() / 1e3; }));
    observed_us(table, "a kernel touches what it has", several(5, [] { return kernel_ns() / 1e3; }));
    CHECK(cudaFree(m));
    CHECK(cudaMallocManaged(&m, MANAGED));
    observed_us(table, "the host is the first to touch it", several(1, [] { return host_touches() / 1e3; }));
    CHECK(cudaFree(m));
}

static void measure_pools(void)
{
    cudaMemPool_t pool;
    uint64_t all = UINT64_MAX, none = 0;
    auto take = [](bool freed) {
        void *p;
        double ns = ns_of([&] { CHECK(cudaMallocAsync(&p, 80000, t.s[0])); });
        CHECK(cudaFreeAsync(p, t.s[0]));
        if (freed)
            CHECK(cudaDeviceSynchronize());
        return ns / 1e3;
    };
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    take(true);
    struct figure call = several(21, [=] { return take(false); });
    fact("pool_call", "us", call, "cudaMallocAsync of memory that the pool has");
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &none));
    take(true);
    fact("pool_grow", "us", several(9, [=] {
        something_else();
        return take(true) - call.middle;
    }), "the first cudaMallocAsync after a synchronisation and something else, threshold 0, beside pool_call");
    fact("pool_free", "us", several(21, [] {
        void *p;
        CHECK(cudaMallocAsync(&p, 80000, t.s[0]));
        return ns_of([=] { CHECK(cudaFreeAsync(p, t.s[0])); }) / 1e3;
    }), "cudaFreeAsync");
}

void measure_memory(void)
{
    int pools = 0;
    if (t.card.managedMemory && t.card.concurrentManagedAccess)
        measure_managed();
    else {
        const char *source = "not measured: no concurrent access to managed memory; as copies";
        fact_known("prefetch_call", "us", 0, source);
        fact_known("prefetch_ns", "us", 0, source);
        fact_known("prefetch_h2d", "GB/s", value_of("h2d_pinned"), source);
        fact_known("prefetch_d2h", "GB/s", value_of("d2h_pinned"), source);
        fact_known("fault_device", "us", 0, source);
        fact_known("fault_host", "us", 0, source);
    }
    CHECK(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, 0));
    if (pools)
        measure_pools();
    else {
        fact_known("pool_call", "us", 0, "[Q] no pools");
        fact_known("pool_grow", "us", 0, "[Q] no pools");
        fact_known("pool_free", "us", 0, "[Q] no pools");
    }
}
