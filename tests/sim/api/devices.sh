#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs on the two devices of the profile `dual`: that they repeat, what a
# replay of the log gives, what is a hazard between devices, what pictures show.
. tests/sim/sim.bash
export SIM_PROFILE=dual
open_simulator

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
play busy
ok 'two host threads work on a device each, and copy from one to the other' \
    eval 'ends 0 && [ "$(sort "$dir/out" | paste -sd " ")" = "0: 792 1: 792 792" ] && [ "$(hazards)" = 0 ]'
ok 'the log is the same in every run, byte for byte' [ "$(different 5 busy)" = 0 ]
ok 'a replay of the log gives the timeline that the program had, byte for byte' replays busy
ok 'it has both devices in it' \
    eval 'grep -q "^peer cudaMemcpyPeerAsync device 0 " "$dir/shown" && grep -q "^peer cudaMemcpyPeerAsync device 1 " "$dir/shown" &&
    grep -qE "^kernel work(\(.*\))? device 1 " "$dir/shown"'

run build/bin/timeline --svg "$dir/picture.svg" --trace "$dir/trace.json" --width 100 "$dir/busy"
ok 'the picture has lanes of both devices' \
    eval 'grep -q "^gpu 0 kernel " "$dir/out" && grep -q "^gpu 1 peer copy " "$dir/out" && grep -q "^gpu 1 default" "$dir/out"'
ok 'so do the SVG and the trace' \
    eval 'grep -q "from gpu 1 to gpu 0" "$dir/picture.svg" && grep -qF "\"args\":{\"name\":\"device 1\"}" "$dir/trace.json"'
SIM_PROFILE=h200 play busy
ok 'where there is one device, the second cannot be had' eval 'ends 1 && complains cudaErrorInvalidDevice'

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
play hazards n
ok 'kernels of two devices that meet with nothing between them are a hazard' \
    eval '[ "$(hazards)" = 1 ] && complains "kernel put in stream 2 of device 0 " && complains "kernel get in stream 3 of device 1 "'
play hazards e
ok 'with an event between them they are none' [ "$(hazards)" = 0 ]
play hazards d
ok 'default streams of two devices order nothing between them' \
    eval '[ "$(hazards)" = 1 ] && complains "a default stream belongs to its device, and does not wait for streams of other devices"'
play hazards p
ok 'a copy between devices in a default stream does, on both' [ "$(hazards)" = 0 ]
play hazards a
ok 'an asynchronous one does not on the other' [ "$(hazards)" = 1 ]
play hazards w
ok 'waiting for one device is no wait for the other' [ "$(hazards)" = 1 ]
play hazards x
ok 'a kernel that reaches for memory of a device that is no peer is told what to do' \
    eval '[ "$(hazards)" = 1 ] && complains "that is memory of device 1, and the kernel runs on device 0. Let it reach there (cudaSetDevice(0); cudaDeviceEnablePeerAccess(1, 0))"'
play hazards o
ok "peers do not reach a pool's memory by being peers" \
    eval '[ "$(hazards)" = 1 ] && complains "It comes from a pool; let device 0 have it (cudaMemPoolSetAccess)"'

# ---- names, and what a reset leaves ----

build names << 'EOF'
#include <stdio.h>
int main()
{
    const char *const names[] = { "0000:01:00.0", "0000:01:00", "01:00.0", "01:00.1", "02:00.0" };
    int device, found = 0;
    cudaEvent_t events[2];
    for (const char *name : names)
        found = 10 * found + (cudaDeviceGetByPCIBusId(&device, name) == cudaSuccess ? device : 7);
    for (int i = 0; i < 2; i++) {
        cudaSetDevice(i);
        cudaEventCreate(&events[i]);
    }
    cudaDeviceReset();
    printf("%d %s %s\n", found, cudaGetErrorName(cudaEventQuery(events[0])), cudaGetErrorName(cudaEventQuery(events[1])));
}
EOF
play names
ok 'a device is known by its place on the bus, written in full or not; a reset takes its events, and no others' \
    prints '11177 cudaSuccess cudaErrorInvalidResourceHandle'

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
shows graph
ok 'a graph that was captured on two devices runs on both' \
    eval 'prints 135168 && grep -q "^kernel work device 0 " "$dir/shown" && grep -q "^kernel work device 1 " "$dir/shown"'
ok 'and its log replays to the same timeline' replays graph

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
play gone
ok 'a copy between devices from memory that is gone ends in an error, not in a standstill' \
    eval 'ends 0 && prints cudaErrorIllegalAddress'

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
SIM_HAZARDS=1 play joined
ok 'who joins a thread that has ended long ago knows what it waited for' eval 'ends 0 && [ "$(hazards)" = 0 ]'

# ---- the program that measures two cards ----

build/bin/simcc -Wall -Wextra -Werror tests/gpu/peer.cu -o "$dir/peer" || exit 2
play peer 1
ok 'what measures two cards runs to its end here' \
    eval 'ends 0 && [ "$(grep -c "^| .* GB/s" "$dir/out")" -ge 10 ] &&
    [ "$(tail -n 1 "$dir/out")" = "| cudaStreamSynchronize on 0 | cudaErrorIllegalAddress |" ]'
SIM_PROFILE=h200 play peer
ok 'with one device it says so' eval 'ends 0 && prints "This measures two devices; there is 1."'
done_testing
