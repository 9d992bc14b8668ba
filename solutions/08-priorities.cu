/* SPDX-License-Identifier: MIT */
/*
 * Lesson 08: stream priorities.
 *
 * Grade it:  make lesson08        Run it:  make run08
 * Read:      lessons/08-priorities/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
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

/*
 * (b) Bulk work, and requests that cannot wait for it.
 */
void service_open(struct service *s)
{
    //> open
    int least, greatest;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&s->bulk, cudaStreamNonBlocking, least));
    CHECK(cudaStreamCreateWithPriority(&s->urgent, cudaStreamNonBlocking, greatest));
    //< open
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
