/* SPDX-License-Identifier: MIT */
/* slices.cu - the host works until a part of the queue is done.
 *
 *   build/bin/simcc -Icommon -o slices lessons/03-events/demos/slices.cu && ./slices */
#include <stdio.h>

#include "../lesson.h"

int main(void)
{
    const int n = 10001;
    unsigned *data, *result;
    cudaStream_t stream;
    cudaEvent_t arrived;
    CHECK(cudaMalloc(&data, n * sizeof *data));
    CHECK(cudaMallocHost(&result, n * sizeof *result));
    CHECK(cudaMemset(data, 0, n * sizeof *data));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
    CHECK(cudaDeviceSynchronize());

    label_push("slices");
    //> slices
    scramble<<<blocks_for(n), THREADS, 0, stream>>>(data, n, 1500000);
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *data, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaEventRecord(arrived, stream));
    clear<<<blocks_for(n), THREADS, 0, stream>>>(data, n, 1500000);

    int slices = 0;
    while (cudaEventQuery(arrived) == cudaErrorNotReady) {
        host_work(200000);
        slices++;
    }
    printf("%u is here after %d slices\n", result[0], slices);
    //< slices
    CHECK(cudaStreamSynchronize(stream));
    label_pop();

    CHECK(cudaEventDestroy(arrived));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(result));
    CHECK(cudaFree(data));
    return 0;
}
