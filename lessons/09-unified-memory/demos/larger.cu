/* SPDX-License-Identifier: MIT */
/* larger.cu - asks for twice the memory that the device has, of either kind.
 *
 *   build/bin/simcc -o larger lessons/09-unified-memory/demos/larger.cu && ./larger */
#include <stdio.h>

#include "streams.h"

int main(void)
{
    //> larger
    size_t available, total;
    void *p;
    CHECK(cudaMemGetInfo(&available, &total));
    printf("cudaMalloc         %s\n", cudaGetErrorName(cudaMalloc(&p, 2 * total)));
    printf("cudaMallocManaged  %s\n", cudaGetErrorName(cudaMallocManaged(&p, 2 * total)));
    //< larger
    (void)cudaGetLastError();                   // the first of them left an error
    CHECK(cudaFree(p));
    return 0;
}
