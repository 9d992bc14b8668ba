/* SPDX-License-Identifier: MIT */
/*
 * Lesson 11: memory in a stream, work in a graph.
 *
 * Grade it:  make lesson11        Run it:  make run11
 * Read:      lessons/11-stream-memory-and-graphs/chapter.md; lesson.h beside it
 *            is the contract, with the kernels.
 */
#include "lesson.h"

/* (a) Scratch memory, frame by frame. */
void frames_all(const struct frames *f)
{
    const unsigned *in = f->in;
    unsigned *scratch;
    //> frames
    uint64_t before, all = UINT64_MAX;
    cudaMemPool_t pool;
    CHECK(cudaDeviceGetMemPool(&pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    for (int k = 0; k < f->count; in += f->n[k++]) {
        CHECK(cudaMallocAsync((void **)&scratch, f->n[k] * sizeof *scratch, f->stream));
        spread<<<BLOCKS, THREADS, 0, f->stream>>>(scratch, in, f->n[k]);
        gather<<<BLOCKS, THREADS, 0, f->stream>>>(f->out, scratch, f->n[k]);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(scratch, f->stream));
        CHECK(cudaStreamSynchronize(f->stream));
        look(k);
    }
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
    //< frames
}

/* (b) From one stream to another. */
void relay_all(const struct relay *r)
{
    unsigned *scratch;
    //> relay
    cudaEvent_t filled;
    CHECK(cudaEventCreateWithFlags(&filled, cudaEventDisableTiming));
    for (int k = 0; k < r->rounds; k++) {
        CHECK(cudaMallocAsync((void **)&scratch, r->n * sizeof *scratch, r->one));
        fill<<<BLOCKS, THREADS, 0, r->one>>>(scratch, r->in + k * r->n, r->n);
        CHECK(cudaEventRecord(filled, r->one));
        CHECK(cudaStreamWaitEvent(r->two, filled, 0));
        drain<<<BLOCKS, THREADS, 0, r->two>>>(r->out + k * r->n, scratch, r->n);
        CHECK(cudaGetLastError());
        CHECK(cudaFreeAsync(scratch, r->two));      // after its last user
    }
    CHECK(cudaEventDestroy(filled));
    //< relay
}

/* (c) A pipeline that is asked for once. */
//> replay
static void capture(struct pipeline *p)
{
    CHECK(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeThreadLocal));
    split<<<BLOCKS, THREADS, 0, p->stream>>>(p->w);
    CHECK(cudaEventRecord(p->fork, p->stream));
    CHECK(cudaStreamWaitEvent(p->side, p->fork, 0));    // `side` is captured, too
    to_left<<<BLOCKS, THREADS, 0, p->stream>>>(p->w);
    to_right<<<BLOCKS, THREADS, 0, p->side>>>(p->w);
    CHECK(cudaEventRecord(p->join, p->side));
    CHECK(cudaStreamWaitEvent(p->stream, p->join, 0));
    merge<<<BLOCKS, THREADS, 0, p->stream>>>(p->w);
    CHECK(cudaStreamEndCapture(p->stream, &p->graph));
}

void pipeline_open(struct pipeline *p, const struct work *w)
{
    p->w = *w;
    CHECK(cudaStreamCreateWithFlags(&p->stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&p->side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&p->fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&p->join, cudaEventDisableTiming));
    capture(p);
    CHECK(cudaGraphInstantiate(&p->ready, p->graph, 0));
    CHECK(cudaGraphDestroy(p->graph));
}

void pipeline_run(struct pipeline *p, cudaStream_t stream)
{
    CHECK(cudaGraphLaunch(p->ready, stream));
}

void pipeline_close(struct pipeline *p)
{
    CHECK(cudaGraphExecDestroy(p->ready));
    CHECK(cudaStreamDestroy(p->stream));
    CHECK(cudaStreamDestroy(p->side));
    CHECK(cudaEventDestroy(p->fork));
    CHECK(cudaEventDestroy(p->join));
}
//< replay

/* (d) A gain that changes. */
void pipeline_gain(struct pipeline *p, unsigned gain)
{
    p->w.gain = gain;
    //> update
    cudaGraphExecUpdateResultInfo result;
    capture(p);
    CHECK(cudaGraphExecUpdate(p->ready, p->graph, &result));
    CHECK(cudaGraphDestroy(p->graph));
    //< update
}
