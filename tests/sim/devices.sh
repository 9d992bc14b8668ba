#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs on the two devices of the profile `dual`: that they repeat, what a
# replay of the log gives, what is a hazard between devices, what pictures show.
set -u
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
number=0
export SIM_PROFILE=dual

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
    timeout 20 "$@" > "$scratch/out" 2> "$scratch/errors"
    status=$?
} 2> /dev/null

hazards() { grep -c '^hazard: ' "$scratch/errors"; }
tells() { grep -qF -- "$1" "$scratch/errors"; }

gcc -std=c11 -D_GNU_SOURCE -DIN_PROGRAM -Icommon -Icommon/sim -Icommon/sim/include -c tests/sim/replay.c \
    -o "$scratch/show.o" || exit 2
. tests/sim/open.bash
simcc=$(open_simcc "$scratch/open") || exit 2

build() { # NAME; source from stdin
    cat > "$scratch/$1.cu"
    "$simcc" -std=c++17 "$scratch/$1.cu" "$scratch/show.o" -o "$scratch/$1" || exit 2
}

# ---- everything at once, from a host thread for each device ----

build busy << 'EOF'
#include <stdio.h>
#include <thread>
#include "streams.h"
__global__ void work(float *x, long long ns) { kernel_cost(ns); x[threadIdx.x] += 1; }
enum { N = 1 << 20 };
static float *x[2], *halo[2];
static cudaStream_t s[2], copy[2];
static cudaEvent_t sent[2], ready[2];
static void half(int i)
{
    float *host, *extra;
    CHECK(cudaSetDevice(i));
    CHECK(cudaMallocHost(&host, N));
    for (int step = 0; step < 3; step++) {
        work<<<264, 256, 0, s[i]>>>(x[i], 50000 + 7000 * i);
        CHECK(cudaEventRecord(ready[i], s[i]));
        CHECK(cudaStreamWaitEvent(copy[i], ready[i], 0));
        CHECK(cudaMemcpyPeerAsync(halo[1 - i], 1 - i, x[i], i, N, copy[i]));
        CHECK(cudaEventRecord(sent[i], copy[i]));
        CHECK(cudaLaunchHostFunc(copy[i], [](void *) { host_work(3000); }, NULL));
        CHECK(cudaMallocAsync(&extra, 4096, s[i]));
        CHECK(cudaMemsetAsync(extra, 0, 4096, s[i]));
        CHECK(cudaFreeAsync(extra, s[i]));
        CHECK(cudaStreamWaitEvent(s[i], sent[i], 0));
    }
    CHECK(cudaMemcpyAsync(host, x[i], N, cudaMemcpyDeviceToHost, s[i]));
    CHECK(cudaDeviceSynchronize());
    printf("%d: %g\n", i, host[0]);
}
int main()
{
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        if (i == 0)
            CHECK(cudaDeviceEnablePeerAccess(1, 0));
        CHECK(cudaMalloc(&x[i], N));
        CHECK(cudaMalloc(&halo[i], N));
        CHECK(cudaMemset(x[i], 0, N));
        CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        CHECK(cudaStreamCreateWithFlags(&copy[i], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(&sent[i], cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&ready[i], cudaEventDisableTiming));
        CHECK(cudaDeviceSynchronize());
    }
    std::thread zero(half, 0), one(half, 1);
    zero.join();
    one.join();
    CHECK(cudaMemcpyPeer(halo[0], 0, x[1], 1, N));
    float *value;
    CHECK(cudaMallocHost(&value, sizeof *value));
    CHECK(cudaMemcpy(value, halo[0], sizeof *value, cudaMemcpyDeviceToHost));
    printf("%g\n", *value);
}
EOF
run "$scratch/busy"
[ $status = 0 ] && [ "$(sort "$scratch/out" | tr '\n' ' ')" = '0: 792 1: 792 792 ' ] && [ "$(hazards)" = 0 ]
say $? 'two host threads work on a device each, and copy from one to the other'
for i in 1 2 3 4 5; do
    WORKBOOK_LOG=9 "$scratch/busy" 9> "$scratch/log$i" > /dev/null 2>&1
done
[ "$(cksum "$scratch"/log[1-5] | cut -d ' ' -f 1,2 | sort -u | wc -l)" = 1 ]
say $? 'the log is the same in every run, byte for byte'
WORKBOOK_LOG=9 SHOW=8 run "$scratch/busy" 9> "$scratch/log" 8> "$scratch/shown"
build/tests/sim/replay < "$scratch/log" > "$scratch/replayed" 2>> "$scratch/errors"
[ -s "$scratch/shown" ] && diff "$scratch/shown" "$scratch/replayed" >> "$scratch/errors"
say $? 'a replay of the log gives the timeline that the program had, byte for byte'
grep -q '^peer cudaMemcpyPeerAsync device 0 ' "$scratch/shown" && grep -q '^peer cudaMemcpyPeerAsync device 1 ' "$scratch/shown" &&
    grep -q '^kernel work(.*) device 1 \|^kernel work device 1 ' "$scratch/shown"
say $? 'it has both devices in it'

run build/bin/timeline --svg "$scratch/picture.svg" --trace "$scratch/trace.json" --width 100 "$scratch/busy"
grep -q '^gpu 0 kernel ' "$scratch/out" && grep -q '^gpu 1 peer copy ' "$scratch/out" && grep -q '^gpu 1 default' "$scratch/out"
say $? 'the picture has lanes of both devices'
grep -q 'from gpu 1 to gpu 0' "$scratch/picture.svg" && grep -q '"args":{"name":"device 1"}' "$scratch/trace.json"
say $? 'so do the SVG and the trace'
run env SIM_PROFILE=h200 "$scratch/busy"
[ $status = 1 ] && grep -q 'cudaErrorInvalidDevice' "$scratch/errors"
say $? 'where there is one device, the second cannot be had'

# ---- hazards ----

build hazards << 'EOF'
#include "streams.h"
__global__ void put(int *x) { *x = 1; }
__global__ void get(int *to, const int *from) { *to = *from; }
int main(int, char **argv)
{
    int *d[2], *there[2];
    cudaStream_t s[2];
    cudaEvent_t e;
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaDeviceEnablePeerAccess(1 - i, 0));
        CHECK(cudaMalloc(&d[i], 16));
        CHECK(cudaMalloc(&there[i], 16));
        CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    switch (argv[1][0]) {
    case 'n':                       /* nothing between them */
    case 'e':                       /* an event */
        put<<<1, 1, 0, s[0]>>>(d[0]);
        CHECK(cudaEventRecord(e, s[0]));
        if (argv[1][0] == 'e')
            CHECK(cudaStreamWaitEvent(s[1], e, 0));
        CHECK(cudaSetDevice(1));
        get<<<1, 1, 0, s[1]>>>(d[1], d[0]);
        break;
    case 'd':                       /* both default streams */
        put<<<1, 1>>>(d[0]);
        CHECK(cudaSetDevice(1));
        get<<<1, 1>>>(d[1], d[0]);
        break;
    case 'p':                       /* a copy between devices, then the other's default stream */
        put<<<1, 1>>>(d[0]);
        CHECK(cudaMemcpyPeer(d[1], 1, d[0], 0, 4));
        CHECK(cudaSetDevice(1));
        get<<<1, 1>>>(there[1], d[1]);
        break;
    case 'a':                       /* the same, asynchronous to other devices */
        put<<<1, 1>>>(d[0]);
        CHECK(cudaMemcpyPeerAsync(d[1], 1, d[0], 0, 4, 0));
        CHECK(cudaSetDevice(1));
        get<<<1, 1>>>(there[1], d[1]);
        break;
    case 'w':                       /* waiting for the wrong device */
        put<<<1, 1>>>(d[0]);
        CHECK(cudaSetDevice(1));
        CHECK(cudaDeviceSynchronize());
        get<<<1, 1>>>(d[1], d[0]);
        break;
    case 'x':                       /* no peer any more */
        CHECK(cudaDeviceDisablePeerAccess(1));
        put<<<1, 1>>>(d[1]);
        break;
    case 'o':                       /* from a pool */
        CHECK(cudaMallocAsync(&there[1], 16, s[1]));
        CHECK(cudaStreamSynchronize(s[1]));
        put<<<1, 1>>>(there[1]);
        break;
    }
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    cudaSetDevice(1);
    cudaDeviceSynchronize();
}
EOF
run "$scratch/hazards" n
[ "$(hazards)" = 1 ] && tells 'kernel put in stream 2 of device 0 ' && tells 'kernel get in stream 3 of device 1 '
say $? 'kernels of two devices that meet with nothing between them are a hazard'
run "$scratch/hazards" e
[ "$(hazards)" = 0 ]
say $? 'with an event between them they are none'
run "$scratch/hazards" d
[ "$(hazards)" = 1 ] && tells "a default stream is its own device's, and waits for no other's streams"
say $? 'default streams of two devices order nothing between them'
run "$scratch/hazards" p
[ "$(hazards)" = 0 ]
say $? 'a copy between devices in a default stream does, on both'
run "$scratch/hazards" a
[ "$(hazards)" = 1 ]
say $? 'an asynchronous one does not on the other'
run "$scratch/hazards" w
[ "$(hazards)" = 1 ]
say $? 'waiting for one device is no wait for the other'
run "$scratch/hazards" x
[ "$(hazards)" = 1 ] && tells 'that is memory of device 1, and the kernel runs on device 0. Let it reach there (cudaSetDevice(0); cudaDeviceEnablePeerAccess(1, 0))'
say $? 'a kernel that reaches for memory of a device that is no peer is told what to do'
run "$scratch/hazards" o
[ "$(hazards)" = 1 ] && tells 'It comes from a pool; let device 0 have it (cudaMemPoolSetAccess)'
say $? "peers do not reach a pool's memory by being peers"

# ---- a graph over two devices ----

build graph << 'EOF'
#include <stdio.h>
#include "streams.h"
__global__ void work(int *x) { kernel_cost(100000); ++*x; }
int main()
{
    int *d[2], value;
    cudaStream_t s[2];
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    for (int i = 1; i >= 0; i--) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaMalloc(&d[i], 16));
        CHECK(cudaMemset(d[i], 0, 16));
        CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        CHECK(cudaEventCreateWithFlags(i ? &join : &fork, cudaEventDisableTiming));
        CHECK(cudaDeviceSynchronize());
    }
    CHECK(cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecord(fork, s[0]));
    CHECK(cudaStreamWaitEvent(s[1], fork, 0));
    work<<<132, 1024, 0, s[0]>>>(d[0]);
    CHECK(cudaSetDevice(1));
    work<<<132, 1024, 0, s[1]>>>(d[1]);
    CHECK(cudaEventRecord(join, s[1]));
    CHECK(cudaStreamWaitEvent(s[0], join, 0));
    CHECK(cudaMemcpyPeerAsync(d[0] + 1, 0, d[1], 1, sizeof(int), s[0]));
    CHECK(cudaStreamEndCapture(s[0], &graph));
    CHECK(cudaSetDevice(0));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s[0]));
    CHECK(cudaStreamSynchronize(s[0]));
    CHECK(cudaMemcpy(&value, d[0] + 1, sizeof value, cudaMemcpyDeviceToHost));
    printf("%d\n", value);
}
EOF
WORKBOOK_LOG=9 SHOW=8 run "$scratch/graph" 9> "$scratch/log" 8> "$scratch/shown"
[ "$(cat "$scratch/out")" = 135168 ] && grep -q '^kernel work device 0 ' "$scratch/shown" && grep -q '^kernel work device 1 ' "$scratch/shown"
say $? 'a graph that was captured on two devices runs on both'
build/tests/sim/replay < "$scratch/log" > "$scratch/replayed" 2>> "$scratch/errors"
diff "$scratch/shown" "$scratch/replayed" >> "$scratch/errors"
say $? 'and its log replays to the same timeline'

# ---- memory that is given back too early ----

# cudaFree waits for the current device alone: the other one's copy comes too late.
build gone << 'EOF'
#include <stdio.h>
#include "streams.h"
__global__ void work(void) { kernel_cost(100000); }
int main()
{
    char *x[2];
    cudaStream_t s[2];
    cudaEvent_t full;
    for (int i = 0; i < 2; i++) {
        CHECK(cudaSetDevice(i));
        CHECK(cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking));
        CHECK(cudaMalloc(&x[i], 4096));
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaEventCreate(&full));
    work<<<1, 1, 0, s[0]>>>();
    CHECK(cudaEventRecord(full, s[0]));
    CHECK(cudaStreamWaitEvent(s[1], full, 0));
    CHECK(cudaMemcpyPeerAsync(x[1], 1, x[0], 0, 4096, s[1]));
    CHECK(cudaFree(x[0]));
    puts(cudaGetErrorName(cudaStreamSynchronize(s[1])));
}
EOF
run "$scratch/gone"
[ $status = 0 ] && [ "$(cat "$scratch/out")" = cudaErrorIllegalAddress ]
say $? 'a copy between devices from memory that is gone ends in an error, not in a standstill'

# ---- threads that ended before they were joined ----

build joined << 'EOF'
#include <thread>
#include "streams.h"
__global__ void fill(int *x) { kernel_cost(100000); *x = 1; }
int main()
{
    int *x[2], sum = 0;
    CHECK(cudaMallocHost(&x[0], sizeof(int)));
    CHECK(cudaMallocHost(&x[1], sizeof(int)));
    std::thread threads[2];
    for (int i = 0; i < 2; i++)
        threads[i] = std::thread([=] {
            CHECK(cudaSetDevice(i));
            fill<<<1, 1>>>(x[i]);
            CHECK(cudaDeviceSynchronize());
            if (i == 0)
                host_work(100000);
        });
    for (std::thread &t : threads)
        t.join();
    for (int *one : x)
        sum += *one;
    return sum != 2;
}
EOF
run env SIM_HAZARDS=1 "$scratch/joined"
[ $status = 0 ] && [ "$(hazards)" = 0 ]
say $? 'who joins a thread that has ended long ago knows what it waited for'

# ---- the program that measures two cards ----

build/bin/simcc -Wall -Wextra -Werror tests/gpu/peer.cu -o "$scratch/peer" || exit 2
run "$scratch/peer" 1
[ $status = 0 ] && [ "$(grep -c '^| .* GB/s' "$scratch/out")" -ge 10 ] &&
    [ "$(tail -n 1 "$scratch/out")" = '| cudaStreamSynchronize on 0 | cudaErrorIllegalAddress |' ]
say $? 'what measures two cards runs to its end here'
run env SIM_PROFILE=h200 "$scratch/peer"
[ $status = 0 ] && [ "$(cat "$scratch/out")" = 'This measures two devices; there is 1.' ]
say $? 'with one device it says so'
echo "1..$number"
