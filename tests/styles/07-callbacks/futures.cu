/* SPDX-License-Identifier: MIT */
/* A function keeps a promise for each chunk, and for each batch. */
#include "lesson.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <future>
#include <thread>
#include <vector>

/*
 * (a) Each chunk is finished by the host as it arrives.
 */
//> arrived
static std::vector<std::promise<int>> home_now;
static std::thread worker;
static void chunk_arrived(void *number)
{
    int c = *(const int *)number;
    home_now[c].set_value(c);
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
        if (c == 0)
            home_now = std::vector<std::promise<int>>(chunks);
        h->number[c] = c;
        CHECK(cudaLaunchHostFunc(h->work, chunk_arrived, &h->number[c]));
        //< begin
    }
    worker = std::thread([chunks] {
        for (int c = 0; c < chunks; c++)
            finish(home_now[c].get_future().get());
    });
}

void harvest_end(struct harvest *h)
{
    //> end
    worker.join();
    CHECK(cudaStreamSynchronize(h->work));
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
static void slot_is_empty(void *data)
{
    ((std::promise<void> *)data)->set_value();
}
//< empty

void feed_all(const struct feed *f)
{
    size_t bytes = f->n * sizeof *f->inbox;
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    //> feed
    std::vector<std::promise<void>> copied(f->count);
    for (int k = 0; k < f->count; k++) {
        unsigned *slot = f->ring[k % RING];
        if (k >= RING)
            copied[k - RING].get_future().wait();
        fill(slot, k);
        CHECK(cudaMemcpyAsync(f->inbox, slot, bytes, cudaMemcpyHostToDevice, stream));
        CHECK(cudaLaunchHostFunc(stream, slot_is_empty, &copied[k]));
        absorb<<<BLOCKS, THREADS, 0, stream>>>(f->total, f->inbox, f->n);
        CHECK(cudaGetLastError());
    }
    //< feed
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaStreamDestroy(stream));
}

/*
 * (c) Two streams share the slots, which come back in another order than they went out.
 */
//> pool
struct copy_of_batch {
    std::promise<void> done;
    int before = -1;                    // the batch that was in the slot before
    int slot = 0;
};

static void batch_is_copied(void *data)
{
    ((struct copy_of_batch *)data)->done.set_value();
}
//< pool

void feed_both(const struct feeds *f)
{
    size_t bytes = f->n * sizeof *f->inbox[0];
    //> both
    std::vector<struct copy_of_batch> copies(f->count);
    int last[POOL] = { -1, -1, -1, -1 }, turn[2] = { 0, 0 };
    for (int k = 0; k < f->count; k++) {            // two slots for each total, in turn
        copies[k].slot = 2 * f->to[k] + turn[f->to[k]]++ % 2;
        copies[k].before = last[copies[k].slot];
        last[copies[k].slot] = k;
    }
    std::vector<std::thread> threads;
    for (int m = 0; m < 2; m++)
        threads.emplace_back([&copies, f, m, bytes] {
            cudaStream_t stream;
            CHECK(cudaStreamCreate(&stream));
            for (int k = 0; k < f->count; k++) {
                if (f->to[k] != m)
                    continue;
                unsigned *slot = f->slot[copies[k].slot];
                if (copies[k].before >= 0)
                    copies[copies[k].before].done.get_future().wait();
                fill(slot, k);
                CHECK(cudaMemcpyAsync(f->inbox[m], slot, bytes, cudaMemcpyHostToDevice, stream));
                CHECK(cudaLaunchHostFunc(stream, batch_is_copied, &copies[k]));
                blend<<<BLOCKS, THREADS, 0, stream>>>(f->total[m], f->inbox[m], f->n, f->ns[k]);
                CHECK(cudaGetLastError());
            }
            CHECK(cudaStreamSynchronize(stream));
            CHECK(cudaStreamDestroy(stream));
        });
    for (std::thread &thread : threads)
        thread.join();
    //< both
}
