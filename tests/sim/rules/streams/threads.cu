/* SPDX-License-Identifier: MIT */
/* Many host threads: what they share, what is their own, and the thread of host functions. */
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <semaphore.h>
#include <thread>
#include <vector>

#include "../rule.h"

static std::mutex lock;
static std::condition_variable changed;
static std::atomic<int> stage;

/* Time until work that several threads queue at once is done; each waits for its own. */
template <typename F> static long long together(int count, F each)
{
    CHECK(cudaDeviceSynchronize());
    return took([&] {
        std::vector<std::thread> threads;
        for (int i = 0; i < count; i++)
            threads.emplace_back(each, i);
        for (auto &t : threads)
            t.join();
    });
}

static void two_kernels(cudaStream_t s)
{
    busy<<<1, 1, 0, s>>>(LONG);
    busy<<<1, 1, 0, s>>>(LONG);
    CHECK(cudaStreamSynchronize(s));
}

static void wait_for(int wanted)
{
    while (stage < wanted)
        std::this_thread::yield();
}

struct seen {
    std::thread::id thread;
    cudaError_t error;
};

static void look(void *seen)
{
    ((struct seen *)seen)->thread = std::this_thread::get_id();
    ((struct seen *)seen)->error = cudaFree(NULL);
}

int main()
{
    int *d = on_device<int>(4), *h = pinned<int>(4);
    warm_up(d);
    cudaStream_t own[4], shared = stream();
    for (auto &s : own)
        s = stream();

    /* [M] 160 and 40.5 ms for four threads with two kernels of 20 ms each. */
    long long legacy = together(4, [](int) { two_kernels(cudaStreamLegacy); });
    rule(legacy > 7 * LONG && legacy < 10 * LONG, "the legacy default stream is one for all threads");      /* [S, M] */
    long long apart = together(4, [](int) { two_kernels(cudaStreamPerThread); });
    rule(apart > LONG && apart < 4 * LONG, "each thread has a per-thread default stream of its own");     /* [S, M] */
    /* [M] 40 ms nearly always, 60 and once over 80 in some dozen runs: never one after another. */
    rule(together(4, [&](int i) { two_kernels(own[i]); }) < 7 * LONG, "threads with streams of their own run at once");
    rule(together(4, [&](int) { two_kernels(shared); }) > 7 * LONG, "a stream is a queue, whoever queues");   /* [G] */

    /* [G] the last error and the device belong to the host thread. */
    cudaError_t theirs = cudaSuccess;
    cudaSetDevice(77);
    std::thread([&] { theirs = cudaGetLastError(); }).join();
    rule(theirs == cudaSuccess && cudaGetLastError() != cudaSuccess, "the last error is the thread's that made the call");

    int device = -1;
    std::thread([&] { CHECK(cudaGetDevice(&device)); }).join();
    rule(device == 0, "a new thread begins with device 0");                                                 /* [G] */

    /* What one thread queued another may wait for. [G] */
    cudaEvent_t mark = event();
    std::thread([&] {
        put<<<1, 1, 0, own[0]>>>(d, 3, LONG);
        CHECK(cudaMemcpyAsync(h, d, sizeof(int), cudaMemcpyDeviceToHost, own[0]));
        CHECK(cudaEventRecord(mark, own[0]));
    }).join();
    rule(cudaEventQuery(mark) == cudaErrorNotReady, "the work of a thread outlives it");
    rule(is_long(took([&] { CHECK(cudaEventSynchronize(mark)); })) && h[0] == 3,
         "a thread can wait for what another queued");

    /* A wait holds its own thread up and no other. */
    stage = 0;
    busy<<<1, 1, 0, own[0]>>>(4 * LONG);
    std::thread waiting([&] {
        CHECK(cudaStreamSynchronize(own[0]));
        stage = 1;
    });
    long long others = took([&] {
        busy<<<1, 1, 0, own[1]>>>(LONG);
        CHECK(cudaStreamSynchronize(own[1]));
    });
    rule(others < 3 * LONG && stage == 0, "a thread that waits for the device holds up no other");
    waiting.join();

    long long joined = took([&] {
        std::thread([&] {
            busy<<<1, 1, 0, own[2]>>>(LONG);
            CHECK(cudaStreamSynchronize(own[2]));
        }).join();
    });
    rule(is_long(joined), "joining a thread takes as long as the thread does");

    stage = 0;
    std::thread holder([&] {
        std::lock_guard<std::mutex> hold(lock);
        stage = 1;
        busy<<<1, 1, 0, own[3]>>>(LONG);
        CHECK(cudaStreamSynchronize(own[3]));
    });
    wait_for(1);
    rule(is_long(took([&] { std::lock_guard<std::mutex> hold(lock); })), "a mutex is had when its holder lets it go");
    holder.join();

    bool ready = false;
    std::thread sleeper([&] {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [&] { return ready; });
        busy<<<1, 1, 0, own[0]>>>(0);
        CHECK(cudaStreamSynchronize(own[0]));
    });
    host_work(LONG);
    {
        std::lock_guard<std::mutex> hold(lock);
        ready = true;
    }
    changed.notify_one();
    rule(!is_long(took([&] { sleeper.join(); })), "a thread that waits for a condition goes on when it is told");

    /* Host functions: a thread of their own, one for all streams. [M, not promised] */
    seen first, second;
    CHECK(cudaLaunchHostFunc(own[0], look, &first));
    CHECK(cudaLaunchHostFunc(own[1], look, &second));
    CHECK(cudaDeviceSynchronize());
    forget_errors();
    rule(first.thread != std::this_thread::get_id() && first.thread == second.thread,
         "host functions of all streams run in one thread, and it is not the program's");
    rule(first.error == cudaErrorNotPermitted, "it may not call the runtime");                              /* [H, M] */

    stage = 0;
    busy<<<1, 1, 0, own[0]>>>(LONG);
    CHECK(cudaLaunchHostFunc(own[0], [](void *) { stage = 1; }, NULL));
    rule(stage == 0 && is_long(took([] { wait_for(1); })), "a spin on a flag that a host function sets ends");

    {
        std::unique_lock<std::mutex> hold(lock);
        CHECK(cudaLaunchHostFunc(own[1], [](void *) { std::lock_guard<std::mutex> inner(lock); stage = 2; }, NULL));
        host_work(LONG);
        rule(stage == 1, "a host function waits for a mutex like anybody else");
    }
    CHECK(cudaStreamSynchronize(own[1]));
    rule(stage == 2, "and its stream waits with it");

    /* Nobody waits for the device: the device goes on. */
    stage = 0;
    busy<<<1, 1, 0, own[0]>>>(LONG);
    CHECK(cudaLaunchHostFunc(own[0], [](void *) { std::lock_guard<std::mutex> hold(lock); stage = 1; changed.notify_one(); }, NULL));
    long long woken = took([&] {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [] { return stage == 1; });
    });
    rule(stage == 1 && is_long(woken), "a host function wakes a thread that sleeps on a condition");
    sem_t posted;
    sem_init(&posted, 0, 0);
    busy<<<1, 1, 0, own[0]>>>(LONG);
    CHECK(cudaLaunchHostFunc(own[0], [](void *s) { sem_post((sem_t *)s); }, &posted));
    rule(is_long(took([&] { sem_wait(&posted); })), "and one that waits for a semaphore");
    return rules_end();
}
