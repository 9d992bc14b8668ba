/* SPDX-License-Identifier: MIT */
/* peers.cu - 64 MiB from one device to the other: through the host, and directly. SIM_PROFILE=dual or strangers.
 *
 *   build/bin/simcc -o peers lessons/12-many-devices/demos/peers.cu && SIM_PROFILE=dual ./peers */
#include <stdio.h>

#include "streams.h"

#define BYTES (64 << 20)

static void copy(const char *label, char *to, const char *from, cudaStream_t stream)
{
    label_push(label);
    long long begin = now_ns();
    //> copy
    CHECK(cudaMemcpyPeerAsync(to, 1, from, 0, BYTES, stream));      // to device 1, from device 0
    long long back = now_ns();
    CHECK(cudaStreamSynchronize(stream));
    //< copy
    long long end = now_ns();
    printf("%-16s the call came back after %5.2f ms, done after %5.2f ms: %3.0f GB/s\n", label, (back - begin) / 1e6,
           (end - begin) / 1e6, (double)BYTES / (end - begin));
    label_pop();
}

int main(void)
{
    char *memory[2];
    cudaStream_t stream;
    int count, can;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("this needs two devices; there is %d\n", count);
        return 0;
    }
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaMalloc((void **)&memory[d], BYTES));
        CHECK(cudaMemset(memory[d], d, BYTES));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaStreamCreate(&stream));                               /* of device 1 */
    copy("through the host", memory[1], memory[0], stream);
    //> enable
    CHECK(cudaDeviceCanAccessPeer(&can, 1, 0));                     // may device 1 reach memory of device 0?
    if (can)
        CHECK(cudaDeviceEnablePeerAccess(0, 0));                    // the current one, 1, makes 0 its peer
    //< enable
    if (can)
        copy("directly", memory[1], memory[0], stream);
    else
        printf("device 1 cannot reach the memory of device 0\n");
    CHECK(cudaStreamDestroy(stream));
    for (char *one : memory)
        CHECK(cudaFree(one));
    return 0;
}
