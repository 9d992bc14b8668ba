/* SPDX-License-Identifier: MIT */
/* calls [N]: a program that makes N calls of the runtime; prints their number and the processor time they took. */
#include <stdio.h>
#include <stdlib.h>

#include "stopwatch.h"

__global__ void nothing() { }

int main(int argc, char **argv)
{
    enum { STREAMS = 16, EACH = 4 };
    const int calls = argc > 1 ? atoi(argv[1]) : 1000000;
    cudaStream_t s[STREAMS];
    cudaEvent_t e[STREAMS];
    for (int i = 0; i < STREAMS; i++)
        cudaStreamCreate(&s[i]), cudaEventCreate(&e[i]);
    double begin = seconds_now();
    for (int i = 0; i < calls / EACH; i++) {
        nothing<<<1, 1, 0, s[i % STREAMS]>>>();
        cudaEventRecord(e[i % STREAMS], s[i % STREAMS]);
        cudaStreamWaitEvent(s[(i + 1) % STREAMS], e[i % STREAMS], 0);
        if (i % 1000 == 999)
            cudaDeviceSynchronize();
        else
            cudaStreamQuery(s[i % STREAMS]);
    }
    cudaDeviceSynchronize();
    printf("%d\t%.6f\n", calls, seconds_now() - begin);
}
