// fails: a-work
/* SPDX-License-Identifier: MIT */
/* Copies from the device to `out` what has been copied back before. */
#include "lesson.h"

#include <string.h>

/*
 * (a) A round trip in a stream of its own: ask in one function, get in another.
 */
void trip_begin(struct trip *t, const unsigned *in, int n)
{
    size_t bytes = n * sizeof *in;
    t->n = n;
    CHECK(cudaMalloc((void **)&t->device, bytes));
    //> begin
    CHECK(cudaStreamCreate(&t->stream));
    CHECK(cudaMallocHost((void **)&t->host, bytes));
    memcpy(t->host, in, bytes);
    CHECK(cudaMemcpyAsync(t->device, t->host, bytes, cudaMemcpyHostToDevice, t->stream));
    mix<<<BLOCKS, THREADS, 0, t->stream>>>(t->device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(t->host, t->device, bytes, cudaMemcpyDeviceToHost, t->stream));
    //< begin
}

void trip_end(struct trip *t, unsigned *out)
{
    //> end
    CHECK(cudaMemcpy(out, t->device, t->n * sizeof *out, cudaMemcpyDeviceToHost));
    CHECK(cudaStreamDestroy(t->stream));
    CHECK(cudaFreeHost(t->host));
    //< end
    CHECK(cudaFree(t->device));
}

/*
 * (b) Two chains that have nothing to do with each other.
 */
void two_chains(const struct chain *left, const struct chain *right)
{
    size_t left_bytes = left->n * sizeof *left->in, right_bytes = right->n * sizeof *right->in;
    //> chains
    cudaStream_t one, two;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaMemcpyAsync(left->device, left->in, left_bytes, cudaMemcpyHostToDevice, one));
    left_step<<<BLOCKS, THREADS, 0, one>>>(left->device, left->n);
    CHECK(cudaMemcpyAsync(left->out, left->device, left_bytes, cudaMemcpyDeviceToHost, one));
    CHECK(cudaMemcpyAsync(right->device, right->in, right_bytes, cudaMemcpyHostToDevice, two));
    right_step<<<BLOCKS, THREADS, 0, two>>>(right->device, right->n);
    CHECK(cudaMemcpyAsync(right->out, right->device, right_bytes, cudaMemcpyDeviceToHost, two));
    CHECK(cudaGetLastError());
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaStreamSynchronize(two));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    //< chains
}

/*
 * (c) Batches through a staging buffer that is not yours for long.
 */
void absorb_all(const struct batches *b)
{
    size_t bytes = b->n * sizeof *b->slot;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> batches
    unsigned *buffer = take();
    for (int k = 0; k < b->count; k++) {
        pack(buffer, k);
        CHECK(cudaMemcpyAsync(b->slot, buffer, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaStreamSynchronize(stream));       // the buffer has been read
        absorb<<<BLOCKS, THREADS, 0, stream>>>(b->total, b->slot, b->n);
    }
    CHECK(cudaGetLastError());
    give_back(buffer);
    CHECK(cudaStreamSynchronize(stream));           // the last batch is absorbed
    //< batches
    CHECK(cudaStreamDestroy(stream));
}
