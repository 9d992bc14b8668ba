#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The card older-guide: what older guides list as implicit synchronisation keeps commands of
# two streams from running at once; the same program on an H200 is not held up.
. tests/sim/sim.bash

# Says of each call: did a kernel of another stream, launched after it, wait for the one launched before it?
build list << 'EOF'
#include "streams.h"
#include <stdio.h>
__global__ void busy(long long ns) { kernel_cost(ns); }
static cudaStream_t a, b, c;
template <typename F> static void between(const char *what, F call)
{
    CHECK(cudaDeviceSynchronize());
    long long begin = now_ns();
    busy<<<1, 1, 0, a>>>(20000000);
    call();
    bool host = now_ns() - begin > 10000000;
    busy<<<1, 1, 0, b>>>(0);
    CHECK(cudaStreamSynchronize(b));
    bool device = now_ns() - begin > 10000000;
    printf("%s: %s\n", what, host ? "the host waits" : device ? "the device waits" : "nobody waits");
}
int main()
{
    int *d, *e, *p, *q;
    CHECK(cudaMalloc(&d, 4096));
    CHECK(cudaMalloc(&e, 4096));
    CHECK(cudaMallocHost(&p, 4096));
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    CHECK(cudaStreamCreateWithFlags(&c, cudaStreamNonBlocking));
    busy<<<1, 1>>>(0);
    between("nothing", [&] {});
    between("device memory", [&] { CHECK(cudaMalloc(&q, 4096)); });
    between("pinned memory", [&] { CHECK(cudaMallocHost(&q, 4096)); });
    between("memset", [&] { CHECK(cudaMemsetAsync(d, 0, 4096, c)); });
    between("copy inside the device", [&] { CHECK(cudaMemcpyAsync(e, d, 4096, cudaMemcpyDeviceToDevice, c)); });
    between("default stream", [&] { busy<<<1, 1>>>(0); });
    between("cache", [&] { CHECK(cudaFuncSetCacheConfig(busy, cudaFuncCachePreferL1)); });
    between("copy to the device", [&] { CHECK(cudaMemcpyAsync(d, p, 4096, cudaMemcpyHostToDevice, c)); });
    between("event", [&] { cudaEvent_t x; CHECK(cudaEventCreate(&x)); CHECK(cudaEventRecord(x, c)); });
    between("a call that fails", [&] { cudaMalloc((void **)NULL, 4096); cudaGetLastError(); });
}
EOF
SIM_PROFILE=older-guide play list
finds() { ok "$3" grep -qFx "$1: $2" "$dir/out"; }
finds 'nothing' 'nobody waits' 'with nothing between them, kernels of two streams run at once'
finds 'device memory' 'the device waits' 'an allocation of device memory is a barrier between streams, not for the host'
finds 'pinned memory' 'the device waits' 'so is one of page-locked memory'
finds 'memset' 'the device waits' 'so is a memset of device memory, in whatever stream'
finds 'copy inside the device' 'the device waits' 'so is a copy inside the device'
finds 'default stream' 'the device waits' 'so is a command to the default stream'
finds 'cache' 'the device waits' 'so is another split of L1 and shared memory'
finds 'copy to the device' 'nobody waits' 'a copy to the device is none'
finds 'event' 'nobody waits' 'nor is an event'
finds 'a call that fails' 'nobody waits' 'nor is a call that fails'
SIM_PROFILE=h200 play list
ok 'on an H200 the default stream alone is a barrier' \
    eval '[ "$(grep -c "nobody waits" "$dir/out")" = 9 ] && grep -qFx "default stream: the device waits" "$dir/out"'

# The order that checks accept is not changed by a card.
build race << 'EOF'
#include "streams.h"
__global__ void set(int *p, int v) { *p = v; }
int main()
{
    cudaStream_t a, b;
    int *d, *e;
    CHECK(cudaMalloc(&d, 4));
    CHECK(cudaStreamCreate(&a));
    CHECK(cudaStreamCreate(&b));
    set<<<1, 1, 0, a>>>(d, 1);
    CHECK(cudaMalloc(&e, 4));
    set<<<1, 1, 0, b>>>(d, 2);
    CHECK(cudaDeviceSynchronize());
}
EOF
SIM_PROFILE=older-guide play race
ok 'what such a barrier orders is a hazard all the same: no guide of today promises it' [ "$(hazards)" -gt 0 ]
done_testing
