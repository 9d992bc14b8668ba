#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Why a call was refused: the words that CHECK shows, one case a run. Which error comes is tests/sim/rules.
. tests/sim/sim.bash

build fails << 'EOF'
#include <stdlib.h>
#include <thread>
#include <semaphore.h>
#include "streams.h"
__global__ void fill(int *p, int n) { if ((int)threadIdx.x < n) p[threadIdx.x] = 1; }
__global__ void asserts(int *p) { assert(p == 0); }
__device__ int variable[10];
static int host[100];
int main(int, char **argv)
{
    int *d, *more = NULL, *pinned, *managed, device;
    float ms;
    sem_t nobody_posts;
    cudaStream_t s, t, far, unmade = (cudaStream_t)0x777;
    cudaEvent_t event, untimed;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaMemPool_t pool;
    cudaFuncAttributes attributes;
    cudaSetDevice(1);
    CHECK(cudaStreamCreate(&far));
    cudaSetDevice(0);
    CHECK(cudaMalloc(&d, 400));
    CHECK(cudaMallocHost(&pinned, 400));
    CHECK(cudaMallocManaged(&managed, 400));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaStreamCreate(&t));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    switch (atoi(argv[1])) {
    case 1: fill<<<1, 2048>>>(d, 1); CHECK(cudaGetLastError()); break;
    case 2: fill<<<0, 1>>>(d, 1); CHECK(cudaGetLastError()); break;
    case 3: fill<<<1, dim3(64, 64)>>>(d, 1); CHECK(cudaGetLastError()); break;
    case 4: fill<<<1, dim3(1, 1, 65)>>>(d, 1); CHECK(cudaGetLastError()); break;
    case 5: fill<<<dim3(1, 70000), 1>>>(d, 1); CHECK(cudaGetLastError()); break;
    case 6: fill<<<1, 1, 100000>>>(d, 1);
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaGetLastError()); break;
    case 7: fill<<<1, 1, 0, unmade>>>(d, 1); CHECK(cudaGetLastError()); break;
    case 10: CHECK(cudaMemcpy(host, d, 400, cudaMemcpyHostToDevice)); break;
    case 11: CHECK(cudaMemcpy(host, d, 400, cudaMemcpyDeviceToDevice)); break;
    case 12: CHECK(cudaMemcpy(d, host, 404, cudaMemcpyHostToDevice)); break;
    case 13: CHECK(cudaMemcpy(d + 90, host, 44, cudaMemcpyHostToDevice)); break;
    case 14: CHECK(cudaFree(d)); CHECK(cudaMemcpy(d, host, 4, cudaMemcpyHostToDevice)); break;
    case 15: CHECK(cudaMemcpy(d, NULL, 4, cudaMemcpyHostToDevice)); break;
    case 16: CHECK(cudaMemcpy(d, host, 4, (cudaMemcpyKind)9)); break;
    case 17: CHECK(cudaMemcpy2D(d, 16, host, 8, 16, 2, cudaMemcpyHostToDevice)); break;
    case 18: CHECK(cudaMemcpyPeer(d, 0, d, 7, 4)); break;
    case 19: CHECK(cudaMemcpyToSymbol(variable, host, 44)); break;
    case 20: CHECK(cudaMemcpyToSymbol(host, host, 4)); break;
    case 21: CHECK(cudaMemset(host, 0, 4)); break;
    case 22: CHECK(cudaMemset(d, 0, 401)); break;
    case 24: CHECK(cudaMemcpy(d, host, (2 - 3) * sizeof *d, cudaMemcpyHostToDevice)); break;
    case 23: cudaSetDevice(1); CHECK(cudaMemset(d, 0, 4)); break;
    case 30: CHECK(cudaFree(d));
             CHECK(cudaFree(d)); break;
    case 31: CHECK(cudaFree(d + 1)); break;
    case 32: CHECK(cudaFree(pinned)); break;
    case 33: CHECK(cudaFreeHost(d)); break;
    case 34: CHECK(cudaFree(host)); break;
    case 35: CHECK(cudaMalloc((int **)NULL, 4)); break;
    case 36: CHECK(cudaMalloc(&more, (size_t)1 << 50)); break;
    case 37: CHECK(cudaHostAlloc(&more, 4, 64)); break;
    case 38: CHECK(cudaHostRegister(pinned, 4, 0)); break;
    case 39: CHECK(cudaHostUnregister(pinned)); break;
    case 102: CHECK(cudaHostRegister(host, 4, 0)); CHECK(cudaHostRegister(host, 4, 0)); break;
    case 40: CHECK(cudaFreeAsync(d, s)); break;
    case 41: CHECK(cudaMallocAsync(&more, 4, s)); CHECK(cudaFreeAsync(more, s)); CHECK(cudaFreeAsync(more, s)); break;
    case 42: CHECK(cudaDeviceGetDefaultMemPool(&pool, 0)); CHECK(cudaMemPoolDestroy(pool)); break;
    case 47: { struct { int threshold; cudaMemPool_t pool; } __attribute__((packed)) x;
               CHECK(cudaDeviceGetDefaultMemPool(&pool, 0)); x.pool = pool;
               CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &x)); CHECK(cudaMemPoolTrimTo(x.pool, 0)); } break;
    case 43: CHECK(cudaHostGetDevicePointer(&more, host, 0)); break;
    case 44: CHECK(cudaMallocManaged(&more, 0)); break;
    case 45: CHECK(cudaMemPrefetchAsync(d, 4, { cudaMemLocationTypeHost, 0 }, 0, s)); break;
    case 46: CHECK(cudaMemPrefetchAsync(managed, 404, { cudaMemLocationTypeHost, 0 }, 0, s)); break;
    case 50: CHECK(cudaStreamDestroy(s));
             CHECK(cudaStreamSynchronize(s)); break;
    case 51: CHECK(cudaStreamSynchronize(unmade)); break;
    case 49: CHECK(cudaStreamDestroy(cudaStreamPerThread)); break;
    case 52: CHECK(cudaStreamCreateWithFlags(&s, 7)); break;
    case 53: CHECK(cudaStreamGetPriority(s, NULL)); break;
    case 54: CHECK(cudaLaunchHostFunc(s, NULL, NULL)); break;
    case 55: CHECK(cudaEventDestroy(event));
             CHECK(cudaEventRecord(event, s)); break;
    case 56: CHECK(cudaEventRecord(NULL, s)); break;
    case 57: CHECK(cudaEventRecord(event, far)); break;
    case 58: CHECK(cudaEventRecord(untimed, s)); CHECK(cudaEventElapsedTime(&ms, untimed, event)); break;
    case 59: CHECK(cudaEventRecord(event, s)); CHECK(cudaEventCreate(&untimed)); CHECK(cudaEventElapsedTime(&ms, event, untimed)); break;
    case 60: CHECK(cudaEventCreateWithFlags(&event, 64)); break;
    case 61: CHECK(cudaStreamWaitEvent(s, event, 7)); break;
    case 62: CHECK(cudaSetDevice(3)); break;
    case 63: CHECK(cudaDeviceEnablePeerAccess(0, 0)); break;
    case 64: CHECK(cudaDeviceEnablePeerAccess(1, 0)); CHECK(cudaDeviceEnablePeerAccess(1, 0)); break;
    case 65: CHECK(cudaDeviceDisablePeerAccess(1)); break;
    case 66: CHECK(cudaDeviceGetAttribute(&device, (cudaDeviceAttr)9999, 0)); break;
    case 67: CHECK(cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000)); break;
    case 68: CHECK(cudaFuncGetAttributes(&attributes, (const void *)host)); break;
    case 70: CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
             CHECK(cudaMalloc(&more, 4)); break;
    case 71: CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
             cudaStreamSynchronize(s);
             CHECK(cudaStreamEndCapture(s, &graph)); break;
    case 72: CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
             fill<<<1, 1>>>(d, 1);
             CHECK(cudaStreamEndCapture(s, &graph)); break;
    case 73: CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
             CHECK(cudaEventRecord(event, s)); CHECK(cudaStreamWaitEvent(t, event, 0));
             fill<<<1, 1, 0, t>>>(d, 1);
             CHECK(cudaStreamEndCapture(s, &graph)); break;
    case 74: CHECK(cudaStreamEndCapture(s, &graph)); break;
    case 75: CHECK(cudaStreamBeginCapture(0, cudaStreamCaptureModeGlobal)); break;
    case 76: CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); CHECK(cudaMemcpy(d, pinned, 4, cudaMemcpyHostToDevice)); break;
    case 77: CHECK(cudaEventRecord(event, t)); CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); CHECK(cudaStreamWaitEvent(s, event, 0)); break;
    case 78: CHECK(cudaGraphCreate(&graph, 0)); CHECK(cudaGraphInstantiate(&exec, graph, 0)); CHECK(cudaGraphExecDestroy(exec));
             CHECK(cudaGraphLaunch(exec, s)); break;
    case 79: CHECK(cudaGraphLaunch(NULL, s)); break;
    case 80: CHECK(cudaGraphCreate(&graph, 1)); break;
    case 90: fill<<<1, 128>>>(d + 1024, 128);
             CHECK(cudaGetLastError());
             CHECK(cudaDeviceSynchronize()); break;
    case 91: asserts<<<1, 1>>>(d); cudaDeviceSynchronize();
             CHECK(cudaMalloc(&more, 4)); break;
    case 92: fill<<<1, 128>>>(NULL, 128); CHECK(cudaStreamSynchronize(0)); break;
    case 93: cudaSetDevice(1); fill<<<1, 1>>>(d, 1); CHECK(cudaDeviceSynchronize()); break;
    case 100: fill<<<1, 1>>>(d + (1 << 28), 1); CHECK(cudaDeviceSynchronize()); break;
    case 101: CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal)); CHECK(cudaEventRecord(event, t)); CHECK(cudaStreamWaitEvent(s, event, 0)); break;
    case 94: { cudaError_t before = cudaFree(host);
               CHECK(cudaDeviceSynchronize());
               CHECK(before); } break;
    case 95: CHECK(cudaLaunchHostFunc(s, [](void *) { CHECK(cudaFree(NULL)); }, NULL)); CHECK(cudaDeviceSynchronize()); break;
    case 96: fill<<<1, 1, 0, s>>>(d, 1); CHECK(cudaStreamQuery(s)); break;
    case 97: cudaFree(host); CHECK(cudaErrorInvalidDevice); break;
    case 98: { std::thread other([&] { cudaFree(host); }); other.join(); CHECK(cudaErrorInvalidValue); } break;
    case 99: sem_init(&nobody_posts, 0, 0);
             cudaStreamSynchronize(s);
             CHECK(cudaLaunchHostFunc(s, [](void *p) { sem_wait((sem_t *)p); }, &nobody_posts));
             cudaStreamSynchronize(s); break;
    }
}
EOF
export SIM_PROFILE=dual SIM_HAZARDS=log

# line TEXT: the first line of the program that has it.
line() { grep -nF -- "$1" "$dir/fails.cu" | head -n 1 | cut -d: -f1; }
# why CASE SENTENCE WORDS: CHECK's second line in this case has these words.
why() {
    play fails "$1"
    wanted=$3
    ok "$2" eval 'ends 1 && complains "    why: " && complains "$wanted"'
}
# mute CASE SENTENCE: CHECK has no second line.
mute() {
    play fails "$1"
    ok "$2" eval 'ends 1 && not complains why:'
}
launch='the launch of fill in line' made="cudaMalloc in line $(line 'CHECK(cudaMalloc(&d')" device='memory of device 0'
no_stream='the stream is not valid: ' no_event='the event is not valid: '

why 1 'a block too large is told with both numbers' "$launch $(line 'case 1:') was refused: the block (the second parameter) has 2048 threads in x, and this device takes at most 1024"
why 2 'a grid of no blocks is' 'the grid (the first parameter) has 0 blocks in x, and needs at least 1'
why 3 'too many threads in all are' 'has 4096 threads (64 x 64 x 1), and this device takes at most 1024'
why 4 'a block too deep is' 'has 65 threads in z, and this device takes at most 64'
why 5 'a grid too large is' 'has 70000 blocks in y, and this device takes at most 65535'
why 6 'a launch is named though the news comes later, with its shared memory' \
    "$launch $(line 'case 6:') was refused: 100000 bytes of dynamic shared memory a block (the third parameter) are more than the 49152 "
why 7 'so is its stream' "$launch $(line 'case 7:') was refused: ${no_stream}no call returned it"

why 10 'swapped arguments of a copy are told with what each is' \
    "the direction is cudaMemcpyHostToDevice, but the first argument, dst, is host memory that is not pinned and the second argument, src, is $device ($made): are they swapped?"
why 11 'a wrong direction is no swap' "the second argument, src, is $device ($made)"
ok 'and is not called one' not complains swapped
why 12 'a copy that is too long is told with both numbers' "the first argument, dst, is $device ($made), with 400 bytes from there on; the copy needs 404"
why 13 'from the middle of an allocation, too' 'with 40 bytes from there on; the copy needs 44'
why 14 'memory that was freed is named by the call that did it' "the first argument, dst, is memory that cudaFree in line $(line 'case 14:') has freed"
why 15 'NULL is NULL' 'the second argument, src, is NULL'
why 16 'a direction that is none is shown' 'the direction, kind, is 9, which is not a valid one'
why 17 'a pitch is compared with the row' 'the fourth argument, spitch, is 8 bytes from row to row, and a row has 16'
why 18 'a device that is none is told with those that are' 'the fourth argument, srcDevice, is 7; the devices are numbered from 0 to 1'
why 19 'a variable has so many bytes' 'more than the variable variable has: 40'
why 20 'a host variable is no symbol' 'the argument symbol is not a __device__, __constant__ or __managed__ variable'
why 21 'memset of host memory' 'the first argument, devPtr, is host memory that is not pinned'
why 22 'memset past the end' 'with 400 bytes from there on; the memset needs 401'
why 24 'a size below 0 is called one' 'the copy needs 18446744073709551612 bytes (that is -4, a size below 0, as a size_t)'
why 23 'memset of what the device does not reach' "is $device ($made), which device 1, whose stream is to do it, may not reach"

why 30 'a second free names the first' "the argument is memory that cudaFree in line $(line 'case 30:') has freed"
why 31 'an address inside an allocation' "the argument points 4 bytes into $device ($made)"
why 32 'the wrong free of pinned memory' 'which cudaFreeHost frees'
why 33 'and of device memory' 'which cudaFree frees'
why 34 'host memory cannot be freed' 'the argument is host memory that is not pinned'
why 35 'no place for the address' 'the first argument, where the address goes, is NULL'
why 36 'more than there is' '1125899906842624 bytes are asked for; device 0 has '
why 37 'an unknown flag' 'the third argument, flags, is 0x40'
why 38 'memory that is pinned already' "pinned already (pinned host memory (cudaMallocHost in line $(line 'CHECK(cudaMallocHost')))"
why 102 'memory that is registered already' "): cudaHostUnregister undoes that"
why 39 'memory that was not registered' 'not the beginning of what cudaHostRegister has pinned'
why 40 'cudaFreeAsync of other memory' 'the beginning of what cudaMallocAsync gave is needed'
why 41 'cudaFreeAsync twice' "is memory that cudaFreeAsync in line $(line 'case 41:') has freed"
why 47 'a threshold in an int, and the pool beside it' 'writes a threshold or a size as a uint64_t, eight bytes'
why 42 'a default pool stays' 'the pool is the default one of device 0'
why 43 'pageable memory where pinned is wanted' 'the second argument, pHost, is host memory that is not pinned; pinned host memory is needed'
why 44 'managed memory of no bytes' 'the second argument, size, is 0'
why 45 'a prefetch of device memory' "is $device ($made); 4 bytes of managed memory are needed"
why 46 'a prefetch past the end' 'with 400 bytes from there on; 404 bytes of managed memory are needed'

why 50 'a destroyed stream is told with the line' "${no_stream}it was destroyed by cudaStreamDestroy in line $(line 'case 50:'), and made by cudaStreamCreate in line $(line 'CHECK(cudaStreamCreate(&s')"
why 51 'one that was never made is told as that' "${no_stream}no call returned it"
why 49 'a default stream is told by its name' "${no_stream}cudaStreamPerThread is a default stream, which no call made and none destroys"
why 52 'flags that are none' 'the second argument, flags, is 0x7; it may be cudaStreamDefault or cudaStreamNonBlocking'
why 53 'an answer needs a place' 'the second argument, where the answer goes, is NULL'
why 54 'a function that is NULL' 'the second argument, the function, is NULL'
why 55 'a destroyed event is told with the line' "${no_event}it was destroyed by cudaEventDestroy in line $(line 'case 55:'), and made by cudaEventCreate in line $(line 'cudaEventCreate(&event)')"
why 56 'an event that is NULL' "${no_event}it is NULL"
why 57 'an event of another device says so, and where it was made' \
    "the event is device 0's (cudaEventCreate in line $(line 'cudaEventCreate(&event)')) and the stream device 1's"
why 58 'an event without timing' 'the second argument, start, was created with cudaEventDisableTiming'
why 59 'an event without a record' 'the third argument, end, was never recorded'
why 60 'event flags that are none' 'the second argument, flags, is 0x40'
why 61 'wait flags that are none' 'the third argument, flags, is 0x7'

why 62 'a device that is none' 'the argument, device, is 3; the devices are numbered from 0 to 1'
why 63 'no device is its own peer, and which call made it current' \
    "device 0 is current (cudaSetDevice in line $(line 'cudaSetDevice(0);')), and is not its own peer"
why 64 'peer access twice' 'device 0, which is current, may reach device 1 already'
why 65 'peer access that was not there' 'device 0, which is current, was not allowed to reach device 1'
why 66 'an attribute that is none' 'the second argument, attr, is 9999'
why 67 'too much shared memory to ask for' 'is 300000 bytes of shared memory a block; this device has at most 232448'
why 68 'a function that is no kernel' 'the function that is asked about is not a kernel'

why 70 'a call that is not safe in a capture' "not safe while this thread captures (the capture that began in line $(line 'case 70:'))"
why 71 'the end of a broken capture names the call that broke it' \
    "cudaStreamSynchronize in line $(($(line 'case 71:') + 1)) has broken the capture: it asks about, or waits for, work that is captured"
why 72 'also a launch' "the launch of fill in line $(($(line 'case 72:') + 1)) has broken the capture: it is about the legacy default stream"
why 73 'a branch that was not joined' 'a stream that joined the capture was not joined back, and nothing waits for '
why 74 'no capture to end' 'the stream does not capture'
why 75 'no capture of the legacy stream' 'the stream is the legacy default stream, which cannot capture'
why 76 'a copy in the legacy stream' 'it is about the legacy default stream, which would have to wait for a blocking stream that captures'
why 77 'a wait for work outside' 'the event was last recorded outside the capture (cudaEventRecord in line '
why 101 'a stream that was to take part and waited for nothing' \
    "recorded outside the capture (cudaEventRecord in line $(line 'case 101:')), whose work may wait for nothing outside; that stream did not join: it has waited for no event of the capture"
why 78 'an executable graph that was destroyed' "it was destroyed by cudaGraphExecDestroy in line $(line 'case 78:')"
why 79 'one that is NULL' 'the executable graph is not valid: it is NULL'
why 80 'graph flags' 'the second argument, flags, is 0x1 and must be 0'

news='the device has been lost since then, and this call only reports it'
why 90 'an illegal address names kernel, line and address' \
    "kernel fill, launched in line $(line 'case 90:'), touched address 0x200000001000, 3696 bytes past the end of the 400 bytes of $device ($made); $news"
why 91 'so does a failed assert, at any later call' "kernel asserts, launched in line $(line 'case 91:'), failed an assert(); $news"
why 92 'NULL is told as far as it is known' 'touched NULL, or an invalid address (the processor reports 0)'
why 100 'an address far from all is told of to its end' "an address that no call returned (the latest that one returned is of cudaMallocManaged in line $(line 'cudaMallocManaged(&managed')); $news"
why 93 'memory of another device is named' "touched $device ($made), and ran on device 1"
SIM_PROFILE=strangers why 93 'and that it cannot be reached, where that is so' \
    "touched $device ($made), and ran on device 1, which cannot reach it here (cudaDeviceCanAccessPeer says so); $news"
why 94 'a status that was kept names the call it came from' "cudaFree in line $(line 'case 94:') failed: the argument is host memory"
why 95 'a call in a host function names what queued it' "it is called in the host function that was queued in line $(line 'case 95:')"
mute 96 'not ready is no failure'
mute 97 'a status of no call has no reason'
mute 98 'nor has one of another thread'

play fails 99
at=$(line 'case 99:')
ok 'a deadlock names the calls that wait' eval 'ends 3 && complains "the main thread waits for the device (in cudaStreamSynchronize at " &&
    grep -q "fails.cu:$((at + 3))); the host functions. thread waits for a semaphore (in the function queued at fails.cu:$((at + 2)))" "$dir/err"'

build many << 'EOF'
#include "streams.h"
int main()
{
    for (int i = 0; i < 20000; i++)
        cudaFree((void *)(size_t)(0x200000000000 + i));
}
EOF
WORKBOOK_LOG=9 play many 9> "$dir/log"
ok 'of a program that never looks no more than a thousand reasons are kept' [ "$(grep -aoc 'an address that no call' "$dir/log")" -le 1000 ]

cat > "$dir/room.cu" << 'EOF'
#include <stdint.h>
#include <stdio.h>
#include "streams.h"
int main(int argc, char **)
{
    cudaMemPool_t pool;
    uint64_t eight = 5, most = 0;
    unsigned two[] = { 7, 0 }, four = 9;
    int yes = 1;
    cudaError_t (*get)(cudaMemPool_t, cudaMemPoolAttr, void *) = cudaMemPoolGetAttribute;
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &eight));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowOpportunistic, &yes));
    CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, two));
    if (argc > 1)
        CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &four));
    CHECK(get(pool, cudaMemPoolAttrReleaseThreshold, &most));
    printf("%u\n", (unsigned)most);
}
EOF
build room -Og -D_GLIBCXX_ASSERTIONS
fits() { SIM_HAZARDS=1 play room && prints 7 && [ ! -s "$dir/err" ]; }
ok 'a number of a pool may be a uint64_t, two halves of one, or an int where it is an int' fits
short() { SIM_HAZARDS=1 play room 1 && prints 9 && grep -q '^note: .*room.cu:16: cudaMemPoolSetAttribute: the third argument, value, is the address of 4 bytes, and .* uint64_t, 8 bytes' "$dir/err"; }
ok 'half of a uint64_t is told of' short
done_testing
