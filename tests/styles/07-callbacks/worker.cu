/* SPDX-License-Identifier: MIT */
/* A function wakes a thread of our own, which finishes the chunks; std::condition_variable. */
#include "lesson.h"

#include <condition_variable>
#include <mutex>
#include <stdlib.h>
#include <thread>

/*
 * (a) Each chunk is finished by the host as it arrives.
 */
//> arrived
static std::mutex lock;
static std::condition_variable changed;
static int at_home;
static std::thread worker;

static void chunk_arrived(void *)
{
    std::lock_guard<std::mutex> hold(lock);
    at_home++;
    changed.notify_all();
}

static void work(int chunks)
{
    for (int c = 0; c < chunks; c++) {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [&] { return at_home > c; });
        hold.unlock();
        finish(c);
    }
}
//< arrived

void harvest_begin(struct harvest *h)
{
    int chunks = chunk_count(h);
    h->number = (int *)malloc(chunks * sizeof *h->number);
    CHECK(cudaStreamCreate(&h->work));
    CHECK(cudaStreamCreate(&h->after));
    CHECK(cudaEventCreateWithFlags(&h->arrived, cudaEventDisableTiming));
    for (int c = 0; c < chunks; c++) {
        unsigned *device = h->device + c * h->chunk, *home = h->home + c * h->chunk;
        int n = chunk_size(h, c);
        ripen<<<BLOCKS, THREADS, 0, h->work>>>(device, n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(home, device, n * sizeof *home, cudaMemcpyDeviceToHost, h->work));
        //> begin
        if (c == 0) {
            at_home = 0;
            worker = std::thread(work, chunks);
        }
        CHECK(cudaLaunchHostFunc(h->work, chunk_arrived, NULL));
        //< begin
    }
}

void harvest_end(struct harvest *h)
{
    //> end
    CHECK(cudaStreamSynchronize(h->work));
    worker.join();
    //< end
    CHECK(cudaEventDestroy(h->arrived));
    CHECK(cudaStreamDestroy(h->after));
    CHECK(cudaStreamDestroy(h->work));
    free(h->number);
}

/*
 * (b) A ring of three slots: the host fills what the stream has emptied.
 */
//> empty
struct ring {
    std::mutex lock;
    std::condition_variable changed;
    int emptied = 0;
};
//< empty

void feed_all(const struct feed *f)
{
    size_t bytes = f->n * sizeof *f->inbox;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> feed
    ring ring;
    for (int k = 0; k < f->count; k++) {
        unsigned *slot = f->ring[k % RING];
        {
            std::unique_lock<std::mutex> hold(ring.lock);
            ring.changed.wait(hold, [&] { return k - ring.emptied < RING; });
        }
        fill(slot, k);
        CHECK(cudaMemcpyAsync(f->inbox, slot, bytes, cudaMemcpyHostToDevice, stream));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(f->total, f->inbox, f->n);
        CHECK(cudaGetLastError());
        CHECK(cudaLaunchHostFunc(stream, [](void *data) {
            struct ring *r = (struct ring *)data;
            std::lock_guard<std::mutex> hold(r->lock);
            r->emptied++;
            r->changed.notify_one();
        }, &ring));
    }
    //< feed
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

/*
 * (c) Two streams share the slots, which come back in another order than they went out.
 */
//> pool
static std::mutex at_slots;
static std::condition_variable slot_came;
static unsigned *free_slot[POOL];
static int free_slots;

static void slot_is_back(void *slot)
{
    std::lock_guard<std::mutex> hold(at_slots);
    free_slot[free_slots++] = (unsigned *)slot;
    slot_came.notify_one();
}
//< pool

void feed_both(const struct feeds *f)
{
    size_t bytes = f->n * sizeof *f->inbox[0];
    //> both
    for (int s = 0; s < POOL; s++)
        free_slot[s] = f->slot[s];
    free_slots = POOL;
    cudaStream_t stream[2], after[2];               // no batch waits for a function
    cudaEvent_t copied;
    CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
    for (int m = 0; m < 2; m++) {
        CHECK(cudaStreamCreate(&stream[m]));
        CHECK(cudaStreamCreate(&after[m]));
    }
    for (int k = 0; k < f->count; k++) {
        int m = f->to[k];
        std::unique_lock<std::mutex> hold(at_slots);
        slot_came.wait(hold, [] { return free_slots > 0; });
        unsigned *slot = free_slot[--free_slots];
        hold.unlock();
        fill(slot, k);
        CHECK(cudaMemcpyAsync(f->inbox[m], slot, bytes, cudaMemcpyHostToDevice, stream[m]));
        CHECK(cudaEventRecord(copied, stream[m]));
        blend<<<BLOCKS, THREADS, 0, stream[m]>>>(f->total[m], f->inbox[m], f->n, f->ns[k]);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamWaitEvent(after[m], copied, 0));
        CHECK(cudaLaunchHostFunc(after[m], slot_is_back, slot));
    }
    for (int m = 0; m < 2; m++) {
        CHECK(cudaStreamSynchronize(after[m]));
        CHECK(cudaStreamSynchronize(stream[m]));
        CHECK(cudaStreamDestroy(after[m]));
        CHECK(cudaStreamDestroy(stream[m]));
    }
    CHECK(cudaEventDestroy(copied));
    //< both
}
