/* SPDX-License-Identifier: MIT */
/* across.cu - which calls take a stream or an event of another device? Two devices: SIM_PROFILE=dual.
 *
 *   build/bin/simcc -o across lessons/12-many-devices/demos/across.cu && SIM_PROFILE=dual ./across */
#include <stdio.h>
#include <thread>

#include "streams.h"

__global__ void who(int *device, int number)
{
    *device = number;
}

static void say(const char *what, cudaError_t status)
{
    printf("%-58s %s\n", what, cudaGetErrorName(status));
    cudaGetLastError();
}

int main(void)
{
    cudaStream_t stream[2];
    cudaEvent_t event[2];
    int *x, *host, count;
    float ms;
    CHECK(cudaGetDeviceCount(&count));
    if (count < 2) {
        printf("this needs two devices; there is %d\n", count);
        return 0;
    }
    for (int d = 0; d < 2; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamCreateWithFlags(&stream[d], cudaStreamNonBlocking));
        CHECK(cudaEventCreate(&event[d]));
        CHECK(cudaEventRecord(event[d], stream[d]));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaMalloc((void **)&x, sizeof *x));          /* of device 1 */
    CHECK(cudaMallocHost((void **)&host, sizeof *host));
    //> ask
    CHECK(cudaSetDevice(0));                            // event[0], stream[0] are device 0's, the others device 1's
    say("record event[0] in stream[1]", cudaEventRecord(event[0], stream[1]));
    say("record event[0] in stream 0 while device 1 is current", (cudaSetDevice(1), cudaEventRecord(event[0], 0)));
    CHECK(cudaSetDevice(0));
    say("stream[1] waits for event[0]", cudaStreamWaitEvent(stream[1], event[0], 0));
    say("the host waits for event[1]", cudaEventSynchronize(event[1]));
    say("the time from event[0] to event[1]", cudaEventElapsedTime(&ms, event[0], event[1]));
    who<<<1, 1, 0, stream[1]>>>(x, 42);
    say("a launch into stream[1]", cudaGetLastError());
    say("a copy in stream[1]", cudaMemcpyAsync(host, x, sizeof *x, cudaMemcpyDeviceToHost, stream[1]));
    say("the host waits for stream[1]", cudaStreamSynchronize(stream[1]));
    //< ask
    printf("what the kernel wrote into memory of device 1: %d\n", *host);
    //> thread
    CHECK(cudaSetDevice(1));
    std::thread([] {
        int device;
        CHECK(cudaGetDevice(&device));
        printf("in a new thread device %d is current\n", device);
    }).join();
    //< thread
    return 0;
}
