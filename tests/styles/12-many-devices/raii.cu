/* SPDX-License-Identifier: MIT */
/* Objects that make a device current and set the old one again. Shares in two chunks each; batches are pushed across, from two buffers. */
#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "lesson.h"

/* (a) What goes across from one device to another? */
void across(int yes[QUESTIONS])
{
    //> across
    yes[RECORD_THERE] = 0;      // an event is recorded in streams of its own device
    yes[WAIT_THERE] = 1;        // and waited for everywhere
    yes[ELAPSED_BETWEEN] = 0;   // two devices have two clocks
    yes[LAUNCH_THERE] = 1;      // it runs where the stream is
    yes[COPY_THERE] = 1;
    yes[STREAM_SYNC_THERE] = 1;
    yes[DEVICE_SYNC_THERE] = 0; // the current device alone
    yes[DEFAULT_THERE] = 0;     // each device has its own
    yes[NEW_THREAD] = 0;        // every thread begins with device 0
    //< across
}


namespace {

class current {
    int before;

public:
    explicit current(int device)
    {
        CHECK(cudaGetDevice(&before));
        CHECK(cudaSetDevice(device));
    }
    ~current() { CHECK(cudaSetDevice(before)); }
    current(const current &) = delete;
};

struct place {
    int device;
    cudaStream_t stream;
    cudaEvent_t done;
    unsigned *x;

    place(int device, size_t elements) : device(device)
    {
        current c(device);
        CHECK(cudaStreamCreate(&stream));
        CHECK(cudaEventCreate(&done));
        CHECK(cudaMalloc((void **)&x, elements * sizeof *x));
    }
    ~place()
    {
        current c(device);
        CHECK(cudaFree(x));
        CHECK(cudaEventDestroy(done));
        CHECK(cudaStreamDestroy(stream));
    }
    place(const place &) = delete;
    void record() { CHECK(cudaEventRecord(done, stream)); }
    void wait_for(const place &other) { CHECK(cudaStreamWaitEvent(stream, other.done, 0)); }
};

std::map<const struct team *, std::vector<std::unique_ptr<place>>> hands;

struct belt {
    place first[2], second[2];
    belt(int from, int to, int n) : first{ { from, (size_t)n }, { from, (size_t)n } }, second{ { to, (size_t)n }, { to, (size_t)n } } {}
};

}

void team_open(struct team *t, int most)
{
    //> open
    CHECK(cudaGetDeviceCount(&t->count));
    for (int d = 0; d < 2 * t->count; d++)
        hands[t].emplace_back(new place(d / 2, most / (2 * t->count) + 1));
    //< open
}

void team_run(struct team *t, unsigned *out, const unsigned *in, int n)
{
    //> run
    auto &mine = hands[t];
    int chunks = (int)mine.size();
    for (int k = 0; k < chunks; k++) {
        place &p = *mine[k];
        long long first = 1ll * n * k / chunks, m = 1ll * n * (k + 1) / chunks - first;
        current c(p.device);
        CHECK(cudaMemcpyAsync(p.x, in + first, m * sizeof *in, cudaMemcpyDefault, p.stream));
        if (k % 2 == 1)
            p.wait_for(*mine[k - 1]);          /* one chunk of a device after the other */
        scramble<<<BLOCKS, THREADS, 0, p.stream>>>(p.x, (int)m);
        CHECK(cudaGetLastError());
        p.record();
        CHECK(cudaMemcpyAsync(out + first, p.x, m * sizeof *out, cudaMemcpyDefault, p.stream));
    }
    for (auto &p : mine)
        CHECK(cudaStreamSynchronize(p->stream));
    //< run
}

void team_close(struct team *t)
{
    hands.erase(t);
}

void line_open(struct line *l, int n)
{
    //> line
    int can;
    l->more = new belt(l->device[0], l->device[1], n);
    CHECK(cudaDeviceCanAccessPeer(&can, l->device[0], l->device[1]));
    if (can) {
        current c(l->device[0]);
        cudaError_t status = cudaDeviceEnablePeerAccess(l->device[1], 0);
        if (status == cudaErrorPeerAccessAlreadyEnabled)
            cudaGetLastError();
        else
            CHECK(status);
    }
    //< line
}

void line_run(struct line *l, unsigned *out, const unsigned *in, int n, int batches)
{
    //> hands
    belt *b = (belt *)l->more;
    size_t bytes = n * sizeof *in;
    for (int k = 0; k < batches; k++) {
        place &p = b->first[k % 2], &q = b->second[k % 2];
        {
            current c(p.device);
            CHECK(cudaMemcpyAsync(p.x, in + 1ll * k * n, bytes, cudaMemcpyHostToDevice, p.stream));
            if (k > 0)
                p.wait_for(b->first[(k - 1) % 2]);      /* one press at a time */
            press<<<BLOCKS, THREADS, 0, p.stream>>>(p.x, n);
            p.wait_for(q);                              /* q has been copied out */
            CHECK(cudaMemcpyAsync(q.x, p.x, bytes, cudaMemcpyDefault, p.stream));
            p.record();
        }
        current c(q.device);
        q.wait_for(p);
        polish<<<BLOCKS, THREADS, 0, q.stream>>>(q.x, q.x, n);
        CHECK(cudaMemcpyAsync(out + 1ll * k * n, q.x, bytes, cudaMemcpyDeviceToHost, q.stream));
        q.record();
    }
    for (place &q : b->second)
        CHECK(cudaStreamSynchronize(q.stream));
    //< hands
}

void line_close(struct line *l)
{
    delete (belt *)l->more;
}
