/* SPDX-License-Identifier: MIT */
/* C++ throughout: streams that close themselves, chunks in a vector, the three
 * operations as lambdas; more streams than chunks need, all non-blocking. */
#include <algorithm>
#include <memory>
#include <vector>

#include "lesson.h"

using namespace std;

namespace {

class Stream {
public:
    Stream() { CHECK(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
    ~Stream() { CHECK(cudaStreamDestroy(handle)); }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    operator cudaStream_t() const { return handle; }
    void wait() const { CHECK(cudaStreamSynchronize(handle)); }

private:
    cudaStream_t handle;
};

struct Chunk {
    size_t first, count;
    shared_ptr<Stream> stream;
};

vector<Chunk> cut(size_t n, size_t chunks, size_t streams)
{
    vector<shared_ptr<Stream>> pool(streams);
    generate(pool.begin(), pool.end(), [] { return make_shared<Stream>(); });
    vector<Chunk> all;
    const size_t size = n / chunks + 1;
    for (size_t first = 0; first < n; first += size)
        all.push_back({first, min(size, n - first), pool[all.size() % streams]});
    return all;
}

template <typename Order>
void process(const float *in, float *out, float *device, size_t n, size_t chunks, size_t streams, Order order)
{
    auto all = cut(n, chunks, streams);
    auto load = [=](const Chunk &c) {
        CHECK(cudaMemcpyAsync(device + c.first, in + c.first, c.count * sizeof *in, cudaMemcpyDefault, *c.stream));
    };
    auto compute = [=](const Chunk &c) {
        const dim3 grid((c.count + BLOCK - 1) / BLOCK), block(BLOCK);
        brighten<<<grid, block, 0, *c.stream>>>(device, c.first, c.count);
        CHECK(cudaGetLastError());
    };
    auto store = [=](const Chunk &c) {
        CHECK(cudaMemcpyAsync(out + c.first, device + c.first, c.count * sizeof *out, cudaMemcpyDefault, *c.stream));
    };
    order(all, load, compute, store);
    for (auto &c : all)
        c.stream->wait();
}

}

float *host_buffer(int n)
{
    void *buffer = nullptr;
    CHECK(cudaMallocHost(&buffer, n * sizeof(float)));
    return static_cast<float *>(buffer);
}

void free_host_buffer(float *buffer)
{
    CHECK(cudaFreeHost(buffer));
}

void depth_first(const float *in, float *out, float *device, int n)
{
    process(in, out, device, n, STREAMS, 4, [](auto &all, auto load, auto compute, auto store) {
        for (auto &c : all) {
            load(c);
            compute(c);
            store(c);
        }
    });
}

void breadth_first(const float *in, float *out, float *device, int n)
{
    process(in, out, device, n, STREAMS, 4, [](auto &all, auto load, auto compute, auto store) {
        for_each(all.begin(), all.end(), load);
        for_each(all.begin(), all.end(), compute);
        for_each(all.begin(), all.end(), store);
    });
}

void pipeline(const float *in, float *out, float *device, int n)
{
    process(in, out, device, n, 11, 4, [](auto &all, auto load, auto compute, auto store) {
        load(all.front());
        for (size_t k = 0; k < all.size(); k++) {
            if (k + 1 < all.size())
                load(all[k + 1]);
            compute(all[k]);
            store(all[k]);
        }
    });
}

void chains(float *rows, int count)
{
    vector<Stream> stream(CHAINS);
    for (int step = 0; step < STEPS; step++)
        for (int chain = CHAINS - 1; chain >= 0; chain--) {
            chain_step<<<1, BLOCK, 0, stream[chain]>>>(rows, count, chain, step);
            CHECK(cudaGetLastError());
        }
    for (auto &s : stream)
        s.wait();
}
