/* SPDX-License-Identifier: MIT */
/* hands.cu - one device presses, the other polishes. SIM_PROFILE=dual.
 *
 *   build/bin/simcc -o hands lessons/12-many-devices/demos/hands.cu && SIM_PROFILE=dual ./hands */
#include <stdio.h>
#include <string.h>

#include "../lesson.h"

#define N 8000
#define BATCHES 4

int main(void)
{
    unsigned *in, *out, *x[2];
    cudaStream_t stream[2];
    cudaEvent_t full, empty;
    int can, count;
    size_t bytes = N * sizeof *in;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("this needs two devices; there is %d\n", count);
        return 0;
    }
    CHECK(cudaMallocHost((void **)&in, BATCHES * bytes));
    CHECK(cudaMallocHost((void **)&out, BATCHES * bytes));
    memset(in, 1, BATCHES * bytes);
    //> homes
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(d == 0 ? &full : &empty, cudaEventDisableTiming));
        CHECK(cudaMalloc((void **)&x[d], bytes));
    }
    //< homes
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMemset(x[d], 0, bytes));
        press<<<1, 1>>>(x[d], 1);
        polish<<<1, 1>>>(x[d], x[d], 1);
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));
    if (can)
        CHECK(cudaDeviceEnablePeerAccess(0, 0));
    label_push("hands");
    for (int k = 0; k < BATCHES; k++) {
        //> hands
        CHECK(cudaSetDevice(0));
        CHECK(cudaStreamWaitEvent(stream[0], empty, 0));            // never recorded at first: no wait
        CHECK(cudaMemcpyAsync(x[0], in + k * N, bytes, cudaMemcpyHostToDevice, stream[0]));
        press<<<BLOCKS, THREADS, 0, stream[0]>>>(x[0], N);
        CHECK(cudaEventRecord(full, stream[0]));                    // x[0] is full

        CHECK(cudaSetDevice(1));
        CHECK(cudaStreamWaitEvent(stream[1], full, 0));
        CHECK(cudaMemcpyPeerAsync(x[1], 1, x[0], 0, bytes, stream[1]));
        CHECK(cudaEventRecord(empty, stream[1]));                   // and empty again
        polish<<<BLOCKS, THREADS, 0, stream[1]>>>(x[1], x[1], N);
        CHECK(cudaMemcpyAsync(out + k * N, x[1], bytes, cudaMemcpyDeviceToHost, stream[1]));
        //< hands
    }
    CHECK(cudaStreamSynchronize(stream[1]));
    label_pop();
    for (int d = 0; d < 2; d++) {
        CHECK(cudaStreamDestroy(stream[d]));
        CHECK(cudaFree(x[d]));
    }
    CHECK(cudaEventDestroy(full));
    CHECK(cudaEventDestroy(empty));
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(out));
    return 0;
}
