/* SPDX-License-Identifier: MIT */
/* A request is two halves, in two urgent streams that know nothing of each other; the runtime finds out which way a copy
 * goes. */
#include "lesson.h"

static cudaStream_t second;

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
    CHECK(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest));
}

void bulk_begin(struct service *s, const struct bulk *b)
{
    crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, 0);
    CHECK(cudaGetLastError());
}

void answer(struct service *s, const struct request *r)
{
    int cut = r->n / 2;
    auto half = [&](int at, int n, cudaStream_t u) {
        CHECK(cudaMemcpyAsync(r->device + at, r->in + at, n * sizeof *r->in, cudaMemcpyDefault, u));
        reply<<<REPLY_BLOCKS, THREADS, 0, u>>>(r->device + at, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(r->out + at, r->device + at, n * sizeof *r->in, cudaMemcpyDefault, u));
    };
    half(0, cut, s->urgent);
    half(cut, r->n - cut, second);
    CHECK(cudaStreamSynchronize(s->urgent));
    CHECK(cudaStreamSynchronize(second));
}

void service_close(struct service *s)
{
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->bulk));
    CHECK(cudaStreamDestroy(s->urgent));
    CHECK(cudaStreamDestroy(second));
}
