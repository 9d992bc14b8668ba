/* SPDX-License-Identifier: MIT */
/* Queues nothing but graphs: streams that fork from one and join it again are
 * captured, and all of a part is one launch in one stream. */
#include "lesson.h"

float *host_buffer(int n)
{
    void *buffer;
    CHECK(cudaMallocHost(&buffer, n * sizeof(float)));
    return (float *)buffer;
}

void free_host_buffer(float *buffer)
{
    CHECK(cudaFreeHost(buffer));
}

#define MOST 32

struct fork {
    cudaStream_t trunk, branch[MOST];
    cudaEvent_t meet;
    int branches;
};

static void open_fork(struct fork *f, int branches)
{
    f->branches = branches;
    CHECK(cudaStreamCreate(&f->trunk));
    CHECK(cudaEventCreateWithFlags(&f->meet, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(f->trunk, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(f->meet, f->trunk));
    for (int k = 0; k < branches; k++) {
        CHECK(cudaStreamCreate(&f->branch[k]));
        CHECK(cudaStreamWaitEvent(f->branch[k], f->meet, 0));
    }
}

static void run_fork(struct fork *f)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaGetLastError());
    for (int k = 0; k < f->branches; k++) {
        CHECK(cudaEventRecord(f->meet, f->branch[k]));
        CHECK(cudaStreamWaitEvent(f->trunk, f->meet, 0));
    }
    CHECK(cudaStreamEndCapture(f->trunk, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, f->trunk));
    CHECK(cudaStreamSynchronize(f->trunk));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    for (int k = 0; k < f->branches; k++)
        CHECK(cudaStreamDestroy(f->branch[k]));
    CHECK(cudaEventDestroy(f->meet));
    CHECK(cudaStreamDestroy(f->trunk));
}

struct image {
    const float *in;
    float *out, *device;
    int n;
};

enum what { LOAD, BRIGHTEN, STORE };

static void queue(const struct image *p, struct fork *f, int what, int k)
{
    int first = (int)((long long)k * p->n / f->branches);
    int count = (int)((k + 1LL) * p->n / f->branches) - first;
    cudaStream_t stream = f->branch[k];
    if (what == LOAD)
        CHECK(cudaMemcpyAsync(p->device + first, p->in + first, count * sizeof(float), cudaMemcpyHostToDevice, stream));
    else if (what == BRIGHTEN)
        brighten<<<(count + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(p->device, first, count);
    else
        CHECK(cudaMemcpyAsync(p->out + first, p->device + first, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
}

void depth_first(const float *in, float *out, float *device, int n)
{
    struct image p = { in, out, device, n };
    struct fork f;
    open_fork(&f, STREAMS);
    for (int k = 0; k < STREAMS; k++)
        for (int what = LOAD; what <= STORE; what++)
            queue(&p, &f, what, k);
    run_fork(&f);
}

void breadth_first(const float *in, float *out, float *device, int n)
{
    struct image p = { in, out, device, n };
    struct fork f;
    open_fork(&f, STREAMS);
    for (int what = LOAD; what <= STORE; what++)
        for (int k = 0; k < STREAMS; k++)
            queue(&p, &f, what, k);
    run_fork(&f);
}

void pipeline(const float *in, float *out, float *device, int n)
{
    struct image p = { in, out, device, n };
    struct fork f;
    open_fork(&f, 8);
    queue(&p, &f, LOAD, 0);
    for (int k = 0; k < 8; k++) {
        if (k < 7)
            queue(&p, &f, LOAD, k + 1);
        queue(&p, &f, BRIGHTEN, k);
        queue(&p, &f, STORE, k);
    }
    run_fork(&f);
}

void chains(float *rows, int count)
{
    struct fork f;
    open_fork(&f, CHAINS);
    for (int step = 0; step < STEPS; step++)
        for (int chain = 0; chain < CHAINS; chain++)
            chain_step<<<1, BLOCK, 0, f.branch[chain]>>>(rows, count, chain, step);
    run_fork(&f);
}
