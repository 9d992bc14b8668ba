#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Streams that write values in memory and wait for them (the driver API): what waits for what, and what is told of.
. tests/sim/sim.bash

cat > "$dir/values.h" << 'EOF'
#include <cuda.h>
#define CHECK(x) do { CUresult status = (x); if (status != CUDA_SUCCESS) printf("%d: %d ", __LINE__, status); } while (0)
__global__ void then(int *p, int n) { *p = *p * 10 + n; }
__global__ void sets(volatile unsigned *f, unsigned n) { __threadfence(); *f = n; }
static CUdeviceptr flag;        /* of 64 bytes, in the device */
static int *p;                  /* in pinned memory, 0 */
static CUstream a, b;
static void begin()
{
    cudaMalloc((void **)&flag, 64);
    cudaMemset((void *)flag, 0, 64);
    cudaMallocHost((void **)&p, 4);
    *p = 0;
    CHECK(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    CHECK(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    sets<<<1, 1>>>((unsigned *)flag + 15, 1);           /* loads it */
    cudaDeviceSynchronize();
}
EOF

prints_as 'a stream waits for what another one writes, 4 bytes or 8, a kernel or the host' '12345678 0' << EOF
#include "$dir/values.h"
int main()
{
    begin();
    unsigned *m;
    cudaHostAlloc((void **)&m, 4, cudaHostAllocMapped);
    *m = 0;
    CHECK(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_GEQ));
    then<<<1, 1, 0, a>>>(p, 2);
    CHECK(cuStreamWriteValue64(a, flag + 8, 7, CU_STREAM_WRITE_VALUE_DEFAULT));
    then<<<1, 1, 0, b>>>(p, 1);
    CHECK(cuStreamWriteValue32(b, flag, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
    CHECK(cuStreamWaitValue64(b, flag + 8, 7, CU_STREAM_WAIT_VALUE_EQ));
    then<<<1, 1, 0, b>>>(p, 3);
    cudaDeviceSynchronize();
    CHECK(cuStreamWaitValue32(a, (CUdeviceptr)m, 4, CU_STREAM_WAIT_VALUE_AND));
    then<<<1, 1, 0, a>>>(p, 5);
    then<<<1, 1, 0, b>>>(p, 4);
    cudaStreamSynchronize(b);
    *m = 6;
    cudaDeviceSynchronize();
    CHECK(cuStreamWaitValue32(a, flag, 9, CU_STREAM_WAIT_VALUE_GEQ));
    then<<<1, 1, 0, a>>>(p, 7);
    then<<<1, 1, 0, b>>>(p, 6);
    sets<<<1, 1, 0, b>>>((unsigned *)flag, 9);
    cudaDeviceSynchronize();
    CHECK(cuStreamWaitValue32(a, flag, 4, CU_STREAM_WAIT_VALUE_NOR));      /* so it is */
    CHECK(cuStreamWaitValue32(a, flag + 4, 0xfffffff0, CU_STREAM_WAIT_VALUE_GEQ | CU_STREAM_WAIT_VALUE_FLUSH));    /* 0 comes after it */
    then<<<1, 1, 0, a>>>(p, 8);
    cudaDeviceSynchronize();
    printf("%d %d\n", *p, cudaGetLastError());
}
EOF
ok 'what the values order is no hazard' eval '[ ! -s "$dir/err" ]'

prints_as 'a batch is done in its order, and two streams answer each other 50 times' '1 77 1 1 1' << EOF
#include "$dir/values.h"
__global__ void mixes(int *q, int n) { *q = *q * 3 + n; }
int main()
{
    begin();
    int *q, h, want = 0;
    unsigned long long eight;
    cudaMalloc(&q, 4);
    cudaMemset(q, 0, 4);
    mixes<<<1, 1>>>(q, 0);
    cudaDeviceSynchronize();
    for (unsigned i = 0; i < 50; i++) {
        mixes<<<1, 1, 0, a>>>(q, 1);
        CHECK(cuStreamWriteValue32(a, flag, 2 * i + 1, 0));
        CHECK(cuStreamWaitValue32(a, flag, 2 * i + 2, 0));
        CHECK(cuStreamWaitValue32(b, flag, 2 * i + 1, 0));
        mixes<<<1, 1, 0, b>>>(q, 2);
        CHECK(cuStreamWriteValue32(b, flag, 2 * i + 2, 0));
        want = (want * 3 + 1) * 3 + 2;
    }
    CUstreamBatchMemOpParams both[2] = {};
    both[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
    both[0].waitValue.address = flag;
    both[0].waitValue.value = 100;
    both[1].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64;
    both[1].writeValue.address = flag + 8;
    both[1].writeValue.value64 = 77;
    CHECK(cuStreamBatchMemOp(a, 2, both, 0));
    cudaDeviceSynchronize();
    cudaMemcpy(&h, q, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&eight, (void *)(flag + 8), 8, cudaMemcpyDeviceToHost);
    printf("%d %llu %d %d %d\n", h == want, eight, cuStreamWriteValue32(a, flag + 1, 1, 0) == CUDA_ERROR_INVALID_VALUE,
           cuStreamWaitValue32(a, 0, 1, 0) == CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(a, flag, 1, 7) == CUDA_ERROR_INVALID_VALUE);
}
EOF

export SIM_PROFILE=dual
prints_as 'a stream of one device waits while a kernel of another one runs, and behind it' '3 12 0' << EOF
#include "$dir/values.h"
int main()
{
    cudaStream_t first;
    cudaEvent_t ran;
    int *q, h;
    cudaStreamCreate(&first);
    cudaEventCreate(&ran);
    cudaMalloc(&q, 4);
    cudaMemset(q, 0, 4);
    cudaDeviceSynchronize();
    cudaSetDevice(1);
    begin();
    CHECK(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    then<<<1, 1, 0, a>>>(p, 1);
    cudaSetDevice(0);
    then<<<1, 1, 0, first>>>(q, 3);     /* the other device's memory is out of its reach */
    cudaEventRecord(ran, first);
    cudaSetDevice(1);
    cudaStreamWaitEvent(b, ran, 0);
    CHECK(cuStreamWriteValue32(b, flag, 1, 0));
    cudaDeviceSynchronize();
    CHECK(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    cudaSetDevice(0);
    then<<<1, 1, 0, first>>>(q, 0);
    cudaEventRecord(ran, first);
    cudaStreamWaitEvent(a, ran, 0);
    CHECK(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    cudaSetDevice(1);
    then<<<1, 1, 0, a>>>(p, 2);
    cudaDeviceSynchronize();
    cudaMemcpy(&h, q, 4, cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h / 10, *p, cudaGetLastError());
}
EOF
unset SIM_PROFILE

cat > "$dir/x.cu" << EOF
#include "$dir/values.h"
int main(int arguments, char **)
{
    begin();
    CHECK(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    then<<<1, 1, 0, a>>>(p, 1);
    if (arguments > 1) {
        CHECK(cuStreamWriteValue32(b, flag, 1, 0));
        then<<<1, 1, 0, b>>>(p, 2);
    }
    cudaDeviceSynchronize();
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'a value that nothing writes is a deadlock, told at the call' \
    eval 'ends 3 && complains "a stream waits for a value in memory that nothing writes (cuStreamWaitValue32 at x.cu:5)"'
play x more
ok 'what comes after the write is in no order with what waited for it' \
    eval 'ends 0 && complains "x.cu:6: kernel then in stream 1" && complains "x.cu:9: kernel then in stream 2"'

cat > "$dir/x.cu" << EOF
#include "$dir/values.h"
__global__ void late(volatile unsigned *f, unsigned n) { *f = n; }
int main()
{
    begin();
    CHECK(cuStreamWaitValue32(a, flag, 1, CU_STREAM_WAIT_VALUE_EQ));
    then<<<1, 1, 0, a>>>(p, 1);
    late<<<1, 1, 0, b>>>((unsigned *)flag, 1);
    cudaDeviceSynchronize();
    printf("%d\n", cudaGetLastError());
}
EOF
run build/bin/simcc "$dir/x.cu" -o "$dir/x"
play x
ok 'a kernel that is loaded after all that is queued is told beside it (so it is on an H200)' \
    eval 'ends 3 && complains "the first launch of then (x.cu:7) loads it"'
CUDA_MODULE_LOADING=EAGER play x
ok 'and with eager loading it ends' eval 'ends 0 && prints 0'

done_testing
