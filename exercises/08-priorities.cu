/* SPDX-License-Identifier: MIT */
/*
 * Lesson 08: one stream before another.
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
    /* TODO: ask the device, and compute the rest.
     * - Ask with cudaDeviceGetStreamPriorityRange(&l->least, &l->greatest).
     * - Count the numbers from one end to the other, both included. Which end is the lower number?
     */
    l->least = l->greatest = l->count = 0;
    //< levels
}

int granted(int wish)
{
    //> granted
    /* TODO: no call fails because of a bad number. What does the stream get?
     * - Make a stream with cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wish).
     * - Ask it with cudaStreamGetPriority(), give it back with cudaStreamDestroy().
     */
    return wish;
    //< granted
}

/*
 * (b) Bulk work, and requests that cannot wait for it.
 */
void service_open(struct service *s)
{
    //> open
    /* TODO: two streams, and neither is before the other.
     * - Ask for the range, as in (a): the numbers are the device's.
     * - Make both with cudaStreamCreateWithPriority(): s->bulk with the least priority, s->urgent with the greatest.
     */
    CHECK(cudaStreamCreateWithFlags(&s->bulk, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&s->urgent, cudaStreamNonBlocking));
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
    /* TODO: whom does this wait for?
     * - Wait for your own stream with cudaStreamSynchronize(), and not for the bulk.
     */
    CHECK(cudaDeviceSynchronize());
    //< answer
}

void service_close(struct service *s)
{
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->bulk));
    CHECK(cudaStreamDestroy(s->urgent));
}
