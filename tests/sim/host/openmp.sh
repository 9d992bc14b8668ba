#!/bin/bash
# SPDX-License-Identifier: MIT
#
# OpenMP, std::async, thread pools and barriers in host code: as threads of the program, and the same in each run.
. tests/sim/sim.bash

build openmp -O2 -Xcompiler -fopenmp <<'END'
#include <cstdio>
#include <omp.h>
static int failures;
#define IS(what) do { if (!(what)) { failures++; printf("line %d: %s\n", __LINE__, #what); } } while (0)
__global__ void add(int *at, int value) { at[threadIdx.x] += value; }
static int kept;
#pragma omp threadprivate(kept)
int main()
{
    const int n = 1000;
    int on_device[4], count = 0, seen[64] = { 0 }, once = 0;
    long sum = 0, other = 0;
    static int hits[n];
    IS(!omp_in_parallel() && omp_get_num_threads() == 1);
#pragma omp parallel num_threads(5)
    {
        IS(omp_get_num_threads() == 5 && omp_in_parallel());
#pragma omp critical
        count++;
#pragma omp critical(named)
        seen[omp_get_thread_num()]++;
#pragma omp barrier
#pragma omp single
        IS(count == 5);
        int got;
#pragma omp single copyprivate(got)
        got = 42;
        IS(got == 42);
#pragma omp master
        once++;
#pragma omp atomic
        sum += 2;
#pragma omp parallel num_threads(3)
        IS(omp_get_num_threads() == 1);
        kept = omp_get_thread_num();
    }
    for (int i = 0; i < 5; i++)
        IS(seen[i] == 1);
    IS(sum == 10 && once == 1);
#pragma omp parallel num_threads(5)
    IS(kept == omp_get_thread_num());
    sum = 0;
#pragma omp parallel for reduction(+:sum)
    for (int i = 0; i < n; i++)
        sum += i;
    IS(sum == n * (n - 1) / 2);
#pragma omp parallel for schedule(dynamic, 7) reduction(+:other)
    for (int i = n - 1; i >= 0; i -= 3)
        hits[i]++, other += i;
#pragma omp parallel
    {
#pragma omp for schedule(guided) nowait
        for (unsigned long i = 1; i < n; i += 3)
            hits[i]++;
#pragma omp for schedule(runtime)
        for (int i = 2; i < n; i += 3)
            hits[i]++;
#pragma omp for schedule(dynamic)
        for (unsigned i = 7; i < 7; i++)
            hits[i]++;
    }
    for (int i = 0; i < n; i++)
        IS(hits[i] == 1);
    int last = -1;
#pragma omp parallel for ordered schedule(dynamic)
    for (int i = 0; i < 20; i++) {
#pragma omp ordered
        {
            IS(last == i - 1);
            last = i;
        }
    }
    int sections[3] = { 0 };
#pragma omp parallel sections
    {
#pragma omp section
        sections[0]++;
#pragma omp section
        sections[1]++;
#pragma omp section
        sections[2]++;
    }
    IS(sections[0] == 1 && sections[1] == 1 && sections[2] == 1);
    int tasks = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(i) shared(tasks)
#pragma omp atomic
            tasks += i;
#pragma omp taskwait
        IS(tasks == 45);
#pragma omp taskloop shared(tasks)
        for (int i = 0; i < 10; i++)
#pragma omp atomic
            tasks += i;
    }
    IS(tasks == 90);
    omp_lock_t lock;
    omp_init_lock(&lock);
    int locked = 0;
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 10; i++) {
        omp_set_lock(&lock);
        locked++;
        omp_unset_lock(&lock);
    }
    IS(locked == 40);
    int *device[4];
    double before = omp_get_wtime();
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num(), *mine;
        const size_t bytes = 32 * sizeof *mine;
        cudaStream_t s;
        cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
        cudaMallocHost(&mine, bytes);
        cudaMalloc(&device[me], bytes);
        cudaMemsetAsync(device[me], 0, bytes, s);
        add<<<1, 32, 0, s>>>(device[me], me);
        cudaMemcpyAsync(mine, device[me], bytes, cudaMemcpyDeviceToHost, s);
        cudaStreamSynchronize(s);
        on_device[me] = mine[31];
        cudaStreamDestroy(s);
    }
    IS(omp_get_wtime() > before);
    for (int i = 0; i < 4; i++)
        IS(on_device[i] == i && cudaFree(device[i]) == cudaSuccess);
    printf("%d failures, %d threads\n", failures, omp_get_max_threads());
}
END
plays() { play "$1"; ends 0 && prints "$2" && [ ! -s "$dir/err" ]; }
ok 'teams, loops of all schedules, sections, singles, tasks and locks do what they should' plays openmp '0 failures, 4 threads'
same() { [ "$(different 4 "$1")" = 0 ]; }
ok 'and the same in every run' same openmp
threads() { OMP_NUM_THREADS=7 play openmp; prints '0 failures, 7 threads'; }
ok 'OMP_NUM_THREADS says how many threads there are' threads
plain() { SIM_HAZARDS=0 play openmp; prints '0 failures, 4 threads'; }
ok 'without a search for hazards, too' plain

build target -Xcompiler -fopenmp <<'END'
int main()
{
    int x = 0;
#pragma omp target
    x++;
    return x;
}
END
refused() { play target; ends 2 && grep -q '^OpenMP: the simulator does not have target ' "$dir/err"; }
ok 'what is not there is refused by name' refused

build racy -Xcompiler -fopenmp <<'END'
#include <cstdio>
__global__ void add(int *at) { ++*at; }
int main()
{
    int *at;
    cudaMallocManaged(&at, sizeof *at);
    *at = 0;
#pragma omp parallel num_threads(2)
    add<<<1, 1, 0, cudaStreamPerThread>>>(at);
    cudaDeviceSynchronize();
}
END
finds() { play racy; grep -q '^hazard: .*kernel add' "$dir/err"; }
ok 'hazards between the streams of two of its threads are found' finds

build others -std=c++20 <<'END'
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <future>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
__global__ void add(int *at, int value) { at[threadIdx.x] += value; }
/* As programs have it. */
class pool {
public:
    explicit pool(int n)
    {
        for (int i = 0; i < n; i++)
            workers.emplace_back([this] {
                for (;;) {
                    std::unique_lock<std::mutex> lock(mutex);
                    condition.wait(lock, [this] { return stop || !tasks.empty(); });
                    if (stop && tasks.empty())
                        return;
                    auto task = std::move(tasks.front());
                    tasks.pop();
                    lock.unlock();
                    task();
                }
            });
    }
    template <typename F> std::future<int> enqueue(F f)
    {
        auto task = std::make_shared<std::packaged_task<int()>>(f);
        {
            std::lock_guard<std::mutex> lock(mutex);
            tasks.emplace([task] { (*task)(); });
        }
        condition.notify_one();
        return task->get_future();
    }
    ~pool()
    {
        {
            std::lock_guard<std::mutex> lock(mutex);
            stop = true;
        }
        condition.notify_all();
        for (auto &w : workers)
            w.join();
    }
private:
    std::vector<std::thread> workers;
    std::queue<std::function<void()>> tasks;
    std::mutex mutex;
    std::condition_variable condition;
    bool stop = false;
};
static int work(int k)
{
    int *at, *got;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocAsync(&at, sizeof *at, s);
    cudaMemsetAsync(at, 0, sizeof *at, s);
    add<<<1, 1, 0, s>>>(at, k);
    cudaMallocHost(&got, sizeof *got);
    cudaMemcpyAsync(got, at, sizeof *got, cudaMemcpyDeviceToHost, s);
    cudaStreamSynchronize(s);
    cudaFreeAsync(at, s);
    cudaStreamDestroy(s);
    int result = *got;
    cudaFreeHost(got);
    return result;
}
int main()
{
    int sum = 0;
    std::vector<std::future<int>> results;
    for (int i = 0; i < 8; i++)
        results.push_back(std::async(std::launch::async, work, i));
    results.push_back(std::async(std::launch::deferred, work, 100));
    for (auto &r : results)
        sum += r.get();
    printf("%d ", sum);
    {
        pool p(3);
        results.clear();
        for (int i = 0; i < 8; i++)
            results.push_back(p.enqueue([i] { return work(i); }));
        for (auto &r : results)
            sum += r.get();
    }
    int met = 0, values[3];
    std::barrier<std::function<void()>> barrier(3, [&met] { met++; });
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back([&, i] {
            values[i] = work(i);
            barrier.arrive_and_wait();
            if (values[(i + 1) % 3] != (i + 1) % 3)
                printf("too early ");
            barrier.arrive_and_wait();
        });
    for (auto &t : threads)
        t.join();
    printf("%d %d\n", sum, met);
}
END
ok 'std::async, a pool of threads and std::barrier' plays others '128 156 2'
ok 'the same in every run' same others
done_testing
