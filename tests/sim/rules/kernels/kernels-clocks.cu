/* SPDX-License-Identifier: MIT */
/* The device's clocks: loops that look at one take the time that they wait for. [G] "Time Function", "Nanosleep Function". */
#include "../rule.h"

__device__ unsigned long long global_time()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

__global__ void wait_cycles(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles)
        ;
}

__global__ void wait_ns(unsigned long long ns)
{
    unsigned long long begin = global_time();
    while (global_time() - begin < ns)
        ;
}

__global__ void sleep_ns(unsigned long long ns)
{
    unsigned long long begin = global_time();
    while (global_time() - begin < ns)
        __nanosleep(10000);
}

__global__ void times(long long *p)
{
    p[0] = clock64();
    p[1] = clock64();
    p[2] = (long long)global_time();
    __nanosleep(100000);
    p[3] = (long long)global_time();
    clock_t c = clock();
    p[4] = clock() - c;
    __syncthreads();
    p[5] = (long long)global_time();
}

/* One thread waits, the others wait for it at the barrier. They take its time, not their own: a look at
 * the timer may be moved to before the barrier [M]. */
__global__ void wait_together(unsigned long long *p, long long cycles)
{
    __shared__ unsigned long long end;
    unsigned long long begin = global_time();
    long long clock_begin = clock64();
    if (threadIdx.x == 40) {
        while (clock64() - clock_begin < cycles)
            ;
        end = global_time();
    }
    __syncthreads();
    p[threadIdx.x] = end - begin;
}

__global__ void who(unsigned *p)
{
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    p[threadIdx.x] = lane;
}

/* A thread waits for a flag that one behind it raises. */
__global__ void flag(volatile int *p)
{
    __shared__ volatile int raised;
    if (threadIdx.x == 0)
        raised = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        while (!raised)
            __nanosleep(100);
    if (threadIdx.x == 63)
        raised = 1;
    p[threadIdx.x] = raised;
}

static bool about(long long ns, double expected)
{
    return ns > 0.9 * expected && ns < 1.3 * expected;
}

template <typename F> static long long length(F launch)
{
    launch();
    CHECK(cudaDeviceSynchronize());
    return took([&] {
        launch();
        CHECK(cudaDeviceSynchronize());
    });
}

int main()
{
    rule(about(length([] { wait_ns<<<1, 1>>>(LONG); }), LONG), "a loop on the global timer takes the time it waits for");
    rule(about(length([] { wait_ns<<<8, 256>>>(LONG); }), LONG), "so it does in every thread of a grid");
    rule(about(length([] { sleep_ns<<<4, 64>>>(LONG); }), LONG), "a loop of short sleeps takes it, too");
    long long one = length([] { wait_cycles<<<1, 1>>>(20000000); }), two = length([] { wait_cycles<<<1, 1>>>(40000000); });
    rule(about(two, 2.0 * one), "twice the cycles of clock64 take twice the time");

    long long *d = on_device<long long>(6), h[6];
    times<<<1, 1>>>(d);
    CHECK(cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost));
    rule(h[1] > h[0] && h[4] > 0, "clocks go on from look to look");
    rule(h[3] > h[2] && h[5] >= h[3], "the global timer sees a sleep");
    unsigned long long *together = on_device<unsigned long long>(64), all[64];
    wait_together<<<1, 64>>>(together, 20000000);
    CHECK(cudaMemcpy(all, together, sizeof all, cudaMemcpyDeviceToHost));
    rule(all[0] > LONG / 5 && all[0] > all[40] / 2, "a barrier takes as long as the last that comes");
    int *p = on_device<int>(64), raised[64];
    flag<<<1, 64>>>(p);
    CHECK(cudaMemcpy(raised, p, sizeof raised, cudaMemcpyDeviceToHost));
    rule(raised[0] == 1, "a thread that sleeps lets others go on");
    unsigned *w = on_device<unsigned>(64), lanes[64];
    who<<<1, 64>>>(w);
    CHECK(cudaMemcpy(lanes, w, sizeof lanes, cudaMemcpyDeviceToHost));
    rule(lanes[5] == 5 && lanes[37] == 5, "a thread may read its lane's number");
    return rules_end();
}
