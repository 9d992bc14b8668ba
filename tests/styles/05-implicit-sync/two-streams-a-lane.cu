/* SPDX-License-Identifier: MIT */
/* The answers of part (a) measured with the clock alone; two streams for each
 * lane, which events join: copies back do not hold the next frame up. */
#include "lesson.h"

void classify(struct effect effect[SUBJECTS])
{
    //> classify
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    for (int k = 0; k < SUBJECTS; k++) {
        long_one<<<1, 1, 0, a>>>();
        CHECK(cudaGetLastError());
        long long start = now_ns();
        make_call((enum subject)k, b);
        long long back = now_ns();
        short_one<<<1, 1, 0, b>>>();
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(b));
        long long ran = now_ns();
        CHECK(cudaStreamSynchronize(a));
        effect[k].host = 2 * (back - start) > LONG_NS;
        effect[k].device = 2 * (ran - start) > LONG_NS;
    }
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    //< classify
}

struct lane {
    cudaStream_t work, back;
    cudaEvent_t developed, kept;
    unsigned *in, *out, *result;
};

void develop(const struct frames *f)
{
    size_t bytes = f->n * sizeof(unsigned);
    struct lane lanes[LANES];
    //> open
    for (int k = 0; k < LANES; k++) {
        CHECK(cudaStreamCreate(&lanes[k].work));
        CHECK(cudaStreamCreate(&lanes[k].back));
        CHECK(cudaEventCreate(&lanes[k].developed));
        CHECK(cudaEventCreate(&lanes[k].kept));
        CHECK(cudaMalloc((void **)&lanes[k].in, bytes));
        CHECK(cudaMalloc((void **)&lanes[k].out, bytes));
        CHECK(cudaMallocHost((void **)&lanes[k].result, bytes));
    }
    //< open
    //> frame
    for (int k = 0; k < f->count + LANES; k++) {
        struct lane *l = &lanes[k % LANES];
        if (k >= LANES && k - LANES < f->count) {
            CHECK(cudaEventSynchronize(l->kept));
            hand_over(k - LANES, l->result);
        }
        if (k >= f->count)
            continue;
        CHECK(cudaMemcpyAsync(l->in, f->in + (size_t)k * f->n, bytes, cudaMemcpyDefault, l->work));
        CHECK(cudaMemcpyToSymbolAsync(lane_gain, &f->gain[k], sizeof(unsigned), k % LANES * sizeof(unsigned), cudaMemcpyHostToDevice, l->work));
        CHECK(cudaStreamWaitEvent(l->work, l->kept, 0));
        CHECK(cudaMemsetAsync(l->out, 0, bytes, l->work));
        develop_frame<<<BLOCKS, THREADS, 0, l->work>>>(l->out, l->in, k % LANES, f->n);
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(l->developed, l->work));
        CHECK(cudaStreamWaitEvent(l->back, l->developed, 0));
        CHECK(cudaMemcpyAsync(f->archive + (size_t)k * f->n, l->out, bytes, cudaMemcpyDefault, l->back));
        CHECK(cudaMemcpyAsync(l->result, l->out, bytes, cudaMemcpyDefault, l->back));
        CHECK(cudaEventRecord(l->kept, l->back));
    }
    //< frame
    //> close
    for (int k = 0; k < LANES; k++) {
        CHECK(cudaStreamDestroy(lanes[k].work));
        CHECK(cudaStreamDestroy(lanes[k].back));
        CHECK(cudaEventDestroy(lanes[k].developed));
        CHECK(cudaEventDestroy(lanes[k].kept));
        CHECK(cudaFree(lanes[k].in));
        CHECK(cudaFree(lanes[k].out));
        CHECK(cudaFreeHost(lanes[k].result));
    }
    //< close
}
