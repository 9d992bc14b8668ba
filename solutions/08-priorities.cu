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
    reply<<<REPLY_BLOCKS, THREADS, r->shared, s->urgent>>>(r->device, r->n);
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

/*
 * (c) A batch that nothing overtakes, and requests that cannot wait for all of it.
 */
void grind_all(struct service *s, const struct batch *b)
{
    //> batch
    /* A request may have to wait for two launches, the one that runs and the one after it: each takes half of its patience. */
    const int each = (int)((b->patience_ns / 2 - b->setup_ns) / b->item_ns);
    cudaEvent_t done[2];
    for (int k = 0; k < 2; k++)
        CHECK(cudaEventCreateWithFlags(&done[k], cudaEventDisableTiming));
    int launches = 0, first = 0, answered = 0;
    while (first < b->items || answered < b->requests) {
        struct request r;
        if (request_came(&r)) {
            answer(s, &r);
            hand_out(&r);
            answered++;
        } else if (first < b->items && cudaEventQuery(done[launches % 2]) == cudaSuccess) {     /* the last but one is done */
            int left = (b->items - first + each - 1) / each, blocks = left < b->wave ? left : b->wave;
            grind<<<blocks, THREADS, b->shared, s->bulk>>>(*b, first, each);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(done[launches++ % 2], s->bulk));
            first += blocks * each;
        }
    }
    CHECK(cudaStreamSynchronize(s->bulk));
    for (int k = 0; k < 2; k++)
        CHECK(cudaEventDestroy(done[k]));
    //< batch
}
