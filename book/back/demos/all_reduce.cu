/* SPDX-License-Identifier: MIT */
/* all_reduce.cu - a collective of two devices, as streams see one. SIM_PROFILE=dual; ORDER=crossed: it never ends.
 *
 *   build/bin/simcc -o all_reduce book/back/demos/all_reduce.cu && SIM_PROFILE=dual ./all_reduce */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

#define N 1000000
#define BUCKETS 3
#define THREADS 256
#define BLOCKS ((N + THREADS - 1) / THREADS)

__global__ void backward(float *gradient, float value)
{
    kernel_busy(80000);                             // four waves: 0.3 ms
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        gradient[i] = value;
}

__global__ void add(float *sum, const float *own, const float *theirs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        sum[i] = own[i] + theirs[i];
}

/* One rank: its device, its buckets, and where a partner's bucket goes. */
struct rank { cudaStream_t compute, comm; float *gradient[BUCKETS], *sum[BUCKETS], *theirs; cudaEvent_t ready; };
static struct rank rank[2];

/* A communicator: who has come to which of its collectives. Pinned: both devices write and read it. */
struct communicator { unsigned *come, rounds[2]; };

static struct communicator communicator_make(void)
{
    struct communicator c = {};
    CHECK(cudaMallocHost((void **)&c.come, 2 * sizeof *c.come));
    c.come[0] = c.come[1] = 0;
    return c;
}

//> model
/* What rank r queues. It returns at once; the stream waits until the other rank has come. */
static void all_reduce(struct communicator *c, int r, int bucket, cudaStream_t stream)
{
    int other = 1 - r;
    unsigned round = ++c->rounds[r];
    CHECK(cuStreamWriteValue32(stream, (CUdeviceptr)&c->come[r], round, 0));
    CHECK(cuStreamWaitValue32(stream, (CUdeviceptr)&c->come[other], round, CU_STREAM_WAIT_VALUE_GEQ));
    CHECK(cudaMemcpyPeerAsync(rank[r].theirs, r, rank[other].gradient[bucket], other, N * sizeof(float), stream));
    add<<<BLOCKS, THREADS, 0, stream>>>(rank[r].sum[bucket], rank[r].gradient[bucket], rank[r].theirs);
    CHECK(cudaGetLastError());
}
//< model

static void rank_make(int r)
{
    CHECK(cudaSetDevice(r));
    CHECK(cudaDeviceEnablePeerAccess(1 - r, 0));
    CHECK(cudaStreamCreateWithFlags(&rank[r].compute, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&rank[r].comm, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&rank[r].ready, cudaEventDisableTiming));
    CHECK(cudaMalloc((void **)&rank[r].theirs, N * sizeof(float)));
    for (int k = 0; k < BUCKETS; k++) {
        CHECK(cudaMalloc((void **)&rank[r].gradient[k], N * sizeof(float)));
        CHECK(cudaMalloc((void **)&rank[r].sum[k], N * sizeof(float)));
    }
    backward<<<BLOCKS, THREADS>>>(rank[r].gradient[0], 0);
    add<<<BLOCKS, THREADS>>>(rank[r].sum[0], rank[r].gradient[0], rank[r].gradient[0]);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}

/* A backward pass: each bucket of gradients is summed over both devices while the next one is made. */
static void step(struct communicator *c, int r)
{
    CHECK(cudaSetDevice(r));
    //> step
    for (int k = 0; k < BUCKETS; k++) {
        backward<<<BLOCKS, THREADS, 0, rank[r].compute>>>(rank[r].gradient[k], r + 1);
        CHECK(cudaEventRecord(rank[r].ready, rank[r].compute));
        CHECK(cudaStreamWaitEvent(rank[r].comm, rank[r].ready, 0));
        all_reduce(c, r, k, rank[r].comm);
    }
    //< step
}

static void wait_for_both(void)
{
    for (int r = 0; r < 2; r++) {
        CHECK(cudaSetDevice(r));
        CHECK(cudaStreamSynchronize(rank[r].compute));
        CHECK(cudaStreamSynchronize(rank[r].comm));
    }
}

int main(void)
{
    const char *order = getenv("ORDER");
    bool crossed = order && strcmp(order, "crossed") == 0;
    float sum[2];
    rank_make(0);
    rank_make(1);
    struct communicator a = communicator_make(), b = communicator_make();
    if (!crossed) {
        label_push("buckets");
        step(&a, 0);
        host_work(150000);                          // device 1 is a little late
        step(&a, 1);
        wait_for_both();
        label_pop();
    } else {
        //> crossed
        CHECK(cudaSetDevice(0));
        all_reduce(&a, 0, 0, rank[0].comm);
        all_reduce(&b, 0, 1, rank[0].comm);
        CHECK(cudaSetDevice(1));
        all_reduce(&b, 1, 1, rank[1].comm);
        all_reduce(&a, 1, 0, rank[1].comm);
        //< crossed
        wait_for_both();
    }
    for (int r = 0; r < 2; r++)
        CHECK(cudaMemcpy(&sum[r], rank[r].sum[0] + N - 1, sizeof sum[r], cudaMemcpyDeviceToHost));
    printf("the last element is %g on device 0, %g on device 1\n", sum[0], sum[1]);
    return 0;
}
