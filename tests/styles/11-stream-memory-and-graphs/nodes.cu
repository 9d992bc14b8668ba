/* SPDX-License-Identifier: MIT */
/* A pool of the program's own; memory given back where it was taken, behind an event; a graph made node by node. */
#include <cstring>
#include <initializer_list>

#include "lesson.h"

static void add(cudaGraphNode_t *node, cudaGraph_t graph, std::initializer_list<cudaGraphNode_t> after, void *kernel, struct work *w)
{
    void *arguments[] = { w };
    cudaKernelNodeParams p{};
    p.func = kernel;
    p.gridDim = dim3(BLOCKS);
    p.blockDim = dim3(THREADS);
    p.kernelParams = arguments;
    CHECK(cudaGraphAddKernelNode(node, graph, after.begin(), after.size(), &p));
}

void frames_all(const struct frames *f)
{
    //> frames
    cudaMemPool_t pool;
    cudaMemPoolProps properties;
    std::memset(&properties, 0, sizeof properties);
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &properties));
    uint64_t keep = f->n[0] * sizeof(unsigned) + (64 << 20);
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    const unsigned *in = f->in;
    for (int k = 0; k < f->count; k++) {
        void *scratch;
        CHECK(cudaMallocFromPoolAsync(&scratch, f->n[k] * sizeof(unsigned), pool, f->stream));
        spread<<<4, 64, 0, f->stream>>>((unsigned *)scratch, in, f->n[k]);
        gather<<<4, 64, 0, f->stream>>>(f->out, (const unsigned *)scratch, f->n[k]);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(scratch, f->stream));
        CHECK(cudaStreamSynchronize(f->stream));
        look(k);
        in += f->n[k];
    }
    CHECK(cudaMemPoolDestroy(pool));
    //< frames
}

void relay_all(const struct relay *r)
{
    //> relay
    cudaEvent_t filled[2], drained[2];
    for (int k = 0; k < 2; k++) {
        CHECK(cudaEventCreateWithFlags(&filled[k], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&drained[k], cudaEventDisableTiming));
    }
    void *scratch[2] = {};
    for (int k = 0; k < r->rounds + 2; k++) {
        int slot = k % 2;
        if (k >= 2) {
            CHECK(cudaStreamWaitEvent(r->one, drained[slot], 0));
            CHECK(cudaFreeAsync(scratch[slot], r->one));
        }
        if (k >= r->rounds)
            continue;
        CHECK(cudaMallocAsync(&scratch[slot], r->n * sizeof(unsigned), r->one));
        fill<<<BLOCKS, THREADS, 0, r->one>>>((unsigned *)scratch[slot], r->in + k * r->n, r->n);
        CHECK(cudaEventRecord(filled[slot], r->one));
        CHECK(cudaStreamWaitEvent(r->two, filled[slot], 0));
        drain<<<BLOCKS, THREADS, 0, r->two>>>(r->out + k * r->n, (const unsigned *)scratch[slot], r->n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(drained[slot], r->two));
    }
    for (int k = 0; k < 2; k++) {
        CHECK(cudaEventDestroy(filled[k]));
        CHECK(cudaEventDestroy(drained[k]));
    }
    //< relay
}

//> replay
void pipeline_open(struct pipeline *p, const struct work *w)
{
    cudaGraphNode_t first, left, right;
    p->w = *w;
    CHECK(cudaGraphCreate(&p->graph, 0));
    add(&first, p->graph, {}, (void *)split, &p->w);
    add(&left, p->graph, { first }, (void *)to_left, &p->w);
    add(&right, p->graph, { first }, (void *)to_right, &p->w);
    add(&p->node, p->graph, { left, right }, (void *)merge, &p->w);
    CHECK(cudaGraphInstantiateWithFlags(&p->ready, p->graph, 0));
}

void pipeline_run(struct pipeline *p, cudaStream_t stream)
{
    CHECK(cudaGraphLaunch(p->ready, stream));
}

void pipeline_close(struct pipeline *p)
{
    CHECK(cudaGraphExecDestroy(p->ready));
    CHECK(cudaGraphDestroy(p->graph));
}
//< replay

void pipeline_gain(struct pipeline *p, unsigned gain)
{
    //> update
    void *arguments[] = { &p->w };
    cudaKernelNodeParams params{};
    p->w.gain = gain;
    params.func = (void *)merge;
    params.gridDim = dim3(BLOCKS);
    params.blockDim = dim3(THREADS);
    params.kernelParams = arguments;
    CHECK(cudaGraphExecKernelNodeSetParams(p->ready, p->node, &params));
    //< update
}
