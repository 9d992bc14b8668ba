/* SPDX-License-Identifier: MIT */
/* No priorities at all: the bulk in launches of one wave each, so that requests get in between, also where all streams
 * are equal. */
#include "lesson.h"

/*
 * (a) What has this device?
 */
void find_levels(struct levels *l)
{
    //> levels
    CHECK(cudaDeviceGetStreamPriorityRange(&l->least, &l->greatest));
    l->count = l->least - l->greatest + 1;      // the greatest priority is the lowest number
    //< levels
}

int granted(int wish)
{
    //> granted
    cudaStream_t stream;
    int priority;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wish));
    CHECK(cudaStreamGetPriority(stream, &priority));
    CHECK(cudaStreamDestroy(stream));
    return priority;
    //< granted
}

void service_open(struct service *s)
{
    CHECK(cudaStreamCreateWithFlags(&s->bulk, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&s->urgent, cudaStreamNonBlocking));
}

void bulk_begin(struct service *s, const struct bulk *b)
{
    int sms, fit;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, crunch, THREADS, b->shared));
    int wave = sms * fit;
    for (int first = 0; first < b->tiles; first += wave) {
        int blocks = b->tiles - first < wave ? b->tiles - first : wave;
        crunch<<<blocks, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, first);
        CHECK(cudaGetLastError());
    }
}

void answer(struct service *s, const struct request *r)
{
    size_t bytes = r->n * sizeof *r->in;
    CHECK(cudaMemcpyAsync(r->device, r->in, bytes, cudaMemcpyHostToDevice, s->urgent));
    reply<<<REPLY_BLOCKS, THREADS, 0, s->urgent>>>(r->device, r->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, s->urgent));
    //> answer
    CHECK(cudaStreamSynchronize(s->urgent));
    //< answer
}

void service_close(struct service *s)
{
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->bulk));
    CHECK(cudaStreamDestroy(s->urgent));
}
