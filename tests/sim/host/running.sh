#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs as they run: what the environment chooses, how they end, that they repeat.
. tests/sim/sim.bash

build bare << 'EOF'
#include <stdio.h>
__global__ void kernel(float *a, int offset)
{
    int i = offset + threadIdx.x + blockIdx.x * blockDim.x;
    float x = (float)i;
    a[i] = a[i] + sqrtf(sinf(x) * sinf(x) + cosf(x) * cosf(x));
}
int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 256;
    float *a, *d;
    cudaDeviceProp prop;
    cudaGetDeviceProperties(&prop, 0);
    cudaMallocHost((void **)&a, n * sizeof(float));
    cudaMalloc((void **)&d, n * sizeof(float));
    memset(a, 0, n * sizeof(float));
    cudaMemcpy(d, a, n * sizeof(float), cudaMemcpyHostToDevice);
    kernel<<<n / 64, 64>>>(d, 0);
    cudaMemcpy(a, d, n * sizeof(float), cudaMemcpyDeviceToHost);
    float most = 0;
    for (int i = 0; i < n; i++)
        if (fabs(a[i] - 1.0f) > most) most = fabs(a[i] - 1.0f);
    assert(most < 1e-6);
    printf("%s, %d\n", prop.name, prop.asyncEngineCount);
}
EOF
play bare 1024
ok 'a program that includes <stdio.h> alone finds what nvcc brings along; the card is an H200' \
    eval 'ends 0 && prints "NVIDIA H200, 3"'
SIM_PROFILE=c1060 play bare
ok 'SIM_PROFILE chooses the card' eval 'ends 0 && prints "Tesla C1060, 1"'
SIM_PROFILE=voodoo2 play bare
ok 'a card that does not exist is answered with those that do' \
    eval 'ends 2 && complains "SIM_PROFILE: there is no card '\''voodoo2'\''; there are h200, " &&
    [ "$(wc -l < "$dir/err")" = 1 ]'

build measures << 'EOF'
#include <stdio.h>
#include <time.h>
#include "streams.h"
__global__ void loop(int *a, int n) { for (int i = 0; i < n; i++) *a += i; }
__global__ void none(int *a) { ++*a; }
__global__ void declared(int *a) { kernel_cost(1000); for (int i = 0; i < 8; i++) *a += i; }
int main(int, char **argv)
{
    int *d;
    cudaEvent_t begin, end;
    float ms = 0;
    timespec t;
    bool events = strchr(argv[1], 'e'), clocks = strchr(argv[1], 'c');
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaMalloc(&d, 4);
    cudaMemset(d, 0, 4);
    clock_gettime(CLOCK_MONOTONIC, &t);
    if (clocks) clock_gettime(CLOCK_MONOTONIC, &t);
    cudaEventRecord(begin);
    if (strchr(argv[1], 'l')) loop<<<1, 1>>>(d, 10), loop<<<1, 1>>>(d, 20);
    if (strchr(argv[1], 'n')) none<<<1, 1>>>(d);
    if (strchr(argv[1], 'd')) declared<<<1, 1>>>(d);
    cudaEventRecord(end);
    cudaDeviceSynchronize();
    if (clocks) clock_gettime(CLOCK_MONOTONIC, &t);
    if (events) cudaEventElapsedTime(&ms, begin, end);
}
EOF
tells_of_time() { ends 0 && [ "$(wc -l < "$dir/err")" = 1 ] && complains "note: a kernel's virtual time does not depend on how much it computes: kernel loop "; }
play measures le
ok "a program that times a kernel with a loop by events is told, once, that the time does not depend on the loop" tells_of_time
play measures lc
ok '... so is one that looks at a clock before and after it' tells_of_time
quiet=0
for some in l e n ne nc d de ld lde; do play measures $some; ends 0 && [ ! -s "$dir/err" ] || quiet=$((quiet + 1)); done
ok '... and no other: one that times nothing, or no loop, or declares what a kernel takes' [ $quiet = 0 ]

build queues << 'EOF'
#include <stdio.h>
#include "streams.h"
__global__ void busy() { kernel_cost(1000000); }
int main()
{
    cudaStream_t s[4];
    for (int i = 0; i < 4; i++)
        CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    long long begin = now_ns();
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 2; k++)
            busy<<<1, 1, 0, s[i]>>>();
    long long launched = now_ns();
    CHECK(cudaDeviceSynchronize());
    printf("%lld %lld\n", (launched - begin) / 1000000, (now_ns() - begin) / 1000000);
}
EOF
play queues
ok 'streams have queues of their own' prints '0 2'
CUDA_DEVICE_MAX_CONNECTIONS=1 play queues
ok 'CUDA_DEVICE_MAX_CONNECTIONS makes them share one' prints '0 5'
CUDA_DEVICE_MAX_CONNECTIONS=1 build/bin/timeline --quiet --trace "$dir/queues.json" "$dir/queues" > /dev/null 2> "$dir/err"
ok 'and so do they when its log is replayed' \
    [ "$(grep -c '"cat":"kernel".*"ts":[4-9][0-9][0-9][0-9]\.' "$dir/queues.json")" = 1 ]
CUDA_LAUNCH_BLOCKING=1 play queues
ok 'CUDA_LAUNCH_BLOCKING makes each launch wait' prints '8 8'

build loading << 'EOF'
#include <stdio.h>
#include "streams.h"
__global__ void one() { kernel_cost(1); }
__global__ void two() { kernel_cost(1); }
template <typename F> static long long took(F f)
{
    long long begin = now_ns();
    f();
    return now_ns() - begin;
}
int main()
{
    long long first = took([] { one<<<1, 1>>>(); }), again = took([] { one<<<1, 1>>>(); });
    long long other = took([] { two<<<1, 1>>>(); });
    printf("%d %d %d\n", first > 10 * again, other > again, other < first);
}
EOF
play loading
ok 'the first launch of a kernel loads it, and the first of all takes longest' prints '1 1 1'
CUDA_MODULE_LOADING=EAGER play loading
ok 'CUDA_MODULE_LOADING=EAGER has them loaded before' prints '0 0 0'

# [H] says so; a card's runtime may crash instead [M]: hence no rule.
build nokernel << 'EOF'
#include <stdio.h>
#include "streams.h"
int main()
{
    int value = 0;
    void *args[] = { &value };
    cudaFuncAttributes a;
    printf("%d %d\n", cudaLaunchKernel((const void *)&value, dim3(1), dim3(1), args, 0, 0) == cudaErrorInvalidDeviceFunction,
           cudaFuncGetAttributes(&a, (const void *)&value) == cudaErrorInvalidDeviceFunction);
}
EOF
play nokernel
ok 'an address that is no kernel is refused' prints '1 1'

build ends << 'EOF'
#include <stdio.h>
#include <unistd.h>
#include "streams.h"
__global__ void endless(int *p) { for (;;) atomicAdd(p, 1); }
__global__ void wild(int *p) { *p = 1; }
int main(int, char **argv)
{
    volatile int zero = 0;
    int *d;
    switch (argv[1][0]) {
    case 'c': CHECK(cudaMalloc(&d, (size_t)1 << 60)); break;
    case 'w': wild<<<1, 1>>>((int *)0x10); CHECK(cudaDeviceSynchronize()); break;
    case 's': *(int *)0x10 = 1; break;
    case 'z': printf("%d\n", 100 / zero); break;
    case 'a': assert(zero == 1); break;
    case 'e': cudaMallocManaged(&d, 4); endless<<<1, 1>>>(d); cudaDeviceSynchronize(); break;
    case 'k': (*&wild)((int *)0x10); break;
    case 'q': _exit(7);
    }
}
EOF
play ends c
ok 'CHECK ends with one line: file, line, call, name, message; a second says why' \
    eval 'ends 1 && grep -q "/ends.cu:11: cudaMalloc(&d, (size_t)1 << 60): cudaErrorMemoryAllocation: out of memory$" "$dir/err" &&
          complains "    why: 1152921504606846976 bytes are asked for; device 0 has "'
play ends w
ok 'a kernel that touches what it must not is found at the next wait' \
    eval 'ends 1 && complains ":12: cudaDeviceSynchronize(): cudaErrorIllegalAddress: an illegal memory access"'
play ends s
ok 'host code that touches what it must not dies of it' ends 139
play ends z
ok 'a division by zero dies of it' ends 136
play ends a
ok 'a failed assertion dies of it' ends 134
run timeout 0.5 "$dir/ends" e
ok 'a kernel that never ends can be told to' ends 124
play ends k
ok 'a kernel that is called like a function says so' \
    eval 'ends 1 && complains "wild is a kernel: it was called without <<<grid, block>>>"'
play ends q
ok '_exit ends with its status' ends 7

ok 'the log of calls is the same in every run, byte for byte' \
    eval '[ "$(different 5 queues)" = 0 ] && [ "$(head -c 7 "$dir/first")" = CSWLOG1 ]'
WORKBOOK_LOG=9 play queues
ok 'a log that is not there is trouble in the environment' \
    eval 'ends 2 && complains "WORKBOOK_LOG=9 is no open file"'

build driver << 'EOF'
#include "driver.h"
int main() { return driver_input(0, NULL) != NULL; }
EOF
play driver
ok 'a driver without the grader says where its inputs come from' \
    eval 'ends 2 && [ "$(wc -l < "$dir/err")" = 1 ] && complains "from the grader"'
done_testing
