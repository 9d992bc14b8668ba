/* SPDX-License-Identifier: MIT */
/* A request is two halves, in two urgent streams that know nothing of each other; the runtime finds out which way a copy
 * goes. */
#include "lesson.h"

#include <pthread.h>
#include <semaphore.h>

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
        reply<<<REPLY_BLOCKS, THREADS, r->shared, u>>>(r->device + at, n);
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

/* A second thread feeds the batch, woken by the stream; this one has nothing to do but requests. */
static sem_t room;

static void launch_is_done(void *)
{
    sem_post(&room);
}

struct feeder {
    cudaStream_t stream, bells;     /* the functions have a stream of their own: no launch waits for one */
    cudaEvent_t done;
    const struct batch *b;
};

static void *feed(void *data)
{
    const struct feeder *f = (const struct feeder *)data;
    const struct batch *b = f->b;
    const int each = (int)((b->patience_ns / 2 - b->setup_ns) / b->item_ns);
    for (int first = 0; first < b->items; first += b->wave * each) {
        int left = (b->items - first + each - 1) / each;
        sem_wait(&room);
        grind<<<left < b->wave ? left : b->wave, THREADS, b->shared, f->stream>>>(*b, first, each);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(f->done, f->stream));
        CHECK(cudaStreamWaitEvent(f->bells, f->done, 0));
        CHECK(cudaLaunchHostFunc(f->bells, launch_is_done, NULL));
    }
    return NULL;
}

void grind_all(struct service *s, const struct batch *b)
{
    pthread_t thread;
    struct feeder f = { s->bulk, NULL, NULL, b };
    struct request r;
    CHECK(cudaStreamCreateWithFlags(&f.bells, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&f.done, cudaEventDisableTiming));
    sem_init(&room, 0, 2);
    pthread_create(&thread, NULL, feed, &f);
    for (int answered = 0; answered < b->requests;)
        if (request_came(&r)) {
            answer(s, &r);
            hand_out(&r);
            answered++;
        }
    pthread_join(thread, NULL);
    CHECK(cudaStreamSynchronize(f.bells));
    CHECK(cudaStreamDestroy(f.bells));
    CHECK(cudaEventDestroy(f.done));
}
