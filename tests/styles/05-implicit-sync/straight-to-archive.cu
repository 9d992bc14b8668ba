/* SPDX-License-Identifier: MIT */
/* Every frame has its own place everywhere: developed in the archive itself,
 * brought back at the end, one event a frame; C++. */
#include <vector>

#include "lesson.h"

void classify(struct effect effect[SUBJECTS])
{
    //> classify
    struct streams {
        cudaStream_t a, b;
        streams() { CHECK(cudaStreamCreate(&a)); CHECK(cudaStreamCreate(&b)); }
        ~streams() { CHECK(cudaStreamDestroy(a)); CHECK(cudaStreamDestroy(b)); }
    } s;
    auto done = [&] { return cudaStreamQuery(s.a) == cudaSuccess; };
    for (int k = 0; k < SUBJECTS; k++) {
        long_one<<<1, 1, 0, s.a>>>();
        CHECK(cudaGetLastError());
        make_call(static_cast<subject>(k), s.b);
        bool host = done();
        short_one<<<1, 1, 0, s.b>>>();
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(s.b));
        effect[k] = { host, done() };
        CHECK(cudaDeviceSynchronize());
    }
    //< classify
}

void develop(const struct frames *f)
{
    //> open
    size_t bytes = f->n * sizeof(unsigned), all = f->count * bytes;
    unsigned *in, *results;
    CHECK(cudaMalloc((void **)&in, all));
    CHECK(cudaMallocHost((void **)&results, all));
    std::vector<cudaStream_t> stream(LANES);
    std::vector<cudaEvent_t> arrived(f->count);
    for (auto &s : stream)
        CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    for (auto &e : arrived)
        CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    //< open
    //> frame
    for (int k = 0; k < f->count; k++) {
        cudaStream_t s = stream[k % LANES];
        unsigned *place = f->archive + (size_t)k * f->n;
        CHECK(cudaMemsetAsync(place, 0, bytes, s));
        CHECK(cudaMemcpyAsync(in + (size_t)k * f->n, f->in + (size_t)k * f->n, bytes, cudaMemcpyHostToDevice, s));
        CHECK(cudaMemcpyToSymbolAsync(lane_gain, f->gain + k, sizeof(unsigned), k % LANES * sizeof(unsigned), cudaMemcpyHostToDevice, s));
        develop_frame<<<BLOCKS, THREADS, 0, s>>>(place, in + (size_t)k * f->n, k % LANES, f->n);
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(results + (size_t)k * f->n, place, bytes, cudaMemcpyDeviceToHost, s));
        CHECK(cudaEventRecord(arrived[k], s));
    }
    CHECK(cudaGetLastError());
    for (int k = 0; k < f->count; k++) {
        CHECK(cudaEventSynchronize(arrived[k]));
        hand_over(k, results + (size_t)k * f->n);
    }
    //< frame
    //> close
    for (auto &e : arrived)
        CHECK(cudaEventDestroy(e));
    for (auto &s : stream)
        CHECK(cudaStreamDestroy(s));
    CHECK(cudaFree(in));
    CHECK(cudaFreeHost(results));
    //< close
}
