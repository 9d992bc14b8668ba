/* SPDX-License-Identifier: MIT */
/* A stream is an object that gives itself back; the range is asked for once. */
#include "lesson.h"

#include <algorithm>

namespace {

struct range {
    int least, greatest;
    range() { CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest)); }
};

class stream {
    cudaStream_t handle;

public:
    explicit stream(int priority) { CHECK(cudaStreamCreateWithPriority(&handle, cudaStreamNonBlocking, priority)); }
    ~stream() { CHECK(cudaStreamDestroy(handle)); }
    stream(const stream &) = delete;
    operator cudaStream_t() const { return handle; }
    void wait() const { CHECK(cudaStreamSynchronize(handle)); }
};

const range &here()
{
    static const range r;
    return r;
}

stream *low, *high;

}

void find_levels(struct levels *l)
{
    *l = { here().least, here().greatest, 1 + here().least - here().greatest };
}

/* What the reference says of numbers outside the range. */
int granted(int wish)
{
    return std::clamp(wish, here().greatest, here().least);
}

void service_open(struct service *)
{
    low = new stream(here().least);
    high = new stream(here().greatest);
}

void bulk_begin(struct service *, const struct bulk *b)
{
    crunch<<<b->tiles, THREADS, b->shared, *low>>>(b->out, b->in, b->n, b->tiles, 0);
    CHECK(cudaGetLastError());
}

void answer(struct service *, const struct request *r)
{
    size_t bytes = r->n * sizeof *r->in;
    CHECK(cudaMemcpyAsync(r->device, r->in, bytes, cudaMemcpyHostToDevice, *high));
    reply<<<4, 256, r->shared, *high>>>(r->device, r->n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, *high));
    high->wait();
}

void service_close(struct service *)
{
    low->wait();
    delete low;
    delete high;
}

/* Asks the stream: with nothing in it, the next launch. */
void grind_all(struct service *s, const struct batch *b)
{
    const long long each = (b->patience_ns - b->setup_ns) / b->item_ns;
    long long first = 0;
    for (int answered = 0; first < b->items || answered < b->requests;) {
        struct request r;
        if (request_came(&r)) {
            answer(s, &r);
            hand_out(&r);
            answered++;
        } else if (first < b->items && cudaStreamQuery(*low) == cudaSuccess) {
            grind<<<(int)std::min<long long>(b->wave, (b->items - first + each - 1) / each), THREADS, b->shared, *low>>>(
                *b, (int)first, (int)each);
            CHECK(cudaGetLastError());
            first += b->wave * each;
        }
    }
    CHECK(cudaStreamSynchronize(*low));
}
