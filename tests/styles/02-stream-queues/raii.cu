/* SPDX-License-Identifier: MIT */
/* C++: streams and buffers that give themselves back, a lambda for a chain. */
#include <cstring>
#include <memory>
#include <vector>

#include "lesson.h"

namespace {

struct close {
    void operator()(CUstream_st *s) const { CHECK(cudaStreamDestroy(s)); }
    void operator()(unsigned *p) const { CHECK(cudaFreeHost(p)); }
};
using stream = std::unique_ptr<CUstream_st, close>;
using pinned = std::unique_ptr<unsigned, close>;

stream make_stream()
{
    cudaStream_t s;
    CHECK(cudaStreamCreateWithPriority(&s, cudaStreamDefault, 0));
    return stream(s);
}

stream trip_stream;
pinned trip_memory;

class borrowed {
public:
    borrowed() : buffer(take()) { }
    ~borrowed() { give_back(buffer); }
    operator unsigned *() const { return buffer; }
private:
    unsigned *buffer;
};

}

void trip_begin(struct trip *t, const unsigned *in, int n)
{
    size_t bytes = n * sizeof *in;
    t->n = n;
    CHECK(cudaMalloc((void **)&t->device, bytes));
    //> begin
    CHECK(cudaMallocHost((void **)&t->host, bytes));
    trip_memory.reset(t->host);
    trip_stream = make_stream();
    t->stream = trip_stream.get();
    std::copy(in, in + n, t->host);
    CHECK(cudaMemcpyAsync(t->device, t->host, bytes, cudaMemcpyHostToDevice, t->stream));
    void *arguments[] = { &t->device, &n };
    CHECK(cudaLaunchKernel((const void *)mix, dim3(3), dim3(128), arguments, 0, t->stream));
    CHECK(cudaMemcpyAsync(t->host, t->device, bytes, cudaMemcpyDeviceToHost, t->stream));
    //< begin
}

void trip_end(struct trip *t, unsigned *out)
{
    //> end
    cudaError_t status;
    while ((status = cudaStreamQuery(t->stream)) == cudaErrorNotReady)
        host_work(1000);
    CHECK(status);
    std::memcpy(out, t->host, t->n * sizeof *out);
    trip_stream.reset();
    trip_memory.reset();
    //< end
    CHECK(cudaFree(t->device));
}

void two_chains(const struct chain *left, const struct chain *right)
{
    //> chains
    auto go = [](const chain *c, auto kernel, cudaStream_t s) {
        CHECK(cudaMemcpyAsync(c->device, c->in, c->n * sizeof(unsigned), cudaMemcpyHostToDevice, s));
        kernel<<<BLOCKS, THREADS, 0, s>>>(c->device, c->n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(c->out, c->device, c->n * sizeof(unsigned), cudaMemcpyDeviceToHost, s));
    };
    std::vector<stream> streams;
    streams.push_back(make_stream());
    streams.push_back(make_stream());
    go(left, left_step, streams[0].get());
    go(right, right_step, streams[1].get());
    for (auto &s : streams)
        CHECK(cudaStreamSynchronize(s.get()));
    //< chains
}

void absorb_all(const struct batches *b)
{
    size_t bytes = b->n * sizeof *b->slot;
    auto mine = make_stream();
    //> batches
    for (int k = 0; k < b->count; k++) {
        borrowed buffer;
        pack(buffer, k);
        CHECK(cudaMemcpyAsync(b->slot, buffer, bytes, cudaMemcpyHostToDevice, mine.get()));
        absorb<<<BLOCKS, THREADS, 0, mine.get()>>>(b->total, b->slot, b->n);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(mine.get()));
    }
    //< batches
}
