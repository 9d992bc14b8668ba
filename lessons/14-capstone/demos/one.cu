/* SPDX-License-Identifier: MIT */
/* one.cu - five frames, one at a time.
 *
 *   build/bin/simcc -o one lessons/14-capstone/demos/one.cu && ./one */
#include <stdio.h>

#include "streams.h"

#define N 8000
#define FRAMES 5

__global__ void develop(unsigned *x)
{
    kernel_cost(100000);
    x[threadIdx.x] += 1;
}

__global__ void gather(unsigned *total, const unsigned *x)
{
    kernel_cost(30000);
    total[threadIdx.x] += x[threadIdx.x];
}

struct place {
    unsigned *room, *x, *result;
};
static cudaStream_t work;
static unsigned *total;

static void fill(struct place *s)
{
    for (int i = 0; i < N; i++)
        s->room[i] = i;
    host_work(20000);
}

static void seal(struct place *)
{
    host_work(60000);
}

static void one_at_a_time(struct place *s)
{
    for (int k = 0; k < FRAMES; k++) {
        //> one
        fill(s);
        CHECK(cudaMemcpyAsync(s->x, s->room, N * sizeof(unsigned), cudaMemcpyHostToDevice, work));
        develop<<<1, 32, 0, work>>>(s->x);
        gather<<<1, 32, 0, work>>>(total, s->x);
        CHECK(cudaMemcpyAsync(s->result, total, N * sizeof(unsigned), cudaMemcpyDeviceToHost, work));
        CHECK(cudaStreamSynchronize(work));
        seal(s);
        //< one
    }
    CHECK(cudaGetLastError());
}

int main(void)
{
    struct place place;
    const size_t bytes = N * sizeof(unsigned);
    CHECK(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&total, bytes));
    CHECK(cudaMemset(total, 0, bytes));
    CHECK(cudaMallocHost((void **)&place.room, bytes));
    CHECK(cudaMallocHost((void **)&place.result, bytes));
    CHECK(cudaMalloc((void **)&place.x, bytes));
    CHECK(cudaMemset(place.x, 0, bytes));
    develop<<<1, 1>>>(place.x);
    gather<<<1, 1>>>(total, place.x);
    CHECK(cudaDeviceSynchronize());

    long long begin = now_ns();
    label_push("one at a time");
    one_at_a_time(&place);
    label_pop();
    printf("%.0f us\n", (now_ns() - begin) / 1e3);
    CHECK(cudaFreeHost(place.room));
    CHECK(cudaFreeHost(place.result));
    CHECK(cudaFree(place.x));
    CHECK(cudaFree(total));
    CHECK(cudaStreamDestroy(work));
    return 0;
}
