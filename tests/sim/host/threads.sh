#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs with many host threads: the same in every run, busy machine or not;
# what a replay of the log gives; spins that end, and deadlocks that are named. LONG=1: 100 runs of each instead of 6.
. tests/sim/sim.bash
load=()
cleanup() {
    [ ${#load[@]} = 0 ] || kill "${load[@]}" 2> /dev/null
    wait
}
open_simulator

build many -std=c++17 << 'END'
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <thread>
#include <vector>
#include "streams.h"

__global__ void busy(long long ns) { kernel_cost(ns); }

static std::mutex lock;
static std::condition_variable changed;
static std::vector<int> jobs;
static std::atomic<int> done;
static sem_t slots;

static void worker(int *device, int *pinned)
{
    cudaStream_t s;
    CHECK(cudaStreamCreate(&s));
    for (;;) {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [] { return !jobs.empty(); });
        int job = jobs.back();
        jobs.pop_back();
        hold.unlock();
        if (job < 0)
            break;
        sem_wait(&slots);
        CHECK(cudaMemcpyAsync(device, pinned, 1 << 16, cudaMemcpyHostToDevice, s));
        busy<<<1 + job % 3, 64, 0, s>>>(10000 * (1 + job % 7));
        CHECK(cudaMemcpyAsync(pinned, device, 1 << 16, cudaMemcpyDeviceToHost, s));
        if (job % 2)
            CHECK(cudaStreamSynchronize(s));
        else
            while (cudaStreamQuery(s) == cudaErrorNotReady)
                std::this_thread::yield();
        CHECK(cudaLaunchHostFunc(s, [](void *) { std::lock_guard<std::mutex> hold(lock); host_work(3000); ++done; }, NULL));
        sem_post(&slots);
    }
    CHECK(cudaStreamSynchronize(s));
}

int main()
{
    sem_init(&slots, 0, 2);
    std::vector<std::thread> threads;
    for (int i = 0; i < 5; i++) {
        int *d, *h;
        CHECK(cudaMalloc(&d, 1 << 16));
        CHECK(cudaMallocHost(&h, 1 << 16));
        threads.emplace_back(worker, d, h);
    }
    for (int job = 0; job < 30; job++) {
        host_work(1700);
        std::lock_guard<std::mutex> hold(lock);
        jobs.push_back(job);
        changed.notify_one();
    }
    while (done < 30)
        std::this_thread::yield();
    for (int i = 0; i < 5; i++) {
        std::lock_guard<std::mutex> hold(lock);
        jobs.push_back(-1);
        changed.notify_one();
    }
    for (auto &t : threads)
        t.join();
    std::future<long long> late = std::async(std::launch::async, [] { host_work(5000); return now_ns(); });
    CHECK(cudaDeviceSynchronize());
    printf("%d %d\n", (int)done, late.get() == now_ns());
}
END
play many
ok 'threads that share a queue of jobs, a semaphore and host functions do all of them' eval 'ends 0 && prints "30 1"'
ok 'the replay of their log is their timeline, byte for byte' replays many
times=${LONG:+100}
times=${times:-6}
ok "their log is the same in $times runs, byte for byte" [ "$(different "$times" many)" = 0 ]
for _ in 1 2 3; do
    timeout 5 yes > /dev/null &
    load+=($!)
done
ok 'and while the machine is busy with other things' [ "$(different "$times" many)" = 0 ]
kill "${load[@]}" 2> /dev/null
wait "${load[@]}" 2> /dev/null
load=()

build four -std=c++17 << 'END'
#include <stdio.h>
#include <thread>
#include "streams.h"
__global__ void busy() { kernel_cost(20000000); }
int main()
{
    busy<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    std::thread threads[4];
    for (auto &t : threads)
        t = std::thread([] {
            busy<<<1, 1>>>();
            busy<<<1, 1>>>();
            CHECK(cudaStreamSynchronize(0));
        });
    for (auto &t : threads)
        t.join();
    printf("%.0f\n", (now_ns() - begin) / 1e6);
}
END
play four
ok 'four threads with two kernels of 20 ms in the default stream take 160 ms' prints 160
ok 'and replay so' replays four
build four -std=c++17 --default-stream per-thread
play four
ok 'with a default stream per thread they take 40 ms' prints 40
ok 'and replay so, too' replays four

build spins -std=c++17 << 'END'
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdio.h>
#include <string.h>
#include <thread>
#include "streams.h"
__global__ void busy(long long ns) { kernel_cost(ns); }
static volatile int flag;
static std::mutex lock;
static void set(void *) { flag = 1; }
int main(int, char **argv)
{
    const char *how = argv[1];
    std::thread other([] { });
    busy<<<1, 1>>>(20000000);
    CHECK(cudaLaunchHostFunc(0, set, NULL));
    if (!strcmp(how, "clock"))
        while (!flag)
            now_ns();
    if (!strcmp(how, "query"))
        while (!flag)
            cudaStreamQuery(0);
    if (!strcmp(how, "sleep"))
        while (!flag)
            std::this_thread::sleep_for(std::chrono::microseconds(5));
    if (!strcmp(how, "yield"))
        while (!flag)
            std::this_thread::yield();
    if (!strcmp(how, "thread")) {
        other.join();
        other = std::thread([] { host_work(20000000); flag = 2; });
        while (flag < 2)
            sched_yield();
    }
    if (!strcmp(how, "lock")) {
        other.join();
        other = std::thread([] { host_work(20000000); std::lock_guard<std::mutex> hold(lock); flag = 2; });
        for (bool ended = false; !ended;) {
            std::lock_guard<std::mutex> hold(lock);
            ended = flag == 2;
        }
    }
    if (!strcmp(how, "try")) {
        other.join();
        other = std::thread([] { std::lock_guard<std::mutex> hold(lock); host_work(20000000); });
        host_work(1);
        while (!lock.try_lock())
            ;
        lock.unlock();
    }
    printf("%d\n", now_ns() > 20000000 && now_ns() < 22000000);
    other.join();
}
END
while read -r how sentence; do
    play spins "$how"
    ok "$sentence" prints 1
done << 'END'
clock a spin on a flag that a host function sets ends when it looks at the clock
query a spin on a flag that a host function sets ends when it queries the stream
sleep a spin on a flag that a host function sets ends when it sleeps in between
yield a spin on a flag that a host function sets ends when it yields
thread a spin on a flag that another thread sets ends when it yields
lock a spin on a flag behind a mutex ends
try a spin that tries a mutex ends when its holder lets it go
END
ok 'a spin replays as it ran' replays spins yield
ok 'and so does one that sleeps' replays spins sleep

# Small copies from pinned memory, which are faster in a stream whose work is over; the thread tries two semaphores that functions post.
build tries << 'END'
#include <semaphore.h>
#include <stdio.h>
#include "streams.h"
__global__ void brief() { kernel_cost(0); }
static sem_t any, own[2];
static void back(void *s) { sem_post((sem_t *)s); sem_post(&any); }
int main()
{
    char *from, *to;
    cudaStream_t streams[2];
    CHECK(cudaMallocHost(&from, 4096));
    CHECK(cudaMalloc(&to, 8192));
    sem_init(&any, 0, 2);
    for (int i = 0; i < 2; i++) {
        sem_init(&own[i], 0, 1);
        CHECK(cudaStreamCreate(&streams[i]));
    }
    for (int k = 0; k < 40; k++) {
        int s = 0;
        sem_wait(&any);
        while (sem_trywait(&own[s]))
            s ^= 1;
        host_work(9000 * (k % 7));
        CHECK(cudaMemcpyAsync(to + 4096 * (k % 3 % 2), from, 4096, cudaMemcpyHostToDevice, streams[k % 3 % 2]));
        CHECK(cudaLaunchHostFunc(streams[k % 3 % 2], back, &own[s]));
        brief<<<1, 1, 0, streams[k % 3 % 2]>>>();
    }
    CHECK(cudaDeviceSynchronize());
}
END
ok 'what the device does while a thread tries semaphores, a replay does, too' replays tries

build waits -std=c++20 << 'END'
#include <atomic>
#include <barrier>
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <pthread.h>
#include <semaphore>
#include <shared_mutex>
#include <stdio.h>
#include <string>
#include <thread>
#include "streams.h"
static std::string order;
template <typename Wait, typename Free> static void waits(const char *what, Wait wait, Free free)
{
    long long begin = now_ns();
    std::thread other([&] { host_work(5000); free(); });
    wait();
    if (now_ns() - begin < 5000 || now_ns() - begin > 50000)
        printf("%s: %lld ns\n", what, now_ns() - begin);
    other.join();
}
struct late { ~late() { host_work(300); order += 'd'; } };
static thread_local late mine;
int main()
{
    CHECK(cudaFree(0));
    std::latch latch(1);
    waits("latch", [&] { latch.wait(); }, [&] { latch.count_down(); });
    std::barrier<> barrier(2);
    waits("barrier", [&] { barrier.arrive_and_wait(); }, [&] { barrier.arrive_and_wait(); });
    pthread_barrier_t old;
    pthread_barrier_init(&old, NULL, 2);
    waits("pthread_barrier", [&] { pthread_barrier_wait(&old); }, [&] { pthread_barrier_wait(&old); });
    std::counting_semaphore<4> semaphore(0);
    waits("counting_semaphore", [&] { semaphore.acquire(); }, [&] { semaphore.release(); });
    std::promise<int> promise;
    waits("future", [&] { promise.get_future().wait(); }, [&] { promise.set_value(1); });
    std::atomic<int> value(0);
    waits("atomic wait", [&] { value.wait(0); }, [&] { value = 1; value.notify_one(); });
    std::shared_mutex shared;
    std::atomic<bool> held(false);
    waits("rwlock", [&] { while (!held) std::this_thread::yield(); std::shared_lock<std::shared_mutex> hold(shared); },
          [&] { std::unique_lock<std::shared_mutex> hold(shared); held = true; host_work(5000); });
    std::once_flag once;
    std::atomic<int> begun(0);
    waits("call_once", [&] { while (!begun) std::this_thread::yield(); std::call_once(once, [] { puts("twice"); }); },
          [&] { std::call_once(once, [&] { begun = 1; host_work(5000); }); });
    std::mutex lock;
    std::condition_variable changed;
    bool go = false;
    waits("condition", [&] { std::unique_lock<std::mutex> hold(lock); changed.wait(hold, [&] { return go; }); },
          [&] { std::lock_guard<std::mutex> hold(lock); go = true; changed.notify_all(); });
    {
        std::unique_lock<std::mutex> hold(lock);
        long long begin = now_ns();
        bool in_time = changed.wait_for(hold, std::chrono::microseconds(20), [] { return false; });
        if (in_time || now_ns() - begin < 20000 || now_ns() - begin > 40000)
            printf("wait_for: %lld ns\n", now_ns() - begin);
    }
    waits("sleep", [] { std::this_thread::sleep_for(std::chrono::microseconds(7)); }, [] { });
    std::thread a([] { (void)&mine; order += 'a'; });
    a.join();
    order += 'j';
    printf("%s\n", order.c_str());
}
END
play waits
ok 'latches, barriers, semaphores, futures, atomics, locks, call_once, conditions and sleeps pass the turn on' \
    eval 'ends 0 && prints adj'
ok 'and replay as they ran' replays waits
ok "and their log is the same in $times runs, byte for byte" [ "$(different "$times" waits)" = 0 ]

build refused -std=c++17 << 'END'
#include "streams.h"
int main()
{
    CHECK(cudaLaunchHostFunc(0, [](void *) { void *p; cudaMalloc(&p, 4); host_work(1000); }, NULL));
    CHECK(cudaDeviceSynchronize());
}
END
ok 'a call that a host function may not make is in the log, and replays' \
    eval 'replays refused && grep -q "^call cudaMalloc thread 1 .*status 800:" "$dir/replayed"'

build stuck -std=c++20 << 'END'
#include <condition_variable>
#include <future>
#include <latch>
#include <mutex>
#include <semaphore.h>
#include <stdio.h>
#include <thread>
#include "streams.h"
static std::mutex a, b;
static std::condition_variable changed;
int main(int, char **argv)
{
    CHECK(cudaFree(0));
    puts("begins");
    switch (argv[1][0]) {
    case 'l': {
        std::thread other([] {
            std::lock_guard<std::mutex> first(b);
            host_work(1000);
            std::lock_guard<std::mutex> second(a);
        });
        std::lock_guard<std::mutex> first(a);
        host_work(1000);
        std::lock_guard<std::mutex> second(b);
        other.join();
        break;
    }
    case 's':
        a.lock();
        a.lock();
        break;
    case 'c': {
        std::unique_lock<std::mutex> hold(a);
        changed.wait(hold);
        break;
    }
    case 'f': {
        std::lock_guard<std::mutex> hold(a);
        cudaLaunchHostFunc(0, [](void *) { std::lock_guard<std::mutex> hold(a); }, NULL);
        cudaDeviceSynchronize();
        break;
    }
    case 'p': {
        std::promise<int> never;
        never.get_future().wait();
        break;
    }
    case 'a': {
        std::latch two(2);
        std::thread other([&] { two.arrive_and_wait(); });
        other.join();
        break;
    }
    case 'j': {
        sem_t none;
        sem_init(&none, 0, 0);
        std::thread other([&] { sem_wait(&none); });
        other.join();
    }
    }
}
END
while IFS='|' read -r how message sentence; do
    WORKBOOK_LOG=9 play stuck "$how" 9> "$dir/log"
    ok "$sentence" \
        eval 'ends 3 && prints begins && [ "$(cat "$dir/err")" = "deadlock: $message" ] &&
        build/tests/sim/replay < "$dir/log" | grep -q "^exit .*status 3:"'
done << 'END'
l|the main thread waits for a mutex, which thread 1 holds; thread 1 waits for a mutex, which the main thread holds|two threads that hold what the other wants are named, and the log is whole
s|the main thread waits for a mutex, which it already holds|so is one that locks twice
c|the main thread waits for a condition|so is one that nobody will ever wake
f|the main thread waits for the device; the host functions' thread waits for a mutex, which the main thread holds|so is a host function that wants what its waiter holds
p|the main thread waits for an atomic variable, future or static one to change|so is a promise that nobody keeps
a|the main thread waits for thread 1 to end; thread 1 waits for an atomic variable, future or static one to change|so is a latch that lacks an arrival
j|the main thread waits for thread 1 to end; thread 1 waits for a semaphore|so is one that is joined and cannot end
END

build small -std=c++17 << 'END'
#include <pthread.h>
#include <stdio.h>
__global__ void k(int *p) { __shared__ int a[12288]; a[threadIdx.x] = 1; __syncthreads(); atomicAdd(p, a[threadIdx.x]); }
__global__ void l(int *p) { __shared__ int a[12288]; a[threadIdx.x] = 1; __syncthreads(); atomicAdd(p, a[threadIdx.x]); }
static void *launch(void *p) { k<<<2, 32>>>((int *)p); l<<<2, 32>>>((int *)p); cudaDeviceSynchronize(); return p; }
int main()
{
    pthread_attr_t attributes;
    pthread_t thread;
    int *d, h = 0;
    cudaMalloc(&d, sizeof h);
    cudaMemset(d, 0, sizeof h);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 65536);
    if (pthread_create(&thread, &attributes, launch, d) == 0)
        pthread_join(thread, NULL);
    cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
    printf("%d\n", h);
}
END
ok 'a thread with a small stack launches kernels with more shared memory than that' eval 'play small && prints 128'

# What the host has touched before it waits travels when it waits: meanwhile the other one gets there.
build comes_first << 'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include "streams.h"
static __global__ void up(int *p) { kernel_cost(1000); *p += 1; }
static sem_t posted;
static void *ends(void *) { host_work(20000); return NULL; }
static void *posts(void *) { host_work(20000); sem_post(&posted); return NULL; }
int main()
{
    int *x;
    sem_init(&posted, 0, 0);
    CHECK(cudaMallocManaged((void **)&x, sizeof *x));
    *x = 0;
    for (int round = 0; round < 2; round++) {
        up<<<1, 1>>>(x);
        CHECK(cudaDeviceSynchronize());
        pthread_t thread;
        pthread_create(&thread, NULL, round ? posts : ends, NULL);
        *x += 1;
        if (round)
            sem_wait(&posted);
        pthread_join(thread, NULL);
    }
    printf("%d\n", *x);
}
END
ok 'a wake-up that comes while the pages of who is to wait come home is not lost' eval 'play comes_first && prints 4'
done_testing
