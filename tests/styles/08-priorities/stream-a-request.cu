/* SPDX-License-Identifier: MIT */
/* Each request makes a stream of its own; the bulk is in a stream with no priority named, which is 0. */
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

static int greatest;

void service_open(struct service *s)
{
    CHECK(cudaDeviceGetStreamPriorityRange(NULL, &greatest));
    CHECK(cudaStreamCreateWithFlags(&s->bulk, cudaStreamNonBlocking));
}

void bulk_begin(struct service *s, const struct bulk *b)
{
    crunch<<<b->tiles, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, 0);
    CHECK(cudaGetLastError());
}

void answer(struct service *, const struct request *r)
{
    size_t bytes = r->n * sizeof *r->in;
    cudaStream_t stream;
    cudaEvent_t done;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    CHECK(cudaMemcpyAsync(r->device, r->in, bytes, cudaMemcpyHostToDevice, stream));
    reply<<<REPLY_BLOCKS, THREADS, r->shared, stream>>>(r->device, r->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(done, stream));
    CHECK(cudaEventSynchronize(done));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaStreamDestroy(stream));
}

void service_close(struct service *s)
{
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->bulk));
}

/* Waits for the launch before the last, then looks for requests: one that comes right after waits for two launches. */
void grind_all(struct service *s, const struct batch *b)
{
    const int each = (int)((b->patience_ns / 2 - b->setup_ns) / b->item_ns);
    cudaEvent_t done[2];
    struct request r;
    int answered = 0, k = 0;
    CHECK(cudaEventCreateWithFlags(&done[0], cudaEventBlockingSync));
    CHECK(cudaEventCreateWithFlags(&done[1], cudaEventBlockingSync));
    for (int first = 0; first < b->items; first += b->wave * each, k ^= 1) {
        CHECK(cudaEventSynchronize(done[k]));
        for (; request_came(&r); answered++) {
            answer(s, &r);
            hand_out(&r);
        }
        int left = (b->items - first + each - 1) / each;
        grind<<<left < b->wave ? left : b->wave, THREADS, b->shared, s->bulk>>>(*b, first, each);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(done[k], s->bulk));
    }
    while (answered < b->requests)
        if (request_came(&r)) {
            answer(s, &r);
            hand_out(&r);
            answered++;
        }
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaEventDestroy(done[0]));
    CHECK(cudaEventDestroy(done[1]));
}
