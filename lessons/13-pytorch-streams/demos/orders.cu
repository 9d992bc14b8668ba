/* SPDX-License-Identifier: MIT */
/* orders.cu - batches for a model, and the host's own work: before the model, after it, after a number is fetched.
 *
 *   build/bin/simcc -Icommon -o orders lessons/13-pytorch-streams/demos/orders.cu && ./orders */
#include <stdio.h>
#include <string.h>

#include "streams.h"

#define BATCHES 5
#define BYTES (4 << 20)

__global__ void model(float *y, const char *batch)
{
    kernel_cost(500000);
    *y = batch[0];
}

static float *y, number;
static char *x;

/* One turn of the loop: steps are c, the copy, m, the model, w, the host's work, i, y.item(). */
static void turn(const char *host, const char *steps)
{
    for (; *steps; steps++)
        switch (*steps) {
        case 'c':                       // x = batch.to("cuda", non_blocking=True)
            CHECK(cudaMemcpyAsync(x, host, BYTES, cudaMemcpyHostToDevice, 0));
            break;
        case 'm':                       // y = model(x)
            model<<<1, 32>>>(y, x);
            break;
        case 'w':                       // 0.4 ms of the host's own
            host_work(400000);
            break;
        case 'i':                       // y.item()
            CHECK(cudaMemcpy(&number, y, sizeof number, cudaMemcpyDeviceToHost));
            break;
        }
}

static void measure(const char *what, const char *steps, const char *host)
{
    long long begin = now_ns();
    label_push(what);
    for (int k = 0; k < BATCHES; k++)
        turn(host, steps);
    CHECK(cudaDeviceSynchronize());
    label_pop();
    printf("%-32s done after %5.2f ms\n", what, (now_ns() - begin) / 1e6);
}

int main(void)
{
    char *pinned;
    CHECK(cudaMallocHost((void **)&pinned, BYTES));
    memset(pinned, 1, BYTES);
    CHECK(cudaMalloc((void **)&x, BYTES));
    CHECK(cudaMalloc((void **)&y, sizeof *y));
    turn(pinned, "cm");
    CHECK(cudaDeviceSynchronize());
    measure("copy, model, work", "cmw", pinned);
    measure("copy, work, model", "cwm", pinned);
    measure("copy, model, work, item", "cmwi", pinned);
    measure("copy, work, model, item", "cwmi", pinned);
    measure("copy, model, item, work", "cmiw", pinned);
    CHECK(cudaFree(x));
    CHECK(cudaFree(y));
    CHECK(cudaFreeHost(pinned));
    return 0;
}
