/* SPDX-License-Identifier: MIT */
/* predict.cu - one event, recorded twice: which record does a wait take?
 *
 *   build/bin/simcc -Icommon -o predict lessons/03-events/demos/predict.cu && ./predict */
#include "../lesson.h"

static const int n = 10001;
static unsigned *left, *right;

static void work(cudaStream_t stream, unsigned *data, int ms)
{
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, ms * 1000000LL);
    CHECK(cudaGetLastError());
}

int main(void)
{
    cudaStream_t a, b;
    cudaEvent_t e;
    CHECK(cudaMalloc(&left, n * sizeof *left));
    CHECK(cudaMalloc(&right, n * sizeof *right));
    CHECK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));

    label_push("predict");
    //> predict
    CHECK(cudaStreamWaitEvent(b, e, 0));
    work(b, right, 1);                      // 1 ms in stream b
    work(a, left, 2);                       // 2 ms in stream a
    CHECK(cudaEventRecord(e, a));
    work(a, left, 2);
    CHECK(cudaStreamWaitEvent(b, e, 0));
    CHECK(cudaEventRecord(e, a));
    work(b, right, 1);
    CHECK(cudaStreamWaitEvent(b, e, 0));
    work(b, right, 1);
    //< predict
    CHECK(cudaDeviceSynchronize());
    label_pop();

    CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaFree(left));
    CHECK(cudaFree(right));
    return 0;
}
