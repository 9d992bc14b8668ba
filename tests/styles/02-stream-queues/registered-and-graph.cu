/* SPDX-License-Identifier: MIT */
/* Ordinary memory, pinned afterwards; both chains as two branches of one graph;
 * the batches through two buffers and two streams that wait for each other's
 * events. */
#include "lesson.h"

#include <stdlib.h>
#include <string.h>

void trip_begin(struct trip *t, const unsigned *in, int n)
{
    size_t bytes = n * sizeof *in;
    t->n = n;
    CHECK(cudaMalloc((void **)&t->device, bytes));
    //> begin
    t->host = (unsigned *)malloc(bytes);
    CHECK(cudaHostRegister(t->host, bytes, cudaHostRegisterDefault));
    memcpy(t->host, in, bytes);
    CHECK(cudaStreamCreate(&t->stream));
    CHECK(cudaMemcpyAsync(t->device, t->host, bytes, cudaMemcpyHostToDevice, t->stream));
    mix<<<BLOCKS, THREADS, 0, t->stream>>>(t->device, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(t->host, t->device, bytes, cudaMemcpyDeviceToHost, t->stream));
    //< begin
}

void trip_end(struct trip *t, unsigned *out)
{
    //> end
    CHECK(cudaDeviceSynchronize());
    memcpy(out, t->host, t->n * sizeof *out);
    CHECK(cudaHostUnregister(t->host));
    CHECK(cudaStreamDestroy(t->stream));
    free(t->host);
    //< end
    CHECK(cudaFree(t->device));
}

void two_chains(const struct chain *left, const struct chain *right)
{
    //> chains
    cudaStream_t one, two;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    CHECK(cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, one));
    CHECK(cudaStreamWaitEvent(two, fork, 0));
    CHECK(cudaMemcpyAsync(left->device, left->in, left->n * sizeof(unsigned), cudaMemcpyHostToDevice, one));
    left_step<<<BLOCKS, THREADS, 0, one>>>(left->device, left->n);
    CHECK(cudaMemcpyAsync(left->out, left->device, left->n * sizeof(unsigned), cudaMemcpyDeviceToHost, one));
    CHECK(cudaMemcpyAsync(right->device, right->in, right->n * sizeof(unsigned), cudaMemcpyHostToDevice, two));
    right_step<<<BLOCKS, THREADS, 0, two>>>(right->device, right->n);
    CHECK(cudaMemcpyAsync(right->out, right->device, right->n * sizeof(unsigned), cudaMemcpyDeviceToHost, two));
    CHECK(cudaEventRecord(join, two));
    CHECK(cudaStreamWaitEvent(one, join, 0));
    CHECK(cudaStreamEndCapture(one, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    CHECK(cudaGraphLaunch(ready, one));
    CHECK(cudaStreamSynchronize(one));
    CHECK(cudaGraphExecDestroy(ready));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaEventDestroy(fork));
    CHECK(cudaEventDestroy(join));
    CHECK(cudaStreamDestroy(one));
    CHECK(cudaStreamDestroy(two));
    //< chains
}

void absorb_all(const struct batches *b)
{
    size_t bytes = b->n * sizeof *b->slot;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> batches
    cudaStream_t carrier;
    cudaEvent_t arrived, absorbed;
    CHECK(cudaStreamCreate(&carrier));
    CHECK(cudaEventCreate(&arrived));
    CHECK(cudaEventCreate(&absorbed));
    unsigned *buffer[2] = { take(), take() };
    for (int k = 0; k < b->count; k++) {
        pack(buffer[k % 2], k);
        CHECK(cudaStreamWaitEvent(carrier, absorbed, 0));
        CHECK(cudaMemcpyAsync(b->slot, buffer[k % 2], bytes, cudaMemcpyHostToDevice, carrier));
        CHECK(cudaEventRecord(arrived, carrier));
        CHECK(cudaStreamWaitEvent(stream, arrived, 0));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(b->total, b->slot, b->n);
        CHECK(cudaEventRecord(absorbed, stream));
        CHECK(cudaEventSynchronize(arrived));
    }
    CHECK(cudaGetLastError());
    give_back(buffer[0]);
    give_back(buffer[1]);
    CHECK(cudaEventSynchronize(absorbed));
    CHECK(cudaEventDestroy(arrived));
    CHECK(cudaEventDestroy(absorbed));
    CHECK(cudaStreamDestroy(carrier));
    //< batches
    CHECK(cudaStreamDestroy(stream));
}
