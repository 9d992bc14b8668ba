/* SPDX-License-Identifier: MIT */
/* C++ throughout: events that destroy themselves, a stream of its own for each
 * branch, blocking-sync events, records with flags, a lambda that times. */
#include <memory>
#include <numeric>

#include "lesson.h"

struct destroy {
    void operator()(cudaEvent_t e) const { CHECK(cudaEventDestroy(e)); }
    void operator()(cudaStream_t s) const { CHECK(cudaStreamDestroy(s)); }
};
using event = std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, destroy>;
using stream = std::unique_ptr<std::remove_pointer_t<cudaStream_t>, destroy>;

static event make_event(unsigned flags)
{
    cudaEvent_t e;
    CHECK(cudaEventCreate(&e, flags));
    return event(e);
}

static stream make_stream()
{
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    return stream(s);
}

/* `then` goes on after what is in `first`. */
static void follow(cudaStream_t then, cudaStream_t first)
{
    auto e = make_event(cudaEventDisableTiming);
    CHECK(cudaEventRecordWithFlags(e.get(), first, cudaEventRecordDefault));
    CHECK(cudaStreamWaitEvent(then, e.get()));
}

float time_kernel(const unsigned *in, unsigned *out, unsigned *data, int n, long long kernel_ns, cudaStream_t s)
{
    float ms = 0;
    //> timing
    size_t bytes = n * sizeof *data;
    auto begin = make_event(cudaEventDefault), end = make_event(cudaEventBlockingSync),
         all = make_event(cudaEventBlockingSync | cudaEventDisableTiming);
    auto timed = [&](auto queue) {
        CHECK(cudaEventRecordWithFlags(begin.get(), s));
        queue();
        CHECK(cudaEventRecordWithFlags(end.get(), s));
    };
    CHECK(cudaMemcpyAsync(data, in, bytes, cudaMemcpyHostToDevice, s));
    timed([&] { scramble<<<blocks_for(n), THREADS, 0, s>>>(data, n, kernel_ns); });
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(out, data, bytes, cudaMemcpyDeviceToHost, s));
    CHECK(cudaEventRecord(all.get(), s));
    CHECK(cudaEventSynchronize(all.get()));
    CHECK(cudaEventElapsedTime(&ms, begin.get(), end.get()));
    //< timing
    return ms;
}

void diamond(const struct diamond *x, cudaStream_t one, cudaStream_t two)
{
    //> diamond
    (void)two;
    int blocks = blocks_for(x->n);
    stream left = make_stream(), right = make_stream();
    stage_a<<<blocks, THREADS, 0, one>>>(*x);
    follow(left.get(), one);
    follow(right.get(), one);
    stage_c<<<blocks, THREADS, 0, right.get()>>>(*x);
    stage_b<<<blocks, THREADS, 0, left.get()>>>(*x);
    follow(one, left.get());
    follow(one, right.get());
    stage_d<<<blocks, THREADS, 0, one>>>(*x);
    CHECK(cudaGetLastError());
    //< diamond
}

void work_until_done(const struct job *job, struct progress *p)
{
    //> slices
    auto arrived = make_event(cudaEventBlockingSync | cudaEventDisableTiming);
    int blocks = blocks_for(job->n);
    scramble<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->scramble_ns);
    CHECK(cudaMemcpyAsync(job->result, job->data, job->n * sizeof(unsigned), cudaMemcpyDefault, job->stream));
    CHECK(cudaEventRecordWithFlags(arrived.get(), job->stream, cudaEventRecordDefault));
    clear<<<blocks, THREADS, 0, job->stream>>>(job->data, job->n, job->clear_ns);
    CHECK(cudaGetLastError());
    for (p->slices = 0; cudaEventQuery(arrived.get()) != cudaSuccess; p->slices++)
        host_work(job->slice_ns);
    CHECK(cudaEventSynchronize(arrived.get()));
    p->sum = std::accumulate(job->result, job->result + job->n, 0ull);
    //< slices
}
