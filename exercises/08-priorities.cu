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
    /* TODO: ask the device which priorities it has, whichever device it is.
     * - The two ends of its range are in `least` and `greatest`, as the device itself says.
     * - The number of priorities is in `count`, both ends included. Which end is the lower number?
     */
    l->least = l->greatest = l->count = 0;
    //< levels
}

int granted(int wish)
{
    //> granted
    /* TODO: a bad number makes no call fail. Which priority does the stream get?
     * - The result is the priority that a stream made with this number has.
     * - What you make is given back.
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
    /* TODO: two streams, and neither is preferred to the other.
     * - When places become free, blocks of s->urgent are preferred to those of s->bulk, on every card that can.
     * - No request waits for the default stream. No number of any one card is written here.
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
    reply<<<REPLY_BLOCKS, THREADS, r->shared, s->urgent>>>(r->device, r->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, s->urgent));
    //> answer
    /* TODO: this waits for more than the request.
     * - When answer() returns, this request is done. The bulk may still be under way.
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

/*
 * (c) A batch that nothing overtakes, and requests that cannot wait for all of it.
 */
void grind_all(struct service *s, const struct batch *b)
{
    //> batch
    /* TODO: this is right, but each request waits for the whole batch. Which of its waits can a priority shorten?
     * - Each item is done once, and each request is answered and handed out.
     * - When a request comes, what it has to wait for is done within b->patience_ns: on every card, also on one where
     *   no stream goes before another.
     * - The batch takes at most 1.2 x the time of this one launch and of the requests.
     * - The numbers in *b differ from run to run, and from card to card.
     */
    grind<<<b->wave, THREADS, b->shared, s->bulk>>>(*b, 0, (b->items + b->wave - 1) / b->wave);
    CHECK(cudaGetLastError());
    struct request r;
    for (int answered = 0; answered < b->requests;)
        if (request_came(&r)) {
            answer(s, &r);
            hand_out(&r);
            answered++;
        }
    CHECK(cudaStreamSynchronize(s->bulk));
    //< batch
}
