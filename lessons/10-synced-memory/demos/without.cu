/* SPDX-License-Identifier: MIT */
/* without.cu - a block in a program that may be built without CUDA.
 *
 *   g++ -DHOST_ONLY -x c++ -o without lessons/10-synced-memory/demos/without.cu && ./without */
#include <stdio.h>
#include <stdlib.h>

//> macro
#ifdef HOST_ONLY
#define DEVICE(call) no_device(#call)       // the call itself is not compiled
#else
#include "streams.h"
#define DEVICE(call) CHECK(call)
#endif
//< macro

struct block {
    size_t bytes;
    int *host, *device;
};

[[maybe_unused]] static void no_device(const char *call)
{
    printf("built without CUDA: %s\n", call);
    exit(1);
}

static int *block_host(struct block *b)
{
    if (!b->host)
        b->host = (int *)calloc(1, b->bytes);
    return b->host;
}

//> device
static int *block_device(struct block *b)
{
    if (!b->device)
        DEVICE(cudaMalloc((void **)&b->device, b->bytes));
    DEVICE(cudaMemcpy(b->device, block_host(b), b->bytes, cudaMemcpyHostToDevice));
    return b->device;
}
//< device

int main(void)
{
    struct block b = { 1 << 20, NULL, NULL };
    block_host(&b)[0] = 1;
    printf("on the host: %d\n", block_host(&b)[0]);
    int home = 0, *device = block_device(&b);
    (void)device;
    DEVICE(cudaMemcpy(&home, device, sizeof home, cudaMemcpyDeviceToHost));
    printf("on the device: %d\n", home);
    DEVICE(cudaFree(b.device));
    free(b.host);
    return 0;
}
