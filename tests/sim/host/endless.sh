#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Programs that wait for what never comes say so, and those that wait for a variable that something queued will change go on.
. tests/sim/sim.bash

build endless <<'END'
#include <atomic>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <new>
#include <thread>
#include <unistd.h>
__global__ void waits(volatile int *flag) { while (!*flag) ; }
__global__ void waits_atomically(int *flag) { while (atomicAdd(flag, 0) == 0) ; }
__global__ void counts(int *flag) { for (;;) atomicAdd(flag, 1); }
__global__ void sets(int *flag) { *flag = 1; }
/* They come to an end by themselves, after more looks than most waits take. */
__global__ void adds(volatile int *from, int *to) { int sum = 0; for (int i = 0; i < 3000000; i++) sum += *from; *to = sum; }
__global__ void stores(volatile int *at) { while (*at < 3000000) *at += 1; }
__global__ void looks_for_a_while(int *flag) { int i = 0; while (atomicAdd(flag, 0) == 0 && i < 3000000) i++; }
/* Each thread of many looks once. */
__global__ void looks(volatile int *flag, int *out) { if (*flag) *out = 1; }
static void CUDART_CB function_waits(void *flag) { while (!*(volatile int *)flag) ; }
static void CUDART_CB function_sets(void *flag) { *(volatile int *)flag = 1; }
static std::atomic<int> ready;
static volatile bool told;
int main(int argc, char **argv)
{
    const char *which = argv[1];
    int *flag, *device;
    cudaStream_t s, t;
    cudaMallocHost(&flag, sizeof *flag);
    *flag = 0;
    cudaMalloc(&device, sizeof *device);
    cudaMemset(device, 0, sizeof *device);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    if (!strcmp(which, "kernel"))
        waits<<<1, 1, 0, s>>>(device);
    else if (!strcmp(which, "atomic"))
        waits_atomically<<<2, 64, 0, s>>>(device);
    else if (!strcmp(which, "counts"))
        counts<<<3, 1, 0, s>>>(device);
    else if (!strcmp(which, "adds"))
        adds<<<2, 1, 0, s>>>(device, flag);
    else if (!strcmp(which, "stores"))
        stores<<<1, 1, 0, s>>>(device);
    else if (!strcmp(which, "while"))
        looks_for_a_while<<<1, 2, 0, s>>>(device);
    else if (!strcmp(which, "asks")) {
        sets<<<1, 1, 0, s>>>(flag);
        while (cudaStreamQuery(s) == cudaErrorNotReady || cudaStreamQuery(t) == cudaSuccess)
            ;
    } else if (!strcmp(which, "not-ready")) {
        cudaEvent_t event;
        cudaEventCreate(&event);
        cuStreamWaitValue32(s, (CUdeviceptr)device, 1, CU_STREAM_WAIT_VALUE_EQ);
        cudaEventRecord(event, s);
        while (cudaEventQuery(event) == cudaErrorNotReady)
            std::this_thread::yield();
    } else if (!strcmp(which, "sleeps")) {
        waits<<<1, 1, 0, s>>>(flag);
        while (!*(volatile int *)flag)
            usleep(10);
    } else if (!strcmp(which, "many"))
        looks<<<20000, 1024, 0, s>>>(device, device);
    else if (!strcmp(which, "function"))
        cudaLaunchHostFunc(s, function_waits, flag);
    else if (!strcmp(which, "function-set")) {
        cudaLaunchHostFunc(s, function_waits, flag);
        std::thread([=] { *(volatile int *)flag = 1; }).join();
    } else if (!strcmp(which, "by-kernel")) {
        sets<<<1, 1, 0, s>>>(flag);
        while (!*(volatile int *)flag)
            ;
    } else if (!strcmp(which, "by-function")) {
        cudaLaunchHostFunc(s, function_sets, flag);
        while (!*(volatile int *)flag)
            ;
    } else if (!strcmp(which, "by-atomic")) {
        std::atomic<int> *at = new (flag) std::atomic<int>(0);
        sets<<<1, 1, 0, s>>>(flag);
        while (at->load(std::memory_order_acquire) == 0)
            ;
    } else if (!strcmp(which, "by-thread")) {
        std::thread other([] { ready = 1; while (!told) ; });
        while (!ready)
            ;
        told = true;
        other.join();
    } else if (!strcmp(which, "nobody")) {
        while (!*(volatile int *)flag)
            ;
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END
ends_with_timeout() { play endless "$1"; ends 0 && prints cudaErrorLaunchTimeout && grep -q "endless.cu:$2: kernel $3: thread (0,0,0) of block (0,0,0) waits for a variable to change, and nothing changes it" "$dir/err"; }
ok 'a kernel that waits for a flag that nothing sets ends with cudaErrorLaunchTimeout, and says where' ends_with_timeout kernel 8 waits
ok 'and one that asks by an atomic' ends_with_timeout atomic 9 waits_atomically
right() { play endless "$1"; ends 0 && prints cudaSuccess; }
ok 'a grid of which each thread looks once is none of those' right many
for some in adds stores while; do
    ok "nor is a kernel that looks three million times and ends: $some" right $some
done
deadlocks() { play endless "$1"; ends 3 && grep -q "^deadlock: .*$2" "$dir/err"; }
ok 'a host function that waits for a flag that nobody sets is a deadlock' deadlocks function 'the host functions. thread waits for a variable in memory to change (in the function queued at endless.cu:[0-9]*)'
ok 'so is a host that does' deadlocks nobody 'the main thread waits for a variable in memory to change'
ok 'a host function goes on when a thread sets it' right function-set
for by in kernel function atomic thread; do
    ok "a host that waits for a flag goes on when something else has set it: $by" right by-$by
done
same() { [ "$(different 3 endless by-kernel)" = 0 ]; }
ok 'and does so at the same time in each run' same
cores=
[ "$(nproc --all)" = 1 ] || cores='; SIM_CORES=n, on n cores of this machine'
tells() {   # TEXT HAZARDS ARGUMENT
    local text=$1 left=600 child
    SIM_HAZARDS=$2 "$dir/endless" "$3" > "$dir/out" 2> "$dir/err" &
    child=$!
    until grep -q "$text" "$dir/err"; do
        ((left-- > 0)) && kill -0 "$child" || break
        sleep 0.1
    done
    kill "$child"
    wait "$child" 2> /dev/null
    grep -q "$text" "$dir/err"
}
ok 'a kernel that runs for long is told of while it does: which, how far it is, and what makes it faster' \
    tells "endless.cu:[0-9]*: kernel counts has run for [0-9]* s of real time and has begun 1 of its 3 blocks; it goes on .*Faster: SIM_HAZARDS=0, without the search for hazards$cores\$" 1 counts
ok 'without hazards, that it never ends when it waits for the host' tells 'kernel counts has run for .* one that waits for these never ends' 0 counts
asked='times in a row, and nothing queued can change its answer; the program goes on (Ctrl-C ends it)$'
ok 'a loop that queries a stream whose answer cannot change is reported' \
    tells "endless.cu:[0-9]*: cudaStreamQuery has returned cudaSuccess [0-9]* $asked" 0 asks
ok 'so is one for an event that never comes' \
    tells "endless.cu:[0-9]*: cudaEventQuery has returned cudaErrorNotReady [0-9]* $asked" 1 not-ready
ok 'and one that sleeps, and looks for what a kernel that was ended should have done' \
    tells 'endless.cu:[0-9]*: since waits here the host has slept [0-9]* times in a row, and nothing queued can change what it waits for' 0 sleeps

build blind << 'END'
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
__global__ void sets(int *flag) { *flag = 1; }
__global__ void waits(volatile int *flag, int *answer) { while (!*flag) ; *answer = 3; }
__global__ void adds(int *at) { atomicAdd(at, 1); }
static volatile int done;
static void CUDART_CB function_sets(void *flag) { *(volatile int *)flag = 1; }
static std::chrono::steady_clock::time_point start;
static void passed(const char *what) { printf("%s %lld\n", what, (long long)(std::chrono::steady_clock::now() - start).count()); }
static int *flag, *device;
static cudaStream_t s, t;
static void polls()
{
    sets<<<1, 1, 0, s>>>(flag);
    for (int i = 0; i < 20; i++)
        adds<<<64, 64, 0, t>>>(device);
    while (!*(volatile int *)flag)
        ;
    passed("kernel");
    cudaLaunchHostFunc(s, function_sets, (void *)&done);
    while (!done)
        ;
    passed("function");
}
static void computes(long turns)
{
    volatile unsigned sum = 1;
    adds<<<2, 32, 0, t>>>(device);
    waits<<<1, 1, 0, s>>>(flag, flag + 3);
    cudaLaunchHostFunc(t, function_sets, flag + 4);
    for (; turns > 0; turns--)
        sum = sum * 1664525u + 1013904223u;
    passed("computed");
    *(volatile int *)flag = 1;
    adds<<<2, 32, 0, t>>>(device);
}
int main(int argc, char **argv)
{
    cudaHostAlloc(&flag, 8 * sizeof *flag, cudaHostAllocMapped);
    cudaMalloc(&device, sizeof *device);
    cudaMemset(device, 1, sizeof *device);
    memset(flag, 0, 8 * sizeof *flag);
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaDeviceSynchronize();
    start = std::chrono::steady_clock::now();
    if (argc > 1)
        computes(atol(argv[1]));
    else
        std::thread(polls).join();
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    passed("end");
    printf("%d %d\n", flag[3], flag[4]);
}
END
waits_for_it() {
    SIM_HAZARDS=1 play blind && ends 0 && mv "$dir/out" "$dir/seen" || return
    SIM_HAZARDS=0 run timeout 400 "$dir/blind"
    ends 0 && diff "$dir/seen" "$dir/out" > "$dir/differ" && grep -q "blind.cu:[0-9]*: .* is queued and has not begun, .*its loop waits for what is queued" "$dir/err"
}
ok 'a host thread that waits for memory goes on without hazards, too, at the same times: what has not begun is told of' waits_for_it
computes_on() {
    SIM_HAZARDS=0 play blind 1 && ends 0 && mv "$dir/out" "$dir/short" || return
    SIM_HAZARDS=0 run timeout 400 "$dir/blind" 5000000000
    ends 0 && diff "$dir/short" "$dir/out" > "$dir/differ" && grep -q '^3 1$' "$dir/out" && grep -q 'kernel adds is queued and has not begun, .*that is not known' "$dir/err"
}
ok 'one that computes for as long gets the same bytes at the same times, and what waits for it is not begun before' computes_on
done_testing
