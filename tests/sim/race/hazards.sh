#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Hazards: small programs, each with one or with none, and what is said of them.
. tests/sim/race/hazards.bash

program=copies
build copies << 'END'
#include <stdio.h>
#include "streams.h"
int main(int, char **argv)
{
    const size_t n = 1 << 20;
    cudaStream_t a, b, apart;
    cudaEvent_t e;
    char *d, *h, *g, *pageable = (char *)malloc(4 * n);
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaStreamCreateWithFlags(&apart, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaMalloc(&d, 4 * n));
    CHECK(cudaMallocHost(&h, 4 * n));
    CHECK(cudaMallocHost(&g, 4 * n));
    switch (atoi(argv[1])) {
    case 1: /* two streams */
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemcpyAsync(g, d + 16, n, cudaMemcpyDeviceToHost, b));
        break;
    case 2: /* the same with an event between */
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaEventRecord(e, a));
        CHECK(cudaStreamWaitEvent(b, e));
        CHECK(cudaMemcpyAsync(g, d + 16, n, cudaMemcpyDeviceToHost, b));
        break;
    case 3: /* the event is recorded too early */
        CHECK(cudaEventRecord(e, a));
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaStreamWaitEvent(b, e));
        CHECK(cudaMemcpyAsync(g, d + 16, n, cudaMemcpyDeviceToHost, b));
        break;
    case 4: /* chunks, readers */
        for (size_t i = 0; i < 4; i++) {
            CHECK(cudaMemcpyAsync(d + i * n, h + i * n, n, cudaMemcpyHostToDevice, i % 2 ? a : b));
            CHECK(cudaMemcpyAsync(g + i * n, d + i * n, n, cudaMemcpyDeviceToHost, i % 2 ? a : b));
        }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpyAsync(g, d, 4 * n, cudaMemcpyDeviceToHost, a));
        CHECK(cudaMemcpyAsync(h, d, 4 * n, cudaMemcpyDeviceToHost, b));
        break;
    case 5: /* chunks that overlap by a byte */
        CHECK(cudaMemsetAsync(d, 1, n + 1, a));
        CHECK(cudaMemsetAsync(d + n, 2, n, b));
        break;
    case 6: /* the default stream orders what it does not leave out */
        CHECK(cudaMemsetAsync(d, 1, n, a));
        CHECK(cudaMemset(d, 2, n));
        CHECK(cudaMemsetAsync(d, 3, n, b));
        break;
    case 7:
        CHECK(cudaMemsetAsync(d, 1, n, apart));
        CHECK(cudaMemset(d, 2, n));
        break;
    case 8: /* given back while it is in use */
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaFree(d));
        d = NULL;
        break;
    case 9:
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaStreamSynchronize(b));
        CHECK(cudaFreeHost(h));
        h = NULL;
        break;
    case 10:
        CHECK(cudaHostRegister(pageable, n, 0));
        CHECK(cudaMemcpyAsync(d, pageable, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaHostUnregister(pageable));
        break;
    case 11: /* and after a wait */
        CHECK(cudaHostRegister(pageable, n, 0));
        CHECK(cudaMemcpyAsync(d, pageable, n, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemcpyAsync(d + n, h, n, cudaMemcpyHostToDevice, b));
        CHECK(cudaEventRecord(e, a));
        CHECK(cudaEventSynchronize(e));
        CHECK(cudaHostUnregister(pageable));
        CHECK(cudaStreamSynchronize(b));
        CHECK(cudaFree(d));
        CHECK(cudaMalloc(&d, n));
        CHECK(cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, b));
        break;
    case 12: /* what a card happens to do */
        CHECK(cudaMemcpyAsync(d, pageable, 4 * n, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemsetAsync(d, 3, n, b));
        break;
    case 13: /* queued and never waited for */
        CHECK(cudaMemsetAsync(d, 1, n, a));
        CHECK(cudaMemsetAsync(d, 2, n, b));
        return 0;
    case 14: /* the same pair of lines again and again */
        for (int i = 0; i < 200; i++) {
            CHECK(cudaMemsetAsync(d + i, 1, 1, a));
            CHECK(cudaMemsetAsync(d + i, 2, 1, b));
        }
        break;
    case 15: /* columns of one rectangle */
        CHECK(cudaMemcpy2DAsync(d, 100, h, 50, 50, 30, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemset2DAsync(d + 50, 100, 1, 50, 30, b));
        break;
    case 16: /* columns that overlap by one */
        CHECK(cudaMemcpy2DAsync(d, 100, h, 51, 51, 30, cudaMemcpyHostToDevice, a));
        CHECK(cudaMemset2DAsync(d + 50, 100, 1, 50, 30, b));
        break;
    case 17: /* memory of a stream used by another before it is there, and freed in order */
        CHECK(cudaMallocAsync(&d, n, a));
        CHECK(cudaMemsetAsync(d, 1, n, b));
        CHECK(cudaEventRecord(e, b));
        CHECK(cudaStreamWaitEvent(a, e));
        CHECK(cudaFreeAsync(d, a));
        CHECK(cudaMallocAsync(&d, n, a));
        CHECK(cudaMemsetAsync(d, 1, n, a));
        CHECK(cudaFreeAsync(d, a));
        CHECK(cudaStreamSynchronize(a));
        return 0;
    case 18: /* memory that was trimmed away when a copy gets there */
        CHECK(cudaMallocAsync(&d, n, a));
        CHECK(cudaLaunchHostFunc(b, [](void *) { host_work(1000000); }, NULL));
        CHECK(cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, b));
        CHECK(cudaFreeAsync(d, a));
        CHECK(cudaStreamSynchronize(a));
        puts(cudaGetErrorName(cudaStreamSynchronize(b)));
        return 0;
    }
    CHECK(cudaDeviceSynchronize());
    printf("%lld\n", now_ns());
    CHECK(cudaFree(d));
    CHECK(cudaFreeHost(h));
    CHECK(cudaFreeHost(g));
    free(pageable);
    return 0;
}
END

ok 'two streams that touch the same bytes: both sides, the bytes, the reason' \
    finds 1 1 'copies.cu:18: cudaMemcpyAsync in stream 1 (.* ms) writes bytes 16 to 1048575 of the 4194304 of cudaMalloc in line 13, and .*copies.cu:19: cudaMemcpyAsync in stream 2 (.*) reads them too: no event, no wait of the host'
ok 'an event between them orders them' finds 2 0
ok 'one that was recorded too early does not' finds 3 1
ok 'chunks of one buffer and readers of one buffer are no hazard' finds 4 0
ok 'chunks that overlap by one byte are' finds 5 1 'bytes 1048576 to 1048576 of'
ok 'the default stream orders blocking streams' finds 6 0
ok 'but no others' finds 7 1 'a cudaStreamNonBlocking stream and the default stream do not wait for each other'
ok 'cudaFree of what a copy still writes is a note' \
    notes 8 'copies.cu:57: the host (at .* ms) gives them back: this card waits .* reference does not promise it. Wait for stream 1'
ok 'cudaFreeHost of what a copy still reads, though another stream was waited for' \
    finds 9 1 'reads bytes 0 to 1048575 of the 4194304 of cudaMallocHost .* gives them back'
ok 'cudaHostUnregister' finds 10 1 'cudaHostRegister .* unregisters them'
ok 'memory that was waited for may go and come again' finds 11 0
ok 'what only a card does is no order' finds 12 1 'this card happens to run one after the other'
ok 'what was never waited for is looked at when the program ends' finds 13 1 'still queued at the end'
ok 'and that it may be cut off is told' complains 'cudaMemsetAsync in stream 1, and 1 operation after it, may be cut off: '
ok 'what the same lines do again is counted, not said again' finds 14 2 'copies.cu:93 and .*copies.cu:94: 199 more like it$'
ok 'columns of one rectangle are no hazard' finds 15 0
ok 'columns that overlap are' finds 16 1 'bytes 50 to 2950 of'
ok 'memory of cudaMallocAsync is there for its stream only; given out again it has no past' \
    finds 17 1 'cudaMallocAsync in stream 1 .* cudaMemsetAsync in stream 2'
SIM_HAZARDS=0 play copies 18
ok 'a copy of memory that is gone when the engine gets there loses the device' prints cudaErrorIllegalAddress


program=kernels
build kernels << 'END'
#include <stdio.h>
#include <numeric>
#include <vector>
#include "streams.h"
const int n = 1 << 16;
__device__ int twice(int x) { return 2 * x; }
__global__ void scale(int *p, int from, int step)
{
    kernel_cost(100000);
    int i = from + step * (threadIdx.x + blockIdx.x * blockDim.x);
    if (i < n) p[i] = twice(p[i]);
}
__global__ void sum(int *to, const int *from)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) to[i] += from[i];
}
__global__ void odd(int *p, const int *q) { int i = 2 * (threadIdx.x + blockIdx.x * blockDim.x) + 1; if (i < n) p[i] = q[i]; }
static void even(void *p) { for (int i = 0; i < n; i += 2) ((int *)p)[i] = 1; }
int main(int, char **argv)
{
    const size_t bytes = n * sizeof(int);
    cudaStream_t a, b;
    cudaEvent_t event;
    int *d, *e, *h, *m, result = 0;
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaMalloc(&d, bytes));
    CHECK(cudaMalloc(&e, bytes));
    CHECK(cudaMallocHost(&h, bytes));
    CHECK(cudaMallocManaged(&m, bytes));
    for (int i = 0; i < n; i++)
        h[i] = m[i] = i;
    CHECK(cudaMemset(d, 0, bytes));
    CHECK(cudaMemset(e, 0, bytes));
    CHECK(cudaDeviceSynchronize());
    std::vector<int> *own = new std::vector<int>(n, 1);
    switch (atoi(argv[1])) {
    case 1: /* a kernel that reads what another writes, in part */
        scale<<<n / 256, 256, 0, a>>>(d, 0, 1);
        sum<<<n / 512, 256, 0, b>>>(e, d);
        break;
    case 2: /* with an event */
        scale<<<n / 256, 256, 0, a>>>(d, 0, 1);
        CHECK(cudaEventRecord(event, a));
        CHECK(cudaStreamWaitEvent(b, event));
        sum<<<n / 256, 256, 0, b>>>(e, d);
        break;
    case 3: /* halves, and every second element */
        scale<<<n / 512, 256, 0, a>>>(d, 0, 1);
        scale<<<n / 512, 256, 0, b>>>(d, n / 2, 1);
        scale<<<n / 512, 256, 0, a>>>(e, 0, 2);
        scale<<<n / 512, 256, 0, b>>>(e, 1, 2);
        CHECK(cudaLaunchHostFunc(a, even, h));
        odd<<<n / 512, 256, 0, b>>>(h, e);
        break;
    case 4: /* the host reads results before they are there … */
        scale<<<n / 256, 256, 0, a>>>(m, 0, 1);
        result = m[5];
        break;
    case 5: /* … and after */
        scale<<<n / 256, 256, 0, a>>>(m, 0, 1);
        CHECK(cudaStreamSynchronize(a));
        result = std::accumulate(m, m + n, 0);
        break;
    case 6: /* a buffer is filled again while it is copied */
        CHECK(cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, a));
        memset(h + 16, 0, 64);
        break;
    case 7: /* the same after a wait for its event */
        CHECK(cudaMemcpyAsync(d, h, bytes, cudaMemcpyHostToDevice, a));
        CHECK(cudaEventRecord(event, a));
        scale<<<n / 256, 256, 0, a>>>(d, 0, 1);
        CHECK(cudaEventSynchronize(event));
        memset(h + 16, 0, 64);
        break;
    case 8: /* a host function */
        CHECK(cudaMemcpyAsync(h, d, bytes, cudaMemcpyDeviceToHost, b));
        CHECK(cudaLaunchHostFunc(a, even, h));
        break;
    case 9: /* pageable memory goes too early … */
        CHECK(cudaMemcpyAsync(d, own->data(), bytes, cudaMemcpyHostToDevice, a));
        delete own;
        own = NULL;
        break;
    case 10: /* … or not; small ones are read at the call */
        CHECK(cudaMemcpyAsync(d, own->data(), 65536, cudaMemcpyHostToDevice, a));
        (*own)[0] = 7;
        CHECK(cudaMemcpyAsync(d, own->data(), bytes, cudaMemcpyHostToDevice, a));
        CHECK(cudaStreamSynchronize(a));
        (*own)[0] = 8;
        break;
    case 11:
        CHECK(cudaMemcpyAsync(d, own->data(), bytes, cudaMemcpyHostToDevice, a));
        own->assign(n, 2);
        break;
    case 12: /* a kernel still works on what is freed */
        scale<<<n / 256, 256, 0, a>>>(e, 0, 1);
        CHECK(cudaFree(e));
        break;
    case 13: /* a host function in memory of the device */
        CHECK(cudaLaunchHostFunc(a, even, d));
        break;
    }
    CHECK(cudaDeviceSynchronize());
    printf("%d %d %lld\n", result, h[17], now_ns());
    delete own;
    return 0;
}
END
ok 'what kernels touch is known to the byte' \
    finds 1 1 'kernels.cu:41: kernel scale in stream 1 (.*) writes bytes 0 to 131071 of the 262144 of cudaMalloc in line 29, and .*kernels.cu:42: kernel sum in stream 2 (.*) reads them too'
ok 'kernels that an event orders are no hazard' finds 2 0
ok 'nor are halves, nor every second element' finds 3 0
ok 'the host reads what a kernel has not written yet' \
    finds 4 1 'kernel scale .* bytes 20 to 23 of the 262144 of cudaMallocManaged .*kernels.cu:60: the host (at .*) reads them too: the host has not waited for it'
ok 'after a wait it may' finds 5 0
ok 'memset of what a copy still reads' finds 6 1 'reads bytes 64 to 127 of .*kernels.cu:69: the host (.*) writes them too'
ok 'after a wait for the event behind the copy it may' finds 7 0
ok 'host functions are work of their stream' finds 8 1 'cudaLaunchHostFunc in stream 1 (.*) writes'
ok 'memory of a pageable copy that is freed too early' \
    finds 9 1 'reads 262144 bytes .*kernels.cu:84: the host (at .*) frees them: only this card.s staging saves it'
ok 'small pageable copies and those that were waited for leave it alone' finds 10 0
ok 'memory of a pageable copy that is filled again' finds 11 1 'writes them too: only this card.s staging'
ok 'cudaFree of what a kernel still works on is a note' notes 12 'kernel scale .* gives them back'
ok 'a host function is on the host' \
    finds 13 1 'kernels.cu:19: cudaLaunchHostFunc in stream 1 .* writes bytes 0 to .*: that is memory of the device, which the host cannot reach'
# Without a word, with the same results and virtual times?
goes_without() { # CASE
    "$dir/$program" "$1" > "$dir/with" 2> /dev/null
    SIM_HAZARDS=0 play "$program" "$1"
    cmp "$dir/with" "$dir/out" >> "$dir/err" 2>&1 && [ ! -s "$dir/err" ]
}
all_go_without() { for i in 1 2 3 4 5 6 7 8 9 10 11 12; do goes_without $i || return 1; done; }
ok 'results and virtual times do not depend on it' all_go_without
build kernels --hazards=calls
ok '--hazards=calls leaves loads and stores unseen' eval 'finds 4 0 && finds 12 0'
ok 'objects carry what is needed' \
    eval 'build/bin/simcc -c "$dir/kernels.cu" -o "$dir/k.o" && build/bin/simcc "$dir/k.o" -o "$dir/kernels" &&
    finds 4 1'


program=flood
{
    printf '#include "streams.h"\nint main()\n{\n    char *d;\n    cudaStream_t a, b;\n'
    echo '    CHECK(cudaMalloc(&d, 1)); CHECK(cudaStreamCreate(&a)); CHECK(cudaStreamCreate(&b));'
    for ((i = 0; i < 101; i++)); do echo '    CHECK(cudaMemsetAsync(d, 1, 1, a)); CHECK(cudaMemsetAsync(d, 2, 1, b)); CHECK(cudaDeviceSynchronize());'; done
    echo '}'
} > "$dir/flood.cu"
build flood
ok 'a flood is cut off' finds 1 101 'there are more than 100'
program=rounds
build rounds << 'END'
#include "streams.h"
__global__ void sum(const int *p, int *q) { *q += *p; }
#line 18 "elsewhere/driver.cu"
static int *memory() { int *p; CHECK(cudaMalloc(&p, 64)); return p; }
#line 4 "rounds.cu"
int main(int, char **argv)
{
    cudaStream_t a, b;
    CHECK(cudaStreamCreate(&a)); CHECK(cudaStreamCreate(&b));
    for (int round = 0; round < 5; round++) {
        int *p = memory(), *q = memory();
        if (argv[1][0] == '1') {
            CHECK(cudaMemsetAsync(q, 0, 64, a));
            CHECK(cudaMemsetAsync(q, 0, 64, b));
        } else {
            CHECK(cudaMemset(q, 0, 64));
            sum<<<1, 1>>>(p, q);
        }
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaFree(p)); CHECK(cudaFree(q));
    }
}
END
ok 'in each round new memory, and one line for all of them' finds 1 2 'rounds.cu:11 and rounds.cu:12: 4 more like it$'
ok 'a line of another file is named with its file' \
    finds 1 2 'bytes 0 to 63 of the 64 of cudaMalloc in elsewhere/driver.cu:18, and'
ok 'memory that nobody has written is told of once for the lines it comes from' finds 2 1 'which nothing has written'

program=leaps
build leaps << 'END'
#include "streams.h"
#include <stdlib.h>
enum { N = 524288, PROBES = 40, STRIDE = 7321, ROUNDS = 6 };
__global__ void step(unsigned *cell, unsigned gain) { kernel_cost(20000); for (int i = threadIdx.x; i < N; i += blockDim.x) cell[i] = cell[i] * gain + 1; }
int main(int, char **argv)
{
    unsigned gain = 3, *cell, *probe = (unsigned *)malloc(PROBES * sizeof *probe);
    CHECK(cudaMallocManaged((void **)&cell, N * sizeof *cell));
    for (int i = 0; i < N; i++)
        cell[i] = i;
    for (int round = 0; round < ROUNDS; round++) {
        step<<<1, 256>>>(cell, gain);
        CHECK(prefetch(cell, N * sizeof *cell, cudaCpuDeviceId, NULL));
        if (argv[1][0] == '1' || round < ROUNDS - 1)
            CHECK(cudaDeviceSynchronize());
        for (int k = 0; k < PROBES; k++)
            probe[k] = cell[k * STRIDE];
        CHECK(prefetch(cell, N * sizeof *cell, 0, NULL));
        gain += probe[PROBES - 1];
    }
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(cell));
    free(probe);
    return gain == 0;
}
END
ok 'what a loop reads here and there comes before the next call, in each of its rounds' finds 1 0
ok 'and the one round that does not wait is told' finds 2 1 'the host (at .*) reads'

program=copies
ok 'SIM_HAZARDS=0 says nothing, and virtual times are the same' goes_without 1
WORKBOOK_LOG=9 play copies 1 9> "$dir/log"
ok 'the log of calls has them' grep -aq 'cudaMemcpyAsync in stream 1 .* writes bytes 16' "$dir/log"
done_testing
