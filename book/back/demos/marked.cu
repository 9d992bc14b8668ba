/* SPDX-License-Identifier: MIT */
/* marked.cu - lesson 03's diamond between two copies, with ranges of NVTX.
 *
 *   build/bin/simcc -Icommon -o marked book/back/demos/marked.cu && build/bin/timeline ./marked */
#include <nvtx3/nvToolsExt.h>

#include "streams.h"

enum { N = 1 << 20, BLOCKS = 128, THREADS = 256 };

__global__ void stage(float *to, const float *from, int n, int ns)
{
    kernel_cost(ns);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        to[i] = from[i] + 1;
}

static float *host, *a, *b, *c, *d;
static cudaStream_t one, two;
static cudaEvent_t forked, joined;

static void launch(float *to, const float *from, int ns, cudaStream_t stream)
{
    stage<<<BLOCKS, THREADS, 0, stream>>>(to, from, N, ns);
    CHECK(cudaGetLastError());
}

static void diamond(void)
{
    //> ranges
    nvtxRangePushA("queue");
    CHECK(cudaMemcpyAsync(a, host, N * sizeof *a, cudaMemcpyHostToDevice, one));
    launch(b, a, 100000, one);                      // A
    CHECK(cudaEventRecord(forked, one));
    CHECK(cudaStreamWaitEvent(two, forked, 0));
    launch(c, b, 300000, one);                      // B
    launch(d, b, 200000, two);                      // C
    CHECK(cudaEventRecord(joined, two));
    CHECK(cudaStreamWaitEvent(one, joined, 0));
    launch(a, c, 100000, one);                      // D
    CHECK(cudaMemcpyAsync(host, a, N * sizeof *a, cudaMemcpyDeviceToHost, one));
    nvtxRangePop();

    nvtxRangePushA("wait");
    CHECK(cudaStreamSynchronize(one));
    nvtxRangePop();
    //< ranges
}

int main(void)
{
    CHECK(cudaMallocHost((void **)&host, N * sizeof *host));
    for (int i = 0; i < N; i++)
        host[i] = i;
    float **all[] = { &a, &b, &c, &d };
    for (float **p : all)
        CHECK(cudaMalloc((void **)p, N * sizeof **p));
    CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    CHECK(cudaMemsetAsync(a, 0, N * sizeof *a, one));
    launch(b, a, 0, one);                           // a program's first launch loads code
    CHECK(cudaDeviceSynchronize());

    nvtxRangePushA("diamond");
    diamond();
    nvtxRangePop();

    CHECK(cudaEventDestroy(forked));
    CHECK(cudaEventDestroy(joined));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    for (float **p : all)
        CHECK(cudaFree(*p));
    CHECK(cudaFreeHost(host));
    return 0;
}
