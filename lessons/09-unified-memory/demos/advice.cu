/* SPDX-License-Identifier: MIT */
/* advice.cu - a table that both sides read, with and without advice.
 *
 *   build/bin/simcc -o advice lessons/09-unified-memory/demos/advice.cu && ./advice */
#include <stdio.h>

#include "streams.h"

__global__ void look_up(const float *table, int n, float *out)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i % 256] = table[i];
}

static volatile float sum;

static void host_looks(const float *table, int n)
{
    for (int i = 0; i < n; i += 1024)
        sum = sum + table[i];
}

static void rounds(const char *name, const float *table, int n, float *out)
{
    long long begin = now_ns();
    for (int round = 0; round < 4; round++) {
        look_up<<<1, 256>>>(table, n, out);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        host_looks(table, n);
    }
    printf("%s %.3f ms\n", name, (now_ns() - begin) / 1e6);
}

int main(void)
{
    const int n = 128 << 10;                        // 512 KiB
    const size_t bytes = n * sizeof(float);
    float *table, *out;
    CHECK(cudaMallocManaged((void **)&table, bytes));
    CHECK(cudaMalloc((void **)&out, 256 * sizeof *out));
    for (int i = 0; i < n; i++)
        table[i] = i;
    rounds("no advice   ", table, n, out);
    //> advice
    struct cudaMemLocation anywhere = {};           // not looked at for this advice
    anywhere.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemAdvise(table, bytes, cudaMemAdviseSetReadMostly, anywhere));
    //< advice
    rounds("read mostly ", table, n, out);
    CHECK(cudaFree(table));
    CHECK(cudaFree(out));
    return 0;
}
