/* SPDX-License-Identifier: MIT */
/* Tasks on managed memory: small ones by the host, large ones by the device, each thread with a stream. */
#include <algorithm>
#include <cstdio>
#include <queue>
#include <thread>
#include <vector>
#include <cuda_runtime.h>

template <typename T> struct Task {
    unsigned size, id;
    T *data = nullptr, *result = nullptr, *vector = nullptr;
    void allocate(unsigned s, unsigned number)
    {
        size = s, id = number;
        cudaMallocManaged(&data, sizeof(T) * size * size);
        cudaMallocManaged(&result, sizeof(T) * size);
        cudaMallocManaged(&vector, sizeof(T) * size);
        for (unsigned i = 0; i < size * size; i++)
            data[i] = (T)(i % 3);
        std::fill(vector, vector + size, (T)2);
    }
};

template <typename T> __global__ void gemv(const T *m, const T *v, T *r, unsigned n)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    T sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += m[row * n + i] * v[i];
    r[row] = sum;
}

template <typename T> void gemv_host(const T *m, const T *v, T *r, unsigned n)
{
    for (unsigned row = 0; row < n; row++) {
        r[row] = 0;
        for (unsigned i = 0; i < n; i++)
            r[row] += m[row * n + i] * v[i];
    }
}

int main()
{
    std::vector<Task<double>> tasks(12);
    for (unsigned i = 0; i < tasks.size(); i++)
        tasks[i].allocate(16 + 16 * (i % 6), i);
    auto work = [&](unsigned tid) {
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        for (unsigned i = tid; i < tasks.size(); i += 3) {
            Task<double> &t = tasks[i];
            if (t.size < 40) {
                cudaStreamAttachMemAsync(stream, t.data, 0, cudaMemAttachHost);
                cudaStreamSynchronize(stream);
                gemv_host(t.data, t.vector, t.result, t.size);
            } else {
                cudaStreamAttachMemAsync(stream, t.data, 0, cudaMemAttachSingle);
                gemv<<<(t.size + 31) / 32, 32, 0, stream>>>(t.data, t.vector, t.result, t.size);
                cudaStreamSynchronize(stream);
            }
        }
        cudaStreamDestroy(stream);
    };
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; i++)
        threads.emplace_back(work, i);
    for (auto &t : threads)
        t.join();
    cudaDeviceSynchronize();
    bool ok = true;
    for (auto &t : tasks) {
        std::vector<double> r(t.size);
        gemv_host(t.data, t.vector, r.data(), t.size);
        ok &= std::equal(r.begin(), r.end(), t.result);
        cudaFree(t.data), cudaFree(t.result), cudaFree(t.vector);
    }
    puts(ok ? "right" : "wrong");
}
