#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs as they run: what the environment chooses, how they end, that they repeat.
set -u
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
number=0

say() { # condition's status, sentence
    number=$((number + 1))
    if [ "$1" = 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        sed 's/^/# /' "$scratch/out" "$scratch/errors"
    fi
}

# Runs a program: its status is $status.
run() {
    "$@" > "$scratch/out" 2> "$scratch/errors"
    status=$?
} 2> /dev/null

prints() {
    [ "$(cat "$scratch/out")" = "$1" ]
}

build() { # NAME, source from stdin
    cat > "$scratch/$1.cu"
    build/bin/simcc "$scratch/$1.cu" -o "$scratch/$1" || exit 2
}

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
run "$scratch/bare" 1024
[ $status = 0 ] && prints 'NVIDIA H200, 3'
say $? 'a program that includes <stdio.h> alone finds what nvcc brings along; the card is an H200'
SIM_PROFILE=c1060 run "$scratch/bare"
[ $status = 0 ] && prints 'Tesla C1060, 1'
say $? 'SIM_PROFILE chooses the card'
SIM_PROFILE=voodoo2 run "$scratch/bare"
[ $status = 2 ] && grep -q "^SIM_PROFILE: there is no card 'voodoo2'; there are h200, " "$scratch/errors" &&
    [ "$(wc -l < "$scratch/errors")" = 1 ]
say $? 'a card that does not exist is answered with those that do'

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
run "$scratch/queues"
prints '0 2'
say $? 'streams have queues of their own'
CUDA_DEVICE_MAX_CONNECTIONS=1 run "$scratch/queues"
prints '0 5'
say $? 'CUDA_DEVICE_MAX_CONNECTIONS makes them share one'
CUDA_DEVICE_MAX_CONNECTIONS=1 build/bin/timeline --quiet --trace "$scratch/queues.json" "$scratch/queues" > /dev/null 2> "$scratch/errors"
[ "$(grep -c '"cat":"kernel".*"ts":[4-9][0-9][0-9][0-9]\.' "$scratch/queues.json")" = 1 ]
say $? 'and so do they when its log is replayed'
CUDA_LAUNCH_BLOCKING=1 run "$scratch/queues"
prints '8 8'
say $? 'CUDA_LAUNCH_BLOCKING makes each launch wait'

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
run "$scratch/loading"
prints '1 1 1'
say $? 'the first launch of a kernel loads it, and the first of all takes longest'
CUDA_MODULE_LOADING=EAGER run "$scratch/loading"
prints '0 0 0'
say $? 'CUDA_MODULE_LOADING=EAGER has them loaded before'

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
run "$scratch/nokernel"
prints '1 1'
say $? 'an address that is no kernel is refused'

build ends << 'EOF'
#include <stdio.h>
#include <unistd.h>
#include "streams.h"
__global__ void endless(volatile int *p) { while (*p == 0) ; }
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
    case 'k': wild((int *)0x10); break;
    case 'q': _exit(7);
    }
}
EOF
run "$scratch/ends" c
[ $status = 1 ] && grep -q "/ends.cu:11: cudaMalloc(&d, (size_t)1 << 60): cudaErrorMemoryAllocation: out of memory$" "$scratch/errors"
say $? 'CHECK ends with one line: file, line, call, name, message'
run "$scratch/ends" w
[ $status = 1 ] && grep -q ':12: cudaDeviceSynchronize(): cudaErrorIllegalAddress: an illegal memory access' "$scratch/errors"
say $? 'a kernel that touches what it must not is found at the next wait'
run "$scratch/ends" s
[ $status = 139 ]
say $? 'host code that touches what it must not dies of it'
run "$scratch/ends" z
[ $status = 136 ]
say $? 'a division by zero dies of it'
run "$scratch/ends" a
[ $status = 134 ]
say $? 'a failed assertion dies of it'
run timeout 0.5 "$scratch/ends" e
[ $status = 124 ]
say $? 'a kernel that never ends can be told to'
run "$scratch/ends" k
[ $status = 1 ] && grep -q '^wild is a kernel: it was called without <<<grid, block>>>$' "$scratch/errors"
say $? 'a kernel that is called like a function says so'
run "$scratch/ends" q
[ $status = 7 ]
say $? '_exit ends with its status'

for i in 1 2 3 4 5; do
    WORKBOOK_LOG=9 "$scratch/queues" 9> "$scratch/log$i" > /dev/null
done
[ "$(head -c 7 "$scratch/log1")" = CSWLOG1 ] && [ "$(cksum "$scratch"/log? | cut -d ' ' -f 1,2 | sort -u | wc -l)" = 1 ]
say $? 'the log of calls is the same in every run, byte for byte'
WORKBOOK_LOG=9 run "$scratch/queues"
[ $status = 2 ] && grep -q '^WORKBOOK_LOG=9 is no open file$' "$scratch/errors"
say $? 'a log that is not there is trouble in the environment'

build driver << 'EOF'
#include "driver.h"
int main() { return driver_input(0, NULL) != NULL; }
EOF
run "$scratch/driver"
[ $status = 2 ] && [ "$(wc -l < "$scratch/errors")" = 1 ] && grep -q 'from the grader' "$scratch/errors"
say $? 'a driver without the grader says where its inputs come from'
echo "1..$number"
