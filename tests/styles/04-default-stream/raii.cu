/* SPDX-License-Identifier: MIT */
/* C++: streams that wait and give themselves back, a function that joins two. */
//> build
//< build
/*
 * Lesson 04: the stream that nobody made.
 *
 * Grade it:  make lesson04        Run it:  make run04
 * Read:      lessons/04-default-stream/chapter.md; lesson.h beside it is the
 *            contract, with the kernels.
 */
#include <memory>

#include "lesson.h"

namespace {

class stream {
public:
    explicit stream(unsigned flags) { CHECK(cudaStreamCreateWithFlags(&s, flags)); }
    ~stream() { CHECK(cudaStreamSynchronize(s)); CHECK(cudaStreamDestroy(s)); }
    stream(const stream &) = delete;
    operator cudaStream_t() const { return s; }
private:
    cudaStream_t s;
};

/* Lets `later` wait for what is in `earlier` now; the event may be destroyed while somebody waits for it. */
void joins(cudaStream_t later, cudaStream_t earlier)
{
    struct close { void operator()(CUevent_st *e) const { CHECK(cudaEventDestroy(e)); } };
    cudaEvent_t e;
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    std::unique_ptr<CUevent_st, close> event(e);
    CHECK(cudaEventRecord(e, earlier));
    CHECK(cudaStreamWaitEvent(later, e));
}

}

/*
 * (a) An event in `second`, behind a kernel in `first`: does it wait?
 */
static bool is_held(cudaStream_t first, cudaStream_t second)
{
    bool held = false;
    //> held
    cudaEvent_t event;
    CHECK(cudaEventCreate(&event));
    long_one<<<1, 1, 0, first>>>();
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(event, second));
    CHECK(cudaEventSynchronize(event));
    held = cudaStreamQuery(first) == cudaSuccess;   // not ErrorNotReady: the kernel is done already
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventDestroy(event));
    //< held
    return held;
}

void who_waits(const cudaStream_t stream[KINDS], bool waits[KINDS][KINDS])
{
    for (int first = 0; first < KINDS; first++)
        for (int second = 0; second < KINDS; second++)
            waits[first][second] = is_held(stream[first], stream[second]);
}

/*
 * (b) Your kernels beside vendor_blur(), in the one order that matters.
 */
void print_photo(const struct photo *p)
{
    //> photo
    stream chain(cudaStreamNonBlocking), beside(cudaStreamNonBlocking);
    make_grain<<<BLOCKS, THREADS, 0, beside>>>(p->grain, p->raw, p->n);
    CHECK(cudaGetLastError());
    develop<<<BLOCKS, THREADS, 0, chain>>>(p->image, p->raw, p->n);
    CHECK(cudaGetLastError());
    joins(cudaStreamLegacy, chain);
    vendor_blur(p->image, p->n);
    joins(chain, cudaStreamLegacy);
    joins(chain, beside);
    void *arguments[] = { (void *)&p->print, (void *)&p->image, (void *)&p->grain, (void *)&p->n };
    CHECK(cudaLaunchKernel((const void *)merge, dim3(BLOCKS), dim3(THREADS), arguments, 0, chain));
    //< photo
}

/*
 * (c) What each of four host threads does, all at the same time.
 */
void do_job(const struct job *job)
{
    size_t bytes = job->n * sizeof *job->in;
    //> job
    stream mine(cudaStreamDefault);
    CHECK(cudaMemcpyAsync(job->device, job->in, bytes, cudaMemcpyHostToDevice, mine));
    wash<<<BLOCKS, THREADS, 0, mine>>>(job->device, job->n);
    rinse<<<BLOCKS, THREADS, 0, mine>>>(job->device, job->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(job->out, job->device, bytes, cudaMemcpyDeviceToHost, mine));
    //< job
}
