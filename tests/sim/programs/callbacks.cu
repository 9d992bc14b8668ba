/* SPDX-License-Identifier: MIT */
/* Workloads of several host threads, each continued by a host function of its stream. */
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>
#include <cuda_runtime.h>

enum { WORKLOADS = 8, N = 4096 };

struct workload { int id, *h, *d; bool ok; cudaStream_t stream; };

static std::mutex mutex;
static std::condition_variable done;
static int finished;

__global__ void add_factor(int *data, int n, int factor)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        data[i] += factor;
}

static void check(workload *w)
{
    w->ok = true;
    for (int i = 0; i < N; i++)
        w->ok &= w->h[i] == i + w->id;
    std::lock_guard<std::mutex> lock(mutex);
    finished++;
    done.notify_one();
}

static void CUDART_CB copied_back(void *data)
{
    std::thread(check, static_cast<workload *>(data)).detach();
}

static void launch(workload *w)
{
    cudaStreamCreate(&w->stream);
    cudaMalloc(&w->d, N * sizeof(int));
    cudaHostAlloc(&w->h, N * sizeof(int), cudaHostAllocPortable);
    for (int i = 0; i < N; i++)
        w->h[i] = i;
    cudaMemcpyAsync(w->d, w->h, N * sizeof(int), cudaMemcpyHostToDevice, w->stream);
    add_factor<<<4, 256, 0, w->stream>>>(w->d, N, w->id);
    cudaMemcpyAsync(w->h, w->d, N * sizeof(int), cudaMemcpyDeviceToHost, w->stream);
    cudaLaunchHostFunc(w->stream, copied_back, w);
}

int main()
{
    std::vector<workload> all(WORKLOADS);
    std::vector<std::thread> threads;
    for (int i = 0; i < WORKLOADS; i++) {
        all[i].id = i;
        threads.emplace_back(launch, &all[i]);
    }
    for (auto &t : threads)
        t.join();
    std::unique_lock<std::mutex> lock(mutex);
    done.wait(lock, [] { return finished == WORKLOADS; });
    bool ok = true;
    for (auto &w : all) {
        ok &= w.ok;
        cudaStreamSynchronize(w.stream);
        cudaStreamDestroy(w.stream);
        cudaFree(w.d);
        cudaFreeHost(w.h);
    }
    puts(ok ? "right" : "wrong");
}
