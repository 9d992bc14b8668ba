/* SPDX-License-Identifier: MIT */
/* The trip in four chunks; the chains breadth first in non-blocking streams;
 * the batches through all three buffers, an event for each. */
#include "lesson.h"

#include <string.h>

void trip_begin(struct trip *t, const unsigned *in, int n)
{
    const int chunks = 4;
    t->n = n;
    CHECK(cudaMalloc((void **)&t->device, n * sizeof *in));
    //> begin
    CHECK(cudaHostAlloc((void **)&t->host, n * sizeof *in, cudaHostAllocDefault));
    memcpy(t->host, in, n * sizeof *in);
    CHECK(cudaStreamCreateWithFlags(&t->stream, cudaStreamNonBlocking));
    for (int k = 0; k < chunks; k++) {
        int first = (int)((long long)n * k / chunks), count = (int)((long long)n * (k + 1) / chunks) - first;
        size_t bytes = count * sizeof *in;
        CHECK(cudaMemcpyAsync(t->device + first, t->host + first, bytes, cudaMemcpyDefault, t->stream));
        mix<<<1, 512, 0, t->stream>>>(t->device + first, count);
        CHECK(cudaMemcpyAsync(t->host + first, t->device + first, bytes, cudaMemcpyDefault, t->stream));
    }
    CHECK(cudaPeekAtLastError());
    //< begin
}

void trip_end(struct trip *t, unsigned *out)
{
    //> end
    cudaEvent_t done;
    CHECK(cudaEventCreate(&done));
    CHECK(cudaEventRecord(done, t->stream));
    CHECK(cudaEventSynchronize(done));
    memcpy(out, t->host, t->n * sizeof *out);
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(t->stream));
    CHECK(cudaFreeHost(t->host));
    //< end
    CHECK(cudaFree(t->device));
}

void two_chains(const struct chain *left, const struct chain *right)
{
    //> chains
    const struct chain *c[] = { left, right };
    cudaStream_t stream[2];
    for (int k = 0; k < 2; k++) {
        CHECK(cudaStreamCreateWithFlags(&stream[k], cudaStreamNonBlocking));
        CHECK(cudaMemcpyAsync(c[k]->device, c[k]->in, c[k]->n * sizeof(unsigned), cudaMemcpyHostToDevice, stream[k]));
    }
    left_step<<<4, 512, 0, stream[0]>>>(left->device, left->n);
    right_step<<<4, 512, 0, stream[1]>>>(right->device, right->n);
    CHECK(cudaGetLastError());
    for (int k = 0; k < 2; k++)
        CHECK(cudaMemcpyAsync(c[k]->out, c[k]->device, c[k]->n * sizeof(unsigned), cudaMemcpyDeviceToHost, stream[k]));
    CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < 2; k++)
        CHECK(cudaStreamDestroy(stream[k]));
    //< chains
}

void absorb_all(const struct batches *b)
{
    size_t bytes = b->n * sizeof *b->slot;
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    //> batches
    unsigned *buffer[BUFFERS];
    cudaEvent_t read[BUFFERS];
    for (int k = 0; k < BUFFERS; k++) {
        buffer[k] = take();
        CHECK(cudaEventCreateWithFlags(&read[k], cudaEventDisableTiming));
    }
    for (int k = 0; k < b->count; k++) {
        int turn = k % BUFFERS;
        CHECK(cudaEventSynchronize(read[turn]));        // at first never recorded: no wait
        pack(buffer[turn], k);
        CHECK(cudaMemcpyAsync(b->slot, buffer[turn], bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaEventRecord(read[turn], stream));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(b->total, b->slot, b->n);
    }
    CHECK(cudaGetLastError());
    for (int k = 0; k < BUFFERS; k++) {
        CHECK(cudaEventSynchronize(read[k]));
        give_back(buffer[k]);
        CHECK(cudaEventDestroy(read[k]));
    }
    CHECK(cudaStreamSynchronize(stream));
    //< batches
    CHECK(cudaStreamDestroy(stream));
}
