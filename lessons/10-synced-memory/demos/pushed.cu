/* SPDX-License-Identifier: MIT */
/* pushed.cu - the host writes after a push, while the copy waits its turn: pinned memory and pageable.
 *
 *   build/bin/simcc -Icommon -Ilessons/10-synced-memory -o pushed lessons/10-synced-memory/demos/pushed.cu && ./pushed */
#include <stdio.h>

#include "block.h"

__global__ void before(void)
{
    kernel_cost(200000);
}

__global__ void look(const int *x, int *seen)
{
    *seen = x[0];
}

static int pushed(bool pinned, cudaStream_t stream, int *device)
{
    struct synced m;
    int seen;
    synced_init(&m, 1 << 20, pinned);
    synced_write_host(&m);
    synced_read_device(&m);                 // both sides are taken
    before<<<1, 1, 0, stream>>>();          // the stream is busy for 0.2 ms
    //> pushed
    int *x = (int *)synced_write_host(&m);
    x[0] = 1;
    synced_push(&m, stream);                // asked for
    x[0] = 2;                               // and altered, with no wait in between
    look<<<1, 1, 0, stream>>>((const int *)synced_read_device(&m), device);
    //< pushed
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(&seen, device, sizeof seen, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    synced_fini(&m);
    return seen;
}

int main(void)
{
    cudaStream_t stream;
    int *device;
    CHECK(cudaMalloc((void **)&device, sizeof *device));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    printf("pinned    the kernel reads %d\n", pushed(true, stream, device));
    printf("pageable  the kernel reads %d\n", pushed(false, stream, device));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(device));
    return 0;
}
