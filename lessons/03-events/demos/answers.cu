/* SPDX-License-Identifier: MIT */
/* answers.cu - what events answer when they have nothing to tell.
 *
 *   build/bin/simcc -Icommon -o answers lessons/03-events/demos/answers.cu && ./answers */
#include <stdio.h>

#include "../lesson.h"

#define SAY(call) printf("%-44s %s\n", #call, cudaGetErrorName(call))

int main(void)
{
    const int n = 10001;
    float ms;
    unsigned *data;
    cudaStream_t stream, other;
    cudaEvent_t begin, end, never, untimed;
    CHECK(cudaMalloc(&data, n * sizeof *data));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventCreate(&never));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));

    //> answers
    SAY(cudaEventQuery(never));                         // it was never recorded
    SAY(cudaEventSynchronize(never));
    SAY(cudaStreamWaitEvent(other, never, 0));

    CHECK(cudaEventRecord(begin, stream));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, 2000000);
    CHECK(cudaEventRecord(untimed, stream));
    CHECK(cudaEventRecord(end, stream));
    SAY(cudaEventQuery(end));                           // the kernel runs
    SAY(cudaEventElapsedTime(&ms, begin, end));

    CHECK(cudaStreamSynchronize(stream));
    SAY(cudaEventQuery(end));                           // and now it has ended
    SAY(cudaEventElapsedTime(&ms, begin, end));
    printf("%.1f ms\n", ms);
    CHECK(cudaEventElapsedTime(&ms, end, begin));
    printf("%.1f ms, the other way round\n", ms);
    SAY(cudaEventElapsedTime(&ms, begin, never));
    SAY(cudaEventElapsedTime(&ms, begin, untimed));
    //< answers

    cudaEvent_t all[] = { begin, end, never, untimed };
    for (cudaEvent_t e : all)
        CHECK(cudaEventDestroy(e));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaStreamDestroy(other));
    CHECK(cudaFree(data));
    return 0;
}
