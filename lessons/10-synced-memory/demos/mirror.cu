/* SPDX-License-Identifier: MIT */
/* mirror.cu - a table that the host changes now and then and that a kernel reads each round: a state for one direction.
 *
 *   build/bin/simcc -o mirror lessons/10-synced-memory/demos/mirror.cu
 *   build/bin/timeline --label rounds ./mirror */
#include <stdio.h>
#include <string.h>

#include "streams.h"

//> mirror
struct mirror {
    size_t bytes;
    float *host, *device;       // device: NULL until a kernel needs it
    bool stale;                 // the host has changed since the last copy
};

/* For a caller that is going to write: from now on the device's copy is out of date. */
static float *mirror_write(struct mirror *m)
{
    m->stale = true;
    return m->host;
}

/* For a kernel that reads. */
static const float *mirror_read(struct mirror *m)
{
    if (!m->device) {
        CHECK(cudaMalloc((void **)&m->device, m->bytes));
        m->stale = true;
    }
    if (m->stale)
        CHECK(cudaMemcpy(m->device, m->host, m->bytes, cudaMemcpyHostToDevice));
    m->stale = false;
    return m->device;
}
//< mirror

__global__ void use(const float *table, float *result)
{
    kernel_cost(40000);
    *result += table[0];
}

int main(void)
{
    struct mirror table = { 1 << 20, NULL, NULL, false };
    float *result, sum;
    CHECK(cudaMallocHost((void **)&table.host, table.bytes));
    memset(table.host, 0, table.bytes);
    CHECK(cudaMalloc((void **)&result, sizeof *result));
    CHECK(cudaMemset(result, 0, sizeof *result));
    CHECK(cudaDeviceSynchronize());
    label_push("rounds");
    //> rounds
    for (int round = 0; round < 8; round++) {
        if (round % 3 == 0)
            mirror_write(&table)[0] += 1;               // three times
        use<<<1, 1>>>(mirror_read(&table), result);     // eight times
    }
    //< rounds
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    label_pop();
    CHECK(cudaMemcpy(&sum, result, sizeof sum, cudaMemcpyDeviceToHost));
    printf("%g\n", sum);
    CHECK(cudaFree(result));
    CHECK(cudaFree(table.device));
    CHECK(cudaFreeHost(table.host));
    return 0;
}
