/* SPDX-License-Identifier: MIT */
/* build: -lcuda */
/* Streams that write values in memory and wait for them. [D] is the comments of cuda.h 13.0. */
#include <cuda.h>

#include "../rule.h"

static CUstream a, b, c;
static CUdeviceptr flag;

static bool is_good(CUresult r) { return r == CUDA_SUCCESS; }

/* Is everything in the stream done? */
static bool is_done(cudaStream_t s) { return cudaStreamQuery(s) == cudaSuccess; }

/* Some time in which whatever can end has ended. */
static bool is_held_up(cudaStream_t s)
{
    long long begin = now_ns();
    while (now_ns() - begin < LONG)
        if (is_done(s))
            return false;
    return true;
}

int main()
{
    int *device = on_device<int>(1), can = 0;
    CUdevice which;
    unsigned *host, *mapped;
    warm_up(device);
    if (!is_good(cuInit(0)) || !is_good(cuDeviceGet(&which, 0)))
        return rules_skip("the driver API");
    if (!is_good(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, which)) || !can)
        return rules_skip("streams that wait for values");
    CHECK(cudaMalloc((void **)&flag, 64));
    CHECK(cudaMemset((void *)flag, 0, 64));
    CHECK(cudaHostAlloc((void **)&host, 64, cudaHostAllocMapped));
    CHECK(cudaHostGetDevicePointer((void **)&mapped, host, 0));
    memset(host, 0, 64);
    bool made = is_good(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING)) && is_good(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING))
                && is_good(cuStreamCreate(&c, CU_STREAM_NON_BLOCKING));
    CHECK(cudaDeviceSynchronize());

    made &= is_good(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
    rule(made && is_held_up(a), "a stream waits for a value that is not there yet [D]");
    busy<<<1, 1, 0, b>>>(0);
    CHECK(cudaStreamSynchronize(b));
    rule(!is_done(a), "other streams go on meanwhile");
    made &= is_good(cuStreamWriteValue32(b, flag, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
    CHECK(cudaStreamSynchronize(a));
    rule(made, "it goes on when another stream has written it");
    made &= is_good(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
    CHECK(cudaStreamSynchronize(a));
    rule(made, "a value that is there is not waited for");

    made &= is_good(cuStreamWaitValue32(a, flag, 7, CU_STREAM_WAIT_VALUE_EQ)) && is_good(cuStreamWaitValue64(b, flag + 8, 7, CU_STREAM_WAIT_VALUE_EQ));
    made &= is_good(cuStreamWriteValue64(c, flag + 8, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
    CHECK(cudaStreamSynchronize(b));
    rule(made && !is_done(a), "two streams wait at once, each for its own");
    made &= is_good(cuStreamWriteValue32(c, flag, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
    CHECK(cudaStreamSynchronize(a));

    made &= is_good(cuStreamWaitValue32(a, (CUdeviceptr)mapped, 4, CU_STREAM_WAIT_VALUE_AND));
    rule(made && is_held_up(a), "it waits for a bit in memory of the host");
    *(volatile unsigned *)host = 6;
    CHECK(cudaStreamSynchronize(a));
    rule(made, "it goes on when the host has set it");

    made &= is_good(cuStreamWaitValue32(a, flag + 4, 3, CU_STREAM_WAIT_VALUE_GEQ));
    put<<<1, 1, 0, b>>>((int *)flag + 1, 3, 0);
    CHECK(cudaStreamSynchronize(a));
    rule(made, "it goes on when a kernel has written it");
    made &= is_good(cuStreamWaitValue32(a, flag + 16, 0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ));
    CHECK(cudaStreamSynchronize(a));
    rule(made, "numbers go round: 0 is larger than 0xfffffff0 [D]");
    rule(cuStreamWaitValue32(a, flag + 1, 1, CU_STREAM_WAIT_VALUE_EQ) == CUDA_ERROR_INVALID_VALUE, "an address that is no multiple of 4 is an error [D]");
    return rules_end();
}
