#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Two processes in one program (driver.h's driver_other): what the cudaIpc calls answer, as an H100 does (facts/h100-processes.txt),
# what waits for whom, and what races between the two are told.
. tests/sim/sim.bash

build answers -Icommon << 'END'
#include <cstdio>
#include <cstring>
#include <semaphore.h>
#include "driver.h"
static sem_t offered, opened, freed, over;
static cudaIpcMemHandle_t memory, inner;
static cudaIpcEventHandle_t event, same;
static int *owned;
#define SAY(call) printf("%s %d\n", #call, (int)(call))
void driver_other(void)
{
    cudaEvent_t timed, plain, inter;
    char *pool, *host, *managed;
    cudaIpcMemHandle_t h;
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    SAY(cudaEventCreateWithFlags(&timed, cudaEventInterprocess));
    cudaEventCreateWithFlags(&plain, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&inter, cudaEventInterprocess | cudaEventDisableTiming);
    SAY(cudaIpcGetEventHandle(&event, plain));
    SAY(cudaIpcGetEventHandle(&event, inter));
    cudaIpcGetEventHandle(&same, inter);
    printf("one event, %d\n", memcmp(&event, &same, sizeof event));
    cudaMalloc(&owned, 8192);
    cudaMallocAsync(&pool, 64, s);
    cudaMallocHost(&host, 64);
    cudaMallocManaged(&managed, 64);
    SAY(cudaIpcGetMemHandle(&h, pool));
    SAY(cudaIpcGetMemHandle(&h, host));
    SAY(cudaIpcGetMemHandle(&h, managed));
    SAY(cudaIpcGetMemHandle(&h, &h));
    SAY(cudaIpcGetMemHandle(&h, nullptr));
    SAY(cudaIpcGetMemHandle(&memory, owned));
    cudaIpcGetMemHandle(&inner, owned + 1024);
    printf("one allocation, %d\n", memcmp(&memory, &inner, sizeof memory));
    void *again;
    cudaEvent_t own;
    SAY(cudaIpcOpenMemHandle(&again, memory, cudaIpcMemLazyEnablePeerAccess));
    SAY(cudaIpcOpenEventHandle(&own, event));
    sem_post(&offered);
    sem_wait(&opened);
    SAY(cudaFree(owned));
    SAY(cudaFree(owned));
    SAY(cudaEventDestroy(inter));
    sem_post(&freed);
    sem_wait(&over);
}
int main()
{
    driver_other_begins();
    sem_wait(&offered);
    cudaIpcMemHandle_t junk, mine;
    memset(&junk, 0x5a, sizeof junk);
    void *d, *other;
    cudaEvent_t e, f;
    int kind = 0, value = 0;
    cudaPointerAttributes at;
    cudaPointerGetAttributes(&at, owned);
    printf("before it is opened: type %d\n", at.type);
    SAY(cudaMemcpy(&value, owned, 4, cudaMemcpyDeviceToHost));
    SAY(cudaIpcOpenMemHandle(&d, junk, cudaIpcMemLazyEnablePeerAccess));
    SAY(cudaIpcOpenMemHandle(&d, memory, 0));
    SAY(cudaIpcOpenMemHandle(&d, memory, cudaIpcMemLazyEnablePeerAccess));
    SAY(cudaIpcOpenMemHandle(&other, inner, cudaIpcMemLazyEnablePeerAccess));
    printf("the same address, %d\n", d != other);
    cudaPointerGetAttributes(&at, d);
    printf("opened: type %d\n", at.type);
    SAY(cudaIpcGetMemHandle(&mine, d));
    SAY(cudaIpcOpenEventHandle(&e, event));
    SAY(cudaIpcOpenEventHandle(&f, event));
    printf("two events, %d\n", e != f);
    SAY(cudaIpcGetEventHandle(&same, e));
    float ms;
    SAY(cudaEventElapsedTime(&ms, e, f));
    SAY(cudaEventQuery(e));
    SAY(cudaFree(d));
    sem_post(&opened);
    sem_wait(&freed);
    SAY(cudaMemset(d, 1, 4));
    SAY(cudaEventRecord(e, 0));
    SAY(cudaStreamWaitEvent(0, f, 0));
    SAY(cudaEventDestroy(e));
    SAY(cudaEventDestroy(f));
    SAY(cudaIpcCloseMemHandle(d));
    SAY(cudaMemset(d, 1, 4));
    SAY(cudaIpcCloseMemHandle(d));
    SAY(cudaIpcCloseMemHandle(d));
    sem_post(&over);
    driver_other_ends();
    return kind;
}
END
play answers
cp "$dir/out" "$dir/said"
says() { # LINE...: these lines, one after the other, perhaps with others between them
    local line from=0 at
    for line; do
        at=$(tail -n +$((from + 1)) "$dir/said" | grep -nxF -m 1 -e "$line" | cut -d: -f1)
        [ -n "$at" ] || { echo "not there: $line"; return 1; }
        from=$((from + at))
    done
}
ok "an event needs both flags to be shared" says "cudaEventCreateWithFlags(&timed, cudaEventInterprocess) 1" \
    "cudaIpcGetEventHandle(&event, plain) 400" "cudaIpcGetEventHandle(&event, inter) 0" "one event, 0"
ok "only memory of cudaMalloc is shared, as a whole" says "cudaIpcGetMemHandle(&h, pool) 1" "cudaIpcGetMemHandle(&h, host) 1" \
    "cudaIpcGetMemHandle(&h, managed) 1" "cudaIpcGetMemHandle(&h, &h) 1" "cudaIpcGetMemHandle(&h, nullptr) 1" \
    "cudaIpcGetMemHandle(&memory, owned) 0" "one allocation, 0"
ok "nobody opens his own" says "cudaIpcOpenMemHandle(&again, memory, cudaIpcMemLazyEnablePeerAccess) 201" "cudaIpcOpenEventHandle(&own, event) 201"
ok "what is not open is nothing" says "before it is opened: type 0" "cudaMemcpy(&value, owned, 4, cudaMemcpyDeviceToHost) 1"
ok "memory is opened by its handle, and as often as one likes" says "cudaIpcOpenMemHandle(&d, junk, cudaIpcMemLazyEnablePeerAccess) 1" \
    "cudaIpcOpenMemHandle(&d, memory, 0) 1" "cudaIpcOpenMemHandle(&d, memory, cudaIpcMemLazyEnablePeerAccess) 0" \
    "cudaIpcOpenMemHandle(&other, inner, cudaIpcMemLazyEnablePeerAccess) 0" "the same address, 0" "opened: type 2" \
    "cudaIpcGetMemHandle(&mine, d) 1"
ok "an event, too, and each opening gives another" says "cudaIpcOpenEventHandle(&e, event) 0" "cudaIpcOpenEventHandle(&f, event) 0" \
    "two events, 1" "cudaIpcGetEventHandle(&same, e) 400" "cudaEventElapsedTime(&ms, e, f) 400" "cudaEventQuery(e) 0"
ok "its owner alone frees it" says "cudaFree(d) 1" "cudaFree(owned) 0" "cudaFree(owned) 1" "cudaEventDestroy(inter) 0"
ok "it lives until it is closed, and events as well" says "cudaEventDestroy(inter) 0" "cudaMemset(d, 1, 4) 0" "cudaEventRecord(e, 0) 0" \
    "cudaStreamWaitEvent(0, f, 0) 0" "cudaEventDestroy(e) 0" "cudaEventDestroy(f) 0" "cudaIpcCloseMemHandle(d) 0" "cudaMemset(d, 1, 4) 0" \
    "cudaIpcCloseMemHandle(d) 0" "cudaIpcCloseMemHandle(d) 1"

build order -Icommon << 'END'
#include <cstdio>
#include <cstring>
#include <semaphore.h>
#include "driver.h"
#include "streams.h"
__global__ void adds(int *p) { kernel_cost(1000000); p[0] += 5; }
static cudaIpcMemHandle_t memory;
static cudaIpcEventHandle_t event;
static sem_t queued, done;
void driver_other(void)
{
    int *p;
    cudaEvent_t e;
    cudaStream_t s;
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaMalloc(&p, 4096));
    CHECK(cudaMemsetAsync(p, 0, 4096, s));
    CHECK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaIpcGetMemHandle(&memory, p));
    CHECK(cudaIpcGetEventHandle(&event, e));
    adds<<<1, 1, 0, s>>>(p);
    CHECK(cudaEventRecord(e, s));
    sem_post(&queued);
    sem_wait(&done);
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaFree(p));
}
int main(int, char **argv)
{
    int *p, v = 0;
    cudaEvent_t e;
    cudaStream_t s;
    driver_other_begins();
    sem_wait(&queued);
    CHECK(cudaIpcOpenMemHandle((void **)&p, memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&e, event));
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaDeviceSynchronize());
    if (!strcmp(argv[1], "waits"))
        CHECK(cudaStreamWaitEvent(s, e, 0));
    if (!strcmp(argv[1], "closes"))
        CHECK(cudaEventSynchronize(e));
    long long begin = now_ns();
    if (!strcmp(argv[1], "closes"))
        CHECK(cudaIpcCloseMemHandle(p));
    adds<<<1, 1, 0, s>>>(p);
    if (strcmp(argv[1], "closes"))
        CHECK(cudaMemcpyAsync(&v, p, 4, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    long long took = now_ns() - begin;
    printf("%d %s\n", v, took > 2100000 ? "one after the other, and a handover" : took > 1500000 ? "one after the other" : "at once");
    CHECK(cudaIpcCloseMemHandle(p));
    CHECK(cudaEventDestroy(e));
    sem_post(&done);
    driver_other_ends();
}
END
play order waits
ok "an event of another process orders the two, and the handover takes its time" prints "10 one after the other, and a handover"
ok "and no race is told" [ "$(hazards)" = 0 ]
SIM_HAZARDS=0 play order luck
ok "cudaDeviceSynchronize waits for this process's work alone" grep -q "at once" "$dir/out"
play order luck
ok "without that it is a race" grep -q 'kernel adds in stream 1 .* writes bytes 0 to 3 .*, and .*kernel adds in stream 2' "$dir/err"
play order closes
ok "a kernel that reaches for closed memory is stopped" grep -q "cudaErrorIllegalAddress" "$dir/err"
ok "and told of" grep -q "that is another process's memory, which is not open in this one" "$dir/err"

build forked << 'END'
#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>
#include <sys/mman.h>
int main()
{
    struct both { cudaIpcMemHandle_t h; volatile int ready; } *s = (both *)mmap(0, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (fork() == 0) {
        void *p;
        while (!s->ready)
            usleep(1000);
        printf("%s\n", cudaGetErrorName(cudaIpcOpenMemHandle(&p, s->h, cudaIpcMemLazyEnablePeerAccess)));
        return 0;
    }
    int *p;
    cudaMalloc(&p, 64);
    cudaIpcGetMemHandle(&s->h, p);
    s->ready = 1;
    wait(0);
}
END
play forked
ok "a program that forks is refused the other's memory" prints "cudaErrorInvalidValue"
ok "in a sentence" grep -q "memory and events of another program" "$dir/err"

done_testing
