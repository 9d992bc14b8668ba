// fails: b-begin
/* SPDX-License-Identifier: MIT */
/* A third of the bulk now, and more of it behind each request that was answered. */
#include "lesson.h"

static struct bulk rest;
static int at, step;

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
    int sms, fit;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, crunch, THREADS, b->shared));
    int wave = sms * fit;
    rest = *b; step = 6 * wave; at = step;
    crunch<<<step, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, 0);
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
    if (at && at < rest.tiles) {
        int n = rest.tiles - at < step ? rest.tiles - at : step;
        crunch<<<n, THREADS, rest.shared, s->bulk>>>(rest.out, rest.in, rest.n, rest.tiles, at);
        CHECK(cudaGetLastError());
        at += n;
    }
}

void service_close(struct service *s)
{
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->bulk));
    CHECK(cudaStreamDestroy(s->urgent));
}
