// fails: b-latency
/* SPDX-License-Identifier: MIT */
/* The bulk is in the default stream, and the requests in a stream that waits for it. */
#include "lesson.h"

void find_levels(struct levels *l)
{
    CHECK(cudaDeviceGetStreamPriorityRange(&l->least, &l->greatest));
    l->count = l->least - l->greatest + 1;
}

int granted(int wish)
{
    cudaStream_t stream;
    int priority;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wish));
    CHECK(cudaStreamGetPriority(stream, &priority));
    CHECK(cudaStreamDestroy(stream));
    return priority;
}

void service_open(struct service *s)
{
    int greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(NULL, &greatest));
    s->bulk = 0;
    CHECK(cudaStreamCreateWithPriority(&s->urgent, cudaStreamDefault, greatest));
}

void bulk_begin(struct service *s, const struct bulk *b)
{
    crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, 0);
    CHECK(cudaGetLastError());
}

void answer(struct service *s, const struct request *r)
{
    size_t bytes = r->n * sizeof *r->in;
    CHECK(cudaMemcpyAsync(r->device, r->in, bytes, cudaMemcpyHostToDevice, s->urgent));
    reply<<<REPLY_BLOCKS, THREADS, 0, s->urgent>>>(r->device, r->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, s->urgent));
    CHECK(cudaStreamSynchronize(s->urgent));
}

void service_close(struct service *s)
{
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->urgent));
}
