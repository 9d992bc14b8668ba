/* SPDX-License-Identifier: MIT */
/* Calls: launches, records, host functions, loading, and what some cost by themselves. */
#include "figure.h"

static volatile long long called;

static void look(void *)
{
    called = now_ns();
}

__global__ void fresh(int *p)
{
    *p = 1;
}

int main()
{
    int *d = on_device<int>(4), *p;
    warm_up(d);
    cudaStream_t s = stream(), other = stream();
    cudaEvent_t e = event(), f = event();
    float apart;

    long long launches = took([&] {
        for (int i = 0; i < 1000; i++)
            busy<<<1, 1, 0, s>>>(0);
        CHECK(cudaDeviceSynchronize());
    });
    figure("an empty kernel, launched 1000 times", 3.43, 5.3, us(launches) / 1000, "us", 0.1);
    figure("cudaEventRecord", 1.05, 1.5, us(took([&] { CHECK(cudaEventRecord(e, s)); })), "us", 0.1);
    CHECK(cudaEventRecord(e, s));
    CHECK(cudaEventRecord(f, s));
    CHECK(cudaEventSynchronize(f));
    CHECK(cudaEventElapsedTime(&apart, e, f));
    /* Here nothing but the calls is between them; in a row behind a kernel the card took 1.27 us for each. */
    figure("two events recorded one after the other", 1.7, apart * 1e3, "us", 0.4);
    long long begin = now_ns();
    CHECK(cudaLaunchHostFunc(s, look, NULL));
    CHECK(cudaStreamSynchronize(s));
    figure("from cudaLaunchHostFunc to its function", 13, us(called - begin), "us", 0.2);

    begin = now_ns();
    busy<<<1, 1, 0, other>>>(50000000);
    fresh<<<1, 1, 0, s>>>(d);
    CHECK(cudaStreamSynchronize(s));
    figure("a first launch behind a kernel of 50 ms", 50, ms(now_ns() - begin), "ms", 0.1);
    /* Calls are as they were measured behind a busy stream; here it was idle. */
    figure("the second launch", 9, us(took([&] {
               fresh<<<1, 1, 0, s>>>(d);
               CHECK(cudaStreamSynchronize(s));
           })), "us", 0.5);
    CHECK(cudaDeviceSynchronize());

    busy<<<1, 1, 0, s>>>(LONG);
    /* One figure for this and for making a stream, which took 2.0 us: 1.3 to 274. */
    figure("destroying a busy stream", 7, us(took([&] { CHECK(cudaStreamDestroy(s)); })), "us", 0.75);
    CHECK(cudaDeviceSynchronize());
    figure("cudaMallocHost of 64 MiB", 20, 33.4, ms(took([&] { CHECK(cudaMallocHost(&p, 64 << 20)); })), "ms", 0.1);
    return rules_end();
}
