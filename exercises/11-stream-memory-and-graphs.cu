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
    /* TODO: this is right, but cudaFree() waits for the whole device, an unrelated kernel included.
     * - Taking the scratch memory and giving it back is work in f->stream, in its turn, and no call waits for it.
     * - At look(k) frame k is done, and cudaFreeAsync() has been called for its memory. The host waits for f->stream and nothing else.
     * - Between two frames the pool keeps the memory, whatever its size.
     * - When frames_all() returns, the pool has the release threshold that it had before.
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
    /* TODO: this is right, but the host stands between the two streams. Take the host out.
     * - Each drain() comes after the fill() of its round. The host only queues, and waits for nothing.
     * - The memory of a round is freed when its drain() is certain to be over.
     * - All events and all memory that you make are given back.
     */
    for (int k = 0; k < r->rounds; k++) {
        CHECK(cudaMallocAsync((void **)&scratch, r->n * sizeof *scratch, r->one));
        fill<<<BLOCKS, THREADS, 0, r->one>>>(scratch, r->in + k * r->n, r->n);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(r->one));
        drain<<<BLOCKS, THREADS, 0, r->two>>>(r->out + k * r->n, scratch, r->n);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(r->two));
        CHECK(cudaFreeAsync(scratch, r->one));
    }
    //< relay
}

/* (c) A pipeline that is asked for once. */
//> replay
/* TODO: this is right, but it launches four kernels in each run. Record them once, as a graph.
 * - pipeline_open() captures and instantiates the graph. It runs nothing.
 * - In the graph to_left() and to_right() come after split() and before merge(), and have no order between them.
 * - pipeline_run() queues one run into `stream`, with a call or two.
 * - pipeline_close() gives back all that pipeline_open() made.
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
    /* TODO: a graph has copies of its kernels' parameters, with the gain of the capture.
     * - Runs from now on use the new gain. Runs that were launched before keep theirs.
     * - The executable graph stays the same one: change it, and wait for nothing.
     */
    //< update
}
