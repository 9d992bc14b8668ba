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
    /* TODO: this is right, and cudaFree() waits for the whole device, the neighbour's kernel too. Let the stream do it.
     * - Take the scratch memory with cudaMallocAsync() in f->stream, give it back with cudaFreeAsync() behind gather().
     * - Let the pool keep it: cudaDeviceGetMemPool(), then cudaMemPoolSetAttribute() of
     *   cudaMemPoolAttrReleaseThreshold, a uint64_t, to UINT64_MAX.
     * - Ask cudaMemPoolGetAttribute() what it was, and set that again in the end.
     */
    for (int k = 0; k < f->count; in += f->n[k++]) {
        CHECK(cudaMalloc((void **)&scratch, f->n[k] * sizeof *scratch));
        spread<<<BLOCKS, THREADS, 0, f->stream>>>(scratch, in, f->n[k]);
        gather<<<BLOCKS, THREADS, 0, f->stream>>>(f->out, scratch, f->n[k]);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(f->stream));
        CHECK(cudaFree(scratch));
        look(k);
    }
    //< frames
}

/* (b) From one stream to another. */
void relay_all(const struct relay *r)
{
    unsigned *scratch;
    //> relay
    /* TODO: this is right, and the host stands between the two streams. Take it out.
     * - Record an event with cudaEventRecord() behind fill(), and let `two` wait with cudaStreamWaitEvent() before drain().
     * - Give the memory back with cudaFreeAsync() in a stream in which drain() is certain to be over by then.
     */
    for (int k = 0; k < r->rounds; k++) {
        CHECK(cudaMallocAsync((void **)&scratch, r->n * sizeof *scratch, r->one));
        fill<<<BLOCKS, THREADS, 0, r->one>>>(scratch, r->in + k * r->n, r->n);
        CHECK(cudaStreamSynchronize(r->one));
        drain<<<BLOCKS, THREADS, 0, r->two>>>(r->out + k * r->n, scratch, r->n);
        CHECK(cudaStreamSynchronize(r->two));
        CHECK(cudaFreeAsync(scratch, r->one));
    }
    //< relay
}

/* (c) A pipeline that is asked for once. */
//> replay
/* TODO: this is right, and asks for everything anew in each run. Ask once.
 * - Capture the run in pipeline_open(): cudaStreamBeginCapture() of a stream of yours, the work, cudaStreamEndCapture().
 * - Fork and join inside the capture, by events: to_left() and to_right() have nothing between them.
 * - Make it ready with cudaGraphInstantiate(). In pipeline_run() cudaGraphLaunch() is all.
 * - Give back in pipeline_close() what you have made: cudaGraphExecDestroy(), cudaGraphDestroy(), streams and events.
 */
void pipeline_open(struct pipeline *p, const struct work *w)
{
    p->w = *w;
}

void pipeline_run(struct pipeline *p, cudaStream_t stream)
{
    split<<<BLOCKS, THREADS, 0, stream>>>(p->w);
    to_left<<<BLOCKS, THREADS, 0, stream>>>(p->w);
    to_right<<<BLOCKS, THREADS, 0, stream>>>(p->w);
    merge<<<BLOCKS, THREADS, 0, stream>>>(p->w);
    CHECK(cudaGetLastError());
}

void pipeline_close(struct pipeline *p)
{
    (void)p;
}
//< replay

/* (d) A gain that changes. */
void pipeline_gain(struct pipeline *p, unsigned gain)
{
    p->w.gain = gain;
    //> update
    /* TODO: a graph has copies of its kernels' parameters, with the gain of the capture. Bring it up to date.
     * - Capture the run once more, with the new gain, and hand it to cudaGraphExecUpdate().
     * - Make no new one: no cudaGraphInstantiate() here.
     */
    //< update
}
