/* SPDX-License-Identifier: MIT */
/* A host that asks instead of waiting; a stream that owns the memory and does nothing else; graphs in a graph. */
#include <cstdint>

#include "lesson.h"

void frames_all(const struct frames *f)
{
    //> frames
    cudaMemPool_t pool;
    uint64_t before, need = uint64_t(f->n[0]) * sizeof(unsigned) + (32 << 20);
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &need));
    const unsigned *in = f->in;
    for (int k = 0; k < f->count; k++) {
        unsigned *s;
        CHECK(cudaMallocAsync(&s, f->n[k] * sizeof *s, f->stream));
        spread<<<2, 32, 0, f->stream>>>(s, in, f->n[k]);
        CHECK(cudaGetLastError());
        gather<<<2, 32, 0, f->stream>>>(f->out, s, f->n[k]);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(s, f->stream));
        while (cudaStreamQuery(f->stream) == cudaErrorNotReady)
            ;
        look(k);
        in += f->n[k];
    }
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
    //< frames
}

void relay_all(const struct relay *r)
{
    //> relay
    /* A third stream owns the memory: everybody else waits for it, and it for them. */
    cudaStream_t owner;
    CHECK(cudaStreamCreateWithFlags(&owner, cudaStreamNonBlocking));
    for (int k = 0; k < r->rounds; k++) {
        unsigned *s;
        cudaEvent_t e;
        CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
        CHECK(cudaMallocAsync(&s, r->n * sizeof *s, owner));
        CHECK(cudaEventRecord(e, owner));
        CHECK(cudaStreamWaitEvent(r->one, e, 0));
        fill<<<BLOCKS, THREADS, 0, r->one>>>(s, r->in + k * r->n, r->n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(e, r->one));
        CHECK(cudaStreamWaitEvent(r->two, e, 0));
        drain<<<BLOCKS, THREADS, 0, r->two>>>(r->out + k * r->n, s, r->n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(e, r->two));
        CHECK(cudaStreamWaitEvent(owner, e, 0));
        CHECK(cudaFreeAsync(s, owner));
        CHECK(cudaEventDestroy(e));
    }
    CHECK(cudaStreamDestroy(owner));
    //< relay
}

//> replay
template <typename K> static cudaGraph_t one_kernel(K kernel, const struct work &w)
{
    cudaStream_t s;
    cudaGraph_t graph;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeThreadLocal));
    kernel<<<BLOCKS, THREADS, 0, s>>>(w);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(s, &graph));
    CHECK(cudaStreamDestroy(s));
    return graph;
}

static cudaGraph_t whole(const struct work &w)
{
    cudaGraph_t graph, part[4] = { one_kernel(split, w), one_kernel(to_left, w), one_kernel(to_right, w), one_kernel(merge, w) };
    cudaGraphNode_t first, sides[2], last;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddChildGraphNode(&first, graph, nullptr, 0, part[0]));
    CHECK(cudaGraphAddChildGraphNode(&sides[0], graph, &first, 1, part[1]));
    CHECK(cudaGraphAddChildGraphNode(&sides[1], graph, &first, 1, part[2]));
    CHECK(cudaGraphAddChildGraphNode(&last, graph, sides, 2, part[3]));
    for (auto g : part)
        CHECK(cudaGraphDestroy(g));
    return graph;
}

void pipeline_open(struct pipeline *p, const struct work *w)
{
    p->w = *w;
    p->graph = whole(p->w);
    CHECK(cudaGraphInstantiate(&p->ready, p->graph, 0));
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
    p->w.gain = gain;
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t changed = whole(p->w);
    CHECK(cudaGraphExecUpdate(p->ready, changed, &info));
    CHECK(cudaGraphDestroy(p->graph));
    p->graph = changed;
    //< update
}
