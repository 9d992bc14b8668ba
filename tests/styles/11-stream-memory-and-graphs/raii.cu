/* SPDX-License-Identifier: MIT */
/* C++: scratch memory with a destructor, a threshold that puts itself back, a capture that is a lambda's. */
#include <functional>
#include <memory>

#include "lesson.h"

namespace {

class keeping {
public:
    keeping()
    {
        int device;
        CHECK(cudaGetDevice(&device));
        CHECK(cudaDeviceGetDefaultMemPool(&pool, device));
        CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
        uint64_t all = ~uint64_t(0);
        CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    }
    ~keeping()
    {
        CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &before));
        CHECK(cudaMemPoolTrimTo(pool, 0));
    }
private:
    cudaMemPool_t pool;
    uint64_t before;
};

class scratch {
public:
    scratch(int n, cudaStream_t from, cudaStream_t to) : to(to) { CHECK(cudaMallocAsync((void **)&p, n * sizeof *p, from)); }
    ~scratch() { CHECK(cudaFreeAsync(p, to)); }
    operator unsigned *() const { return p; }
private:
    unsigned *p;
    cudaStream_t to;
};

cudaGraph_t recorded(cudaStream_t s, const std::function<void()> &work)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    work();
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}

struct parts {
    cudaStream_t home, side;
    cudaEvent_t fork, join;
    parts()
    {
        CHECK(cudaStreamCreate(&home));
        CHECK(cudaStreamCreate(&side));
        CHECK(cudaEventCreate(&fork));
        CHECK(cudaEventCreate(&join));
    }
    ~parts()
    {
        CHECK(cudaStreamDestroy(home));
        CHECK(cudaStreamDestroy(side));
        CHECK(cudaEventDestroy(fork));
        CHECK(cudaEventDestroy(join));
    }
    cudaGraph_t run(const work &w) const
    {
        return recorded(home, [&] {
            split<<<BLOCKS, THREADS, 0, home>>>(w);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(fork, home));
            CHECK(cudaStreamWaitEvent(side, fork, 0));
            to_left<<<BLOCKS, THREADS, 0, side>>>(w);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(join, side));
            to_right<<<BLOCKS, THREADS, 0, home>>>(w);
            CHECK(cudaGetLastError());
            CHECK(cudaStreamWaitEvent(home, join, 0));
            merge<<<BLOCKS, THREADS, 0, home>>>(w);
            CHECK(cudaGetLastError());
        });
    }
};

}

void frames_all(const struct frames *f)
{
    //> frames
    keeping kept;
    const unsigned *in = f->in;
    for (int k = 0; k < f->count; in += f->n[k++]) {
        {
            scratch s(f->n[k], f->stream, f->stream);
            spread<<<BLOCKS, THREADS, 0, f->stream>>>(s, in, f->n[k]);
            CHECK(cudaGetLastError());
            gather<<<BLOCKS, THREADS, 0, f->stream>>>(f->out, s, f->n[k]);
            CHECK(cudaGetLastError());
        }
        cudaEvent_t done;
        CHECK(cudaEventCreate(&done));
        CHECK(cudaEventRecord(done, f->stream));
        CHECK(cudaEventSynchronize(done));
        CHECK(cudaEventDestroy(done));
        look(k);
    }
    //< frames
}

void relay_all(const struct relay *r)
{
    //> relay
    for (int k = 0; k < r->rounds; k++) {
        scratch s(r->n, r->two, r->two);
        cudaEvent_t there, filled;
        CHECK(cudaEventCreate(&there));
        CHECK(cudaEventCreate(&filled));
        CHECK(cudaEventRecord(there, r->two));
        CHECK(cudaStreamWaitEvent(r->one, there, 0));
        fill<<<BLOCKS, THREADS, 0, r->one>>>(s, r->in + k * r->n, r->n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(filled, r->one));
        CHECK(cudaStreamWaitEvent(r->two, filled, 0));
        drain<<<BLOCKS, THREADS, 0, r->two>>>(r->out + k * r->n, s, r->n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventDestroy(there));
        CHECK(cudaEventDestroy(filled));
    }
    //< relay
}

//> replay
void pipeline_open(struct pipeline *p, const struct work *w)
{
    p->w = *w;
    auto *all = new parts;
    p->more = all;
    p->graph = all->run(p->w);
    CHECK(cudaGraphInstantiate(&p->ready, p->graph, 0));
    CHECK(cudaGraphDestroy(p->graph));
}

void pipeline_run(struct pipeline *p, cudaStream_t stream)
{
    CHECK(cudaGraphLaunch(p->ready, stream));
}

void pipeline_close(struct pipeline *p)
{
    CHECK(cudaGraphExecDestroy(p->ready));
    delete static_cast<parts *>(p->more);
}
//< replay

void pipeline_gain(struct pipeline *p, unsigned gain)
{
    //> update
    p->w.gain = gain;
    cudaGraphExecUpdateResultInfo info;
    cudaGraph_t changed = static_cast<parts *>(p->more)->run(p->w);
    CHECK(cudaGraphExecUpdate(p->ready, changed, &info));
    CHECK(cudaGraphDestroy(changed));
    //< update
}
