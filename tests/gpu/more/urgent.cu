/* SPDX-License-Identifier: MIT */
/* A small kernel beside a bulk grid: plain, with a stream's priority, with a launch's, with SMs set apart for it. */
#include <stdio.h>
#include <algorithm>
#include <string.h>

#include "measure.h"

enum { TIMES = 20, BLOCKS = 2112, SMS = 256, APART = 16 };

/* Which SMs have run a block of it. */
static __global__ void bulk(long long ns, unsigned *used)
{
    unsigned sm;
    kernel_cost(ns);
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0 && sm < SMS)
        used[sm] = 1;
}

static double *least_of(values &v) { return &*std::min_element(v.begin(), v.end()); }

struct setup { const char *name; cudaStream_t bulk, small; bool priority; int launch_priority; };

static double count_of(const unsigned *used)
{
    unsigned on_host[SMS];
    CHECK(cudaMemcpy(on_host, used, sizeof on_host, cudaMemcpyDefault));
    double count = 0;
    for (unsigned u : on_host)
        count += u;
    return count;
}

static void small_beside_bulk(const struct setup &w, unsigned *used)
{
    values alone, beside, wide, whole, bulk_alone;
    std::vector<cudaLaunchAttribute> with;
    if (w.priority) {
        cudaLaunchAttribute a = {};
        a.id = cudaLaunchAttributePriority;
        a.val.priority = w.launch_priority;
        with.push_back(a);
    }
    auto small = [&](unsigned blocks) {
        return us_of([&] {
            CHECK(launch_with(w.small, blocks, 128, with, bulk, 10000, used + SMS));
            CHECK(cudaStreamSynchronize(w.small));
        });
    };
    CHECK(cudaMemset(used, 0, 2 * SMS * sizeof *used));
    for (int i = -1; i < TIMES; i++) {
        CHECK(cudaDeviceSynchronize());
        double one = small(1), two, three, all, other;
        long long begin = now_ns();
        bulk<<<BLOCKS, 1024, 0, w.bulk>>>(200000, used);        /* about 8 waves */
        CHECK(cudaGetLastError());
        host_work(300000);
        two = small(1);
        host_work(100000);
        three = small(APART);
        CHECK(cudaStreamSynchronize(w.bulk));
        all = (double)(now_ns() - begin) / 1e3;
        other = us_of([&] {
            bulk<<<BLOCKS, 1024, 0, w.bulk>>>(200000, used);
            CHECK(cudaStreamSynchronize(w.bulk));
        });
        if (i >= 0)
            alone.push_back(one), beside.push_back(two), wide.push_back(three), whole.push_back(all), bulk_alone.push_back(other);
    }
    std::string name = std::string(w.name) + ": ";
    row(name + "small kernel of 10 us alone, launch to end of wait", alone, "us");
    row(name + "beside the bulk grid", beside, "us");
    row(name + "16 blocks beside the bulk grid", wide, "us");
    row(name + "bulk grid with the small ones", whole, "us");
    row(name + "bulk grid alone", bulk_alone, "us");
    row(name + "least added by the bulk grid", *least_of(beside) - *least_of(alone), "us");
    row(name + "SMs of the bulk grid", count_of(used), "SMs");
    row(name + "SMs of the small kernel", count_of(used + SMS), "SMs");
}

void urgent()
{
    int low = 0, high = 0;
    unsigned *used;
    CHECK(cudaDeviceGetStreamPriorityRange(&low, &high));
    CHECK(cudaMalloc((void **)&used, 2 * SMS * sizeof *used));
    cudaStream_t plain = new_stream(), other = new_stream(), urgent_one = new_stream(high);
    warm_up();
    const struct setup all[] = {
        { "equal priorities", plain, other, false, 0 },
        { "small stream has the highest priority", plain, urgent_one, false, 0 },
        { "small launch has the highest priority, its stream none", plain, other, true, high },
        { "small launch has the lowest priority, its stream the highest", plain, urgent_one, true, low },
    };
    for (const struct setup &w : all)
        small_beside_bulk(w, used);
    values attribute, no_attribute;
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributePriority;
    a.val.priority = high;
    for (int i = 0; i < 200; i++)
        attribute.push_back(us_of([&] { CHECK(launch_with(plain, 1, 32, { a }, last, 0)); }));
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 200; i++)
        no_attribute.push_back(us_of([&] { CHECK(launch_with(plain, 1, 32, {}, last, 0)); }));
    CHECK(cudaDeviceSynchronize());
    row("launch call with a priority", attribute, "us");
    row("launch call without", no_attribute, "us");
}

struct part_of_card { CUgreenCtx context; cudaStream_t stream; };

static struct part_of_card set_apart(CUdevResource *resource, const char *name)
{
    struct part_of_card p;
    CUdevResourceDesc description;
    CUstream s;
    double us = us_of([&] {
        TRY(DRIVER(cuDevResourceGenerateDesc)(&description, resource, 1));
        TRY(DRIVER(cuGreenCtxCreate)(&p.context, description, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    });
    row(std::string(name) + " part: made", us, "us");
    row(std::string(name) + " part: SMs", resource->sm.smCount, "SMs");
    TRY(DRIVER(cuGreenCtxStreamCreate)(&s, p.context, CU_STREAM_NON_BLOCKING, 0));
    p.stream = (cudaStream_t)s;
    return p;
}

void green()
{
    unsigned *used, groups = 1;
    CUdevResource all, few, rest;
    memset(&all, 0, sizeof all), memset(&few, 0, sizeof few), memset(&rest, 0, sizeof rest);
    CHECK(cudaMalloc((void **)&used, 2 * SMS * sizeof *used));
    cudaStream_t plain = new_stream(), urgent_one = new_stream(-5);
    warm_up();
    TRY(DRIVER(cuDeviceGetDevResource)(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    row("SMs of the card", all.sm.smCount, "SMs");
    TRY(DRIVER(cuDevSmResourceSplitByCount)(&few, &groups, &all, &rest, 0, APART));
    struct part_of_card latency = set_apart(&few, "small"), bulk_part = set_apart(&rest, "large");
    const struct setup ways[] = {
        { "no parts, small stream has the highest priority", plain, urgent_one, false, 0 },
        { "small kernel in 16 SMs, bulk grid in the rest", bulk_part.stream, latency.stream, false, 0 },
        { "small kernel in 16 SMs, bulk grid on the whole card", plain, latency.stream, false, 0 },
        { "small kernel anywhere, bulk grid in the large part", bulk_part.stream, plain, false, 0 },
    };
    for (const struct setup &w : ways)
        small_beside_bulk(w, used);
    cudaEvent_t e;
    values calls;
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    for (int i = 0; i < 50; i++)
        calls.push_back(us_of([&] { last<<<1, 32, 0, latency.stream>>>(0); }));
    row("launch call in the small part", calls, "us");
    CHECK(cudaEventRecord(e, latency.stream));          /* an event of one part holds up a stream of the other? */
    CHECK(cudaStreamWaitEvent(bulk_part.stream, e, 0));
    CHECK(cudaDeviceSynchronize());
    note("an event from one part to the other", "works");
}
