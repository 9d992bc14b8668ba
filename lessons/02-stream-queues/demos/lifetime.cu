/* SPDX-License-Identifier: MIT */
/* lifetime.cu - who reads what, and when? A number is sent off after a kernel
 * of 5 ms, and overwritten before the kernel is done.
 *
 *   build/bin/simcc -o lifetime lessons/02-stream-queues/demos/lifetime.cu && SIM_HAZARDS=0 ./lifetime */
#include <stdio.h>

#include "streams.h"

__global__ void busy(void) { kernel_cost(5000000); }
__global__ void put(int *to, int value) { *to = value; }

int main(void)
{
    int pageable = 1, argument = 1, *pinned, *device, arrived[3];
    CHECK(cudaMallocHost((void **)&pinned, sizeof *pinned));
    CHECK(cudaMalloc((void **)&device, 3 * sizeof *device));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceSynchronize());

    label_push("lifetime");
    //> lifetime
    *pinned = 1;
    busy<<<1, 1, 0, stream>>>();
    CHECK(cudaMemcpyAsync(&device[0], pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(&device[1], &pageable, sizeof(int), cudaMemcpyHostToDevice, stream));
    put<<<1, 1, 0, stream>>>(&device[2], argument);
    CHECK(cudaGetLastError());
    *pinned = pageable = argument = 2;      // all queued, nothing done
    CHECK(cudaStreamSynchronize(stream));
    //< lifetime
    label_pop();

    CHECK(cudaMemcpy(arrived, device, sizeof arrived, cudaMemcpyDeviceToHost));
    printf("from pinned memory    %d\n", arrived[0]);
    printf("from pageable memory  %d\n", arrived[1]);
    printf("a kernel's argument   %d\n", arrived[2]);
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    CHECK(cudaFreeHost(pinned));
    return 0;
}
