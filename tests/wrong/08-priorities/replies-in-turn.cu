// fails: b-latency
/* SPDX-License-Identifier: MIT */
/* Four launches for a request, one after another: each waits for places anew. */
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
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&s->bulk, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&s->urgent, cudaStreamNonBlocking, greatest));
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
    for (int k = 0; k < 4; k++) {
        int at = r->n * k / 4;
        reply<<<REPLY_BLOCKS, THREADS, 0, s->urgent>>>(r->device + at, r->n * (k + 1) / 4 - at);
        CHECK(cudaGetLastError());
    }
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, s->urgent));
    CHECK(cudaStreamSynchronize(s->urgent));
}

void service_close(struct service *s)
{
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->bulk));
    CHECK(cudaStreamDestroy(s->urgent));
}
