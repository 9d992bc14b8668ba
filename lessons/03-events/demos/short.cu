/* SPDX-License-Identifier: MIT */
/* short.cu - a kernel of 10 us, timed by events: alone, after other work, a hundred times.
 *
 *   build/bin/simcc -Icommon -o short lessons/03-events/demos/short.cu && ./short */
#include <stdio.h>

#include "../lesson.h"

int main(void)
{
    const int n = 10001;
    unsigned *data;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    CHECK(cudaMalloc(&data, n * sizeof *data));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, 0);
    CHECK(cudaDeviceSynchronize());

    const char *what[] = { "alone", "after other work", "a hundred, divided" };
    for (int way = 0; way < 3; way++) {
        int times = way == 2 ? 100 : 1;
        if (way > 0)
            scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, 1000000);
        CHECK(cudaEventRecord(begin, stream));
        for (int i = 0; i < times; i++)
            scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, 10000);
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaEventSynchronize(end));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        printf("%-18s  %5.1f us\n", what[way], ms * 1000 / times);
    }
    CHECK(cudaEventDestroy(begin));
    CHECK(cudaEventDestroy(end));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(data));
    return 0;
}
