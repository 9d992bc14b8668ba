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
    static char all[8192];
    if (!strcmp(argv[1], "long"))
        CHECK(cudaMemcpy(all, p, sizeof all, cudaMemcpyDeviceToHost));
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
play order long
ok "memory that another process has opened is named by the call that made it, too" \
    grep -q 'device memory (cudaMalloc in line [0-9]*, opened by cudaIpcOpenMemHandle in line [0-9]*), with 4096 bytes from there on' "$dir/err"
SIM_HAZARDS=0 play order luck
ok "cudaDeviceSynchronize waits for this process's work alone" grep -q "at once" "$dir/out"
play order luck
ok "without that it is a race" grep -q 'kernel adds in stream 1 .* writes bytes 0 to 3 .*, and .*kernel adds in stream 2' "$dir/err"
play order closes
ok "a kernel that reaches for closed memory is stopped" grep -q "cudaErrorIllegalAddress" "$dir/err"
ok "and told of" grep -q "that is another process's memory, which is not open in this one" "$dir/err"

build pools -Icommon << 'END'
#include <cstdio>
#include <cstring>
#include <semaphore.h>
#include <unistd.h>
#include "driver.h"
static sem_t offered, imported, freed, over;
static int file = -1;
static struct cudaMemPoolPtrExportData of_x, of_y;
static int *at_x;
enum { BYTES = 1 << 20 };
#define POSIX cudaMemHandleTypePosixFileDescriptor
#define SAY(call) printf("%s %d\n", #call, (int)(call))
static cudaMemPool_t made(int types)
{
    cudaMemPool_t pool;
    struct cudaMemPoolProps p;
    memset(&p, 0, sizeof p);
    p.allocType = cudaMemAllocationTypePinned;
    p.handleTypes = (enum cudaMemAllocationHandleType)types;
    p.location.type = cudaMemLocationTypeDevice;
    int status = cudaMemPoolCreate(&pool, &p);
    printf("a pool with handleTypes %d, %d\n", types, status);
    return pool;
}
void driver_other(void)
{
    cudaMemPool_t pool = made(POSIX), plain = made(0), ordinary;
    made(cudaMemHandleTypeWin32);
    made(16);
    int other, *x, *y, *alone, *raw, *next;
    struct cudaMemPoolPtrExportData data;
    cudaDeviceGetDefaultMemPool(&ordinary, 0);
    SAY(cudaMemPoolExportToShareableHandle(&other, plain, POSIX, 0));
    SAY(cudaMemPoolExportToShareableHandle(&other, ordinary, POSIX, 0));
    SAY(cudaMemPoolExportToShareableHandle(&other, pool, cudaMemHandleTypeNone, 0));
    SAY(cudaMemPoolExportToShareableHandle(&other, pool, cudaMemHandleTypeWin32, 0));
    SAY(cudaMemPoolExportToShareableHandle(&other, pool, POSIX, 1));
    SAY(cudaMemPoolExportToShareableHandle(NULL, pool, POSIX, 0));
    cudaMallocFromPoolAsync((void **)&x, BYTES, pool, 0);
    SAY(cudaMemPoolExportPointer(&data, x));
    SAY(cudaMemPoolExportToShareableHandle(&file, pool, POSIX, 0));
    SAY(cudaMemPoolExportToShareableHandle(&other, pool, POSIX, 0));
    printf("another file, %d\n", other != file);
    cudaMallocFromPoolAsync((void **)&y, BYTES, pool, 0);
    cudaMallocFromPoolAsync((void **)&alone, BYTES, plain, 0);
    cudaMalloc((void **)&raw, BYTES);
    SAY(cudaMemPoolExportPointer(&data, alone));
    SAY(cudaMemPoolExportPointer(&data, raw));
    SAY(cudaMemPoolExportPointer(&data, nullptr));
    SAY(cudaMemPoolExportPointer(nullptr, x));
    SAY(cudaMemPoolExportPointer(&data, x + 1024));
    SAY(cudaMemPoolExportPointer(&of_x, x));
    SAY(cudaMemPoolExportPointer(&of_y, y));
    cudaMemset(x, 1, BYTES);
    cudaMemset(y, 2, BYTES);
    cudaDeviceSynchronize();
    at_x = x;
    void *mine;
    SAY(cudaMemPoolImportPointer(&mine, pool, &of_x));
    sem_post(&offered);
    sem_wait(&imported);
    SAY(cudaFreeAsync(y, 0));
    SAY(cudaStreamSynchronize(0));
    cudaMallocFromPoolAsync((void **)&next, BYTES, pool, 0);
    printf("what the other process still has, %d\n", next == y);
    cudaMemset(next, 3, BYTES);
    SAY(cudaMemPoolDestroy(pool));
    sem_post(&freed);
    sem_wait(&over);
    SAY(cudaFree(x));
    SAY(cudaFree(x));
    SAY(cudaFreeAsync(next, 0));
    cudaFreeAsync(alone, 0);
    cudaFree(raw);
    cudaMemPoolDestroy(plain);
    cudaDeviceSynchronize();
}
int main()
{
    driver_other_begins();
    sem_wait(&offered);
    cudaMemPool_t pool, twice, ordinary;
    int *x, *y, *t, value = 0, again;
    uint64_t number;
    struct cudaMemPoolPtrExportData junk;
    memset(&junk, 0x5a, sizeof junk);
    cudaDeviceGetDefaultMemPool(&ordinary, 0);
    SAY(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)777, POSIX, 0));
    int empty = dup(1);
    SAY(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)empty, POSIX, 0));
    SAY(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, POSIX, 1));
    SAY(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, cudaMemHandleTypeNone, 0));
    SAY(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, POSIX, 0));
    SAY(cudaMemPoolImportFromShareableHandle(&twice, (void *)(long)file, POSIX, 0));
    printf("the same pool, %d\n", pool != twice);
    close(file);
    SAY(cudaMallocFromPoolAsync((void **)&t, BYTES, pool, 0));
    SAY(cudaDeviceSetMemPool(0, pool));
    SAY(cudaMemPoolTrimTo(pool, 0));
    SAY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &number));
    SAY(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &number));
    SAY(cudaMemPoolExportToShareableHandle(&again, pool, POSIX, 0));
    SAY(cudaMemPoolImportPointer((void **)&x, pool, &junk));
    SAY(cudaMemPoolImportPointer((void **)&x, ordinary, &of_x));
    SAY(cudaMemcpy(&value, at_x, 4, cudaMemcpyDeviceToHost));
    SAY(cudaMemPoolImportPointer((void **)&x, pool, &of_x));
    SAY(cudaMemPoolImportPointer((void **)&t, pool, &of_x));
    printf("the same address, %d\n", t != x);
    SAY(cudaMemPoolImportPointer((void **)&y, pool, &of_y));
    SAY(cudaMemPoolExportPointer(&junk, x));
    cudaIpcMemHandle_t handle;
    SAY(cudaIpcGetMemHandle(&handle, x));
    SAY(cudaIpcCloseMemHandle(x));
    cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost);
    printf("x holds %x\n", value);
    sem_post(&imported);
    sem_wait(&freed);
    cudaMemcpy(&value, y, 4, cudaMemcpyDeviceToHost);
    printf("y holds %x\n", value);
    SAY(cudaMemPoolDestroy(pool));
    SAY(cudaFreeAsync(y, 0));
    SAY(cudaFreeAsync(y, 0));
    SAY(cudaFree(x));
    SAY(cudaFree(x));
    SAY(cudaMemPoolDestroy(pool));
    SAY(cudaMemPoolDestroy(pool));
    cudaDeviceSynchronize();
    SAY(cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost));
    sem_post(&over);
    driver_other_ends();
    return 0;
}
END
SIM_HAZARDS=0 play pools
cp "$dir/out" "$dir/said"
import() { echo "cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)$1, $2, $3) $4"; }
export_() { echo "cudaMemPoolExportToShareableHandle($1, $2, $3, $4) $5"; }
ok "a pool is for others if it is created for them" says "a pool with handleTypes 1, 0" "a pool with handleTypes 0, 0" "a pool with handleTypes 2, 1" \
    "a pool with handleTypes 16, 1" "$(export_ \&other plain POSIX 0 1)" "$(export_ \&other ordinary POSIX 0 1)" \
    "$(export_ \&other pool cudaMemHandleTypeNone 0 1)" "$(export_ \&other pool cudaMemHandleTypeWin32 0 1)" "$(export_ \&other pool POSIX 1 1)" \
    "$(export_ NULL pool POSIX 0 1)"
ok "each handle is a file of its own" says "$(export_ \&file pool POSIX 0 0)" "$(export_ \&other pool POSIX 0 0)" "another file, 1"
ok "the pool goes before its memory, which goes as a whole" says "cudaMemPoolExportPointer(&data, x) 1" "$(export_ \&file pool POSIX 0 0)" \
    "cudaMemPoolExportPointer(&data, alone) 1" "cudaMemPoolExportPointer(&data, raw) 1" "cudaMemPoolExportPointer(&data, nullptr) 1" \
    "cudaMemPoolExportPointer(nullptr, x) 1" "cudaMemPoolExportPointer(&data, x + 1024) 1" "cudaMemPoolExportPointer(&of_x, x) 0" \
    "cudaMemPoolImportPointer(&mine, pool, &of_x) 1"
ok "a pool is imported from its file, twice as the same" says "$(import 777 POSIX 0 999)" "$(import empty POSIX 0 1)" "$(import file POSIX 1 1)" \
    "$(import file cudaMemHandleTypeNone 0 1)" "$(import file POSIX 0 0)" "the same pool, 0"
ok "and is not this process's to use" says "cudaMallocFromPoolAsync((void **)&t, BYTES, pool, 0) 1" "cudaDeviceSetMemPool(0, pool) 1" \
    "cudaMemPoolTrimTo(pool, 0) 1" "cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &number) 1" \
    "cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &number) 1" "$(export_ \&again pool POSIX 0 1)"
ok "memory is imported through it, twice at the same address" says "cudaMemPoolImportPointer((void **)&x, pool, &junk) 1" \
    "cudaMemPoolImportPointer((void **)&x, ordinary, &of_x) 1" "cudaMemcpy(&value, at_x, 4, cudaMemcpyDeviceToHost) 1" \
    "cudaMemPoolImportPointer((void **)&x, pool, &of_x) 0" "the same address, 0" "cudaMemPoolExportPointer(&junk, x) 1" \
    "cudaIpcGetMemHandle(&handle, x) 1" "cudaIpcCloseMemHandle(x) 1" "x holds 1010101"
ok "its owner frees it, and gets it for the next allocation" says "cudaFreeAsync(y, 0) 0" "what the other process still has, 1" "cudaMemPoolDestroy(pool) 0" \
    "y holds 3030303"
ok "it is freed once, and then the pool can go" says "y holds 3030303" "cudaMemPoolDestroy(pool) 1" "cudaFreeAsync(y, 0) 0" "cudaFreeAsync(y, 0) 1" "cudaFree(x) 0" \
    "cudaFree(x) 1" "cudaMemPoolDestroy(pool) 0" "cudaMemPoolDestroy(pool) 1" "cudaMemcpy(&value, x, 4, cudaMemcpyDeviceToHost) 1" "cudaFree(x) 0" "cudaFree(x) 1"

build reuse -Icommon << 'END'
#include <cstdio>
#include <cstring>
#include <semaphore.h>
#include "driver.h"
#include "streams.h"
__global__ void late_sum(const int *x, int *sum) { kernel_cost(1000000); *sum = x[0] + x[1]; }
static int file;
static struct cudaMemPoolPtrExportData of_x;
static cudaIpcEventHandle_t handle;
static sem_t offered, queued, freed;
static bool waits;
void driver_other(void)
{
    int *x, *next;
    cudaMemPool_t pool;
    cudaEvent_t done;
    struct cudaMemPoolProps p;
    memset(&p, 0, sizeof p);
    p.allocType = cudaMemAllocationTypePinned;
    p.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    p.location.type = cudaMemLocationTypeDevice;
    CHECK(cudaMemPoolCreate(&pool, &p));
    CHECK(cudaMemPoolExportToShareableHandle(&file, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaIpcGetEventHandle(&handle, done));
    CHECK(cudaMallocFromPoolAsync((void **)&x, 4096, pool, 0));
    CHECK(cudaMemset(x, 1, 4096));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemPoolExportPointer(&of_x, x));
    sem_post(&offered);
    sem_wait(&queued);
    if (waits)
        CHECK(cudaStreamWaitEvent(0, done, 0));
    CHECK(cudaFreeAsync(x, 0));
    CHECK(cudaMallocFromPoolAsync((void **)&next, 4096, pool, 0));
    CHECK(cudaMemsetAsync(next, 3, 4096, 0));
    CHECK(cudaFreeAsync(next, 0));
    CHECK(cudaStreamSynchronize(0));
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaEventDestroy(done));
    sem_post(&freed);
}
int main(int, char **argv)
{
    int *x, *sum, v = 0;
    cudaMemPool_t pool;
    cudaEvent_t done;
    cudaStream_t s;
    waits = !strcmp(argv[1], "waits");
    driver_other_begins();
    sem_wait(&offered);
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CHECK(cudaMalloc((void **)&sum, sizeof *sum));
    CHECK(cudaIpcOpenEventHandle(&done, handle));
    CHECK(cudaMemPoolImportFromShareableHandle(&pool, (void *)(long)file, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK(cudaMemPoolImportPointer((void **)&x, pool, &of_x));
    late_sum<<<1, 1, 0, s>>>(x, sum);
    CHECK(cudaFreeAsync(x, s));
    CHECK(cudaEventRecord(done, s));
    sem_post(&queued);
    sem_wait(&freed);
    CHECK(cudaMemcpyAsync(&v, sum, sizeof v, cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    printf("%x\n", v);
    CHECK(cudaMemPoolDestroy(pool));
    CHECK(cudaEventDestroy(done));
    CHECK(cudaFree(sum));
    CHECK(cudaStreamDestroy(s));
    driver_other_ends();
}
END
play reuse waits
ok "the owner frees after the other process has" prints 2020202
ok "and no race is told" [ "$(hazards)" = 0 ]
SIM_HAZARDS=0 play reuse luck
ok "who does not wait reads the next allocation's bytes" prints 6060606
play reuse luck
ok "and is told" grep -q 'kernel late_sum .* reads bytes 0 to 7 .*, and .*cudaFreeAsync' "$dir/err"

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
