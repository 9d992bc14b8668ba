/* SPDX-License-Identifier: MIT */
/* pytorch.cu - what lesson 13's exercise in Python comes to in CUDA, right, or with the mistake that is named: for the judge of
 * lessons/13-pytorch-streams/torch. Prints where blocks and batches lie. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

#define BATCHES 5
#define BYTES (1 << 18)

static const char *mistake = "";
static cudaStream_t side, current = cudaStreamLegacy;

static bool is(const char *what)
{
    return strcmp(mistake, what) == 0;
}

static __global__ void work(long long ns)
{
    kernel_cost(ns);
}

static void operation(const char *name, long long ns, cudaStream_t stream)
{
    label_push(name);
    work<<<1, 32, 0, stream>>>(ns);
    label_pop();
}

static void wait_stream(cudaStream_t waiter, cudaStream_t other)
{
    cudaEvent_t passed;
    CHECK(cudaEventCreateWithFlags(&passed, cudaEventDisableTiming));
    CHECK(cudaEventRecord(passed, other));
    CHECK(cudaStreamWaitEvent(waiter, passed, 0));
    CHECK(cudaEventDestroy(passed));
}

static void sum_beside(void)
{
    operation("produce", 300000, current);
    if (is("a-host"))
        CHECK(cudaStreamSynchronize(current));
    else if (!is("a-input"))
        wait_stream(side, current);
    operation("total", 500000, is("a-side") ? current : side);
    if (is("a-beside"))
        wait_stream(current, side);
    if (!is("a-work"))
        operation("other_work", 600000, current);
    if (!is("a-back"))
        wait_stream(current, side);
    operation("settle", 100000, current);
}

static void audit_all(void)
{
    unsigned long long lies[BATCHES];
    for (int k = 0; k < BATCHES; k++) {
        lies[k] = is("b-reuse") ? 4096 : 4096 * (k + 1);
        operation("fill", 100000, current);
        if (is("b-host"))
            CHECK(cudaStreamSynchronize(current));
        else if (!is("b-made"))
            wait_stream(side, current);
        if (k > 0 || !is("b-work"))
            operation("audit", 300000, side);
        if (is("b-beside"))
            wait_stream(current, side);
    }
    printf("{\"fill\": [");
    for (int k = 0; k < BATCHES; k++)
        printf("%s%llu", k ? ", " : "", lies[k]);
    printf("], ");
}

static void run_model(void)
{
    char *host, *x[2];
    cudaEvent_t read[2];
    if (is("c-pinned"))
        host = (char *)malloc(BYTES);
    else
        CHECK(cudaMallocHost((void **)&host, BYTES));
    memset(host, 1, BYTES);
    for (int b = 0; b < 2; b++) {
        CHECK(cudaMalloc((void **)&x[b], BYTES));
        CHECK(cudaEventCreateWithFlags(&read[b], cudaEventDisableTiming));
    }
    CHECK(cudaDeviceSynchronize());
    label_push("run_model");
    for (int k = 0; k < BATCHES; k++) {
        int b = k % 2;
        cudaStream_t stream = is("c-ahead") ? current : side;
        if (!is("c-reuse"))
            CHECK(cudaStreamWaitEvent(stream, read[b], 0));
        CHECK(cudaMemcpyAsync(x[b], host, BYTES, cudaMemcpyHostToDevice, stream));
        if (is("c-host"))
            CHECK(cudaStreamSynchronize(stream));
        else if (!is("c-order"))
            wait_stream(current, stream);
        if (k > 0 || !is("c-work"))
            operation("model", 250000, current);
        CHECK(cudaEventRecord(read[b], current));
    }
    label_pop();
    CHECK(cudaDeviceSynchronize());
    printf("\"model\": [");
    for (int k = 0; k < BATCHES; k++)
        printf("%s%llu", k ? ", " : "", (unsigned long long)(size_t)x[k % 2]);
    printf("]}\n");
}

int main(int argc, char **argv)
{
    if (argc > 1)
        mistake = argv[1];
    CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
    work<<<1, 1>>>(0);
    CHECK(cudaDeviceSynchronize());
    label_push("sum_beside");
    sum_beside();
    label_pop();
    CHECK(cudaDeviceSynchronize());
    label_push("audit_all");
    audit_all();
    label_pop();
    CHECK(cudaDeviceSynchronize());
    run_model();
    return 0;
}
