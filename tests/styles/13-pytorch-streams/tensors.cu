/* SPDX-License-Identifier: MIT */
/* Objects: an event that goes with its scope; a tensor that remembers who reads it, as record_stream() has it do. Batches are registered where they lie, and each goes into memory of the pool. */
#include <utility>
#include <vector>

#include "lesson.h"

namespace {

class event {
    cudaEvent_t e;

public:
    event() { CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming)); }
    event(event &&other) noexcept : e(std::exchange(other.e, nullptr)) {}
    event(const event &) = delete;
    ~event()
    {
        if (e)
            CHECK(cudaEventDestroy(e));
    }
    void record(cudaStream_t s) { CHECK(cudaEventRecord(e, s)); }
    void hold(cudaStream_t s) const { CHECK(cudaStreamWaitEvent(s, e, 0)); }
};

class tensor {
    unsigned *at;
    cudaStream_t home;
    std::vector<event> readers;

public:
    tensor(int n, cudaStream_t s) : home(s) { CHECK(cudaMallocAsync((void **)&at, n * sizeof *at, s)); }
    tensor(tensor &&other) noexcept : at(std::exchange(other.at, nullptr)), home(other.home), readers(std::move(other.readers)) {}
    tensor(const tensor &) = delete;
    /* Before its bytes go back its own stream waits for the others. */
    ~tensor()
    {
        for (const event &e : readers)
            e.hold(home);
        if (at)
            CHECK(cudaFreeAsync(at, home));
    }
    void record_stream(cudaStream_t s) { readers.emplace_back().record(s); }
    void settle_in(cudaStream_t s) { home = s; }
    unsigned *data() const { return at; }
};

}

void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    //> wait
    event passed;
    passed.record(other);
    passed.hold(waiter);
    //< wait
}

void sum_beside(cudaStream_t current, cudaStream_t side, unsigned *x, unsigned *y, unsigned *sum, int n)
{
    //> beside
    event made, summed;
    produce<<<2 * BLOCKS, THREADS / 2, 0, current>>>(x, n);
    made.record(current);
    other_work<<<BLOCKS, THREADS, 0, current>>>(y, n);      // queued first, and the sum does not wait for it
    made.hold(side);
    total<<<BLOCKS, THREADS, 0, side>>>(sum, x, n);
    summed.record(side);
    summed.hold(current);
    settle<<<BLOCKS, THREADS, 0, current>>>(x, sum, n);
    CHECK(cudaGetLastError());
    //< beside
}

void audit_all(cudaStream_t current, cudaStream_t side, unsigned *sums, const unsigned *data, int n, int count)
{
    //> audit
    std::vector<tensor> alive;
    for (int k = 0; k < count; k++) {
        if (alive.size() == 2)
            alive = [&] { std::vector<tensor> rest; rest.push_back(std::move(alive[1])); return rest; }();
        alive.emplace_back(n, current);
        tensor &block = alive.back();
        fill<<<BLOCKS, THREADS, 0, current>>>(block.data(), data + (size_t)k * n, n);
        wait_stream(side, current);
        audit<<<BLOCKS, THREADS, 0, side>>>(&sums[k], block.data(), n);
        CHECK(cudaGetLastError());
        block.record_stream(side);
    }
    //< audit
}

void loader_open(struct loader *l, const unsigned *batches, int n, int count)
{
    //> open
    l->batches = batches;
    l->n = n;
    l->count = count;
    CHECK(cudaHostRegister((void *)batches, (size_t)n * count * sizeof *batches, cudaHostRegisterDefault));
    CHECK(cudaStreamCreateWithFlags(&l->side, cudaStreamNonBlocking));
    //< open
}

void loader_run(struct loader *l, cudaStream_t current, unsigned *state)
{
    //> run
    for (int k = 0; k < l->count; k++) {
        tensor batch(l->n, l->side);
        batch.settle_in(current);               // freed there: behind the model
        CHECK(cudaMemcpyAsync(batch.data(), l->batches + (size_t)k * l->n, l->n * sizeof *state, cudaMemcpyHostToDevice, l->side));
        wait_stream(current, l->side);
        model<<<BLOCKS, THREADS, 0, current>>>(state, batch.data(), l->n);
        CHECK(cudaGetLastError());
    }
    //< run
}

void loader_close(struct loader *l)
{
    //> close
    CHECK(cudaStreamDestroy(l->side));
    CHECK(cudaHostUnregister((void *)l->batches));
    //< close
}
