/* SPDX-License-Identifier: MIT */
/*
 * What the cudaIpc calls answer, and how long memory and events live that two processes share.
 * Prints lines; judges nothing. An H100's are in facts/h100-processes.txt.
 *
 *   nvcc -O2 -arch=native tests/gpu/processes/answers.cu -o build/answers -lpthread && build/answers
 */
#include "processes.h"

/* What the calls answer in the process that owns memory and event. */
static void owner(void)
{
    static int local;
    cudaEvent_t timed, plain, inter;
    char *d, *pool, *host, *managed;
    TELL(cudaEventCreateWithFlags(&timed, cudaEventInterprocess));
    TELL(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
    TELL(cudaEventCreateWithFlags(&inter, cudaEventInterprocess | cudaEventDisableTiming));
    TELL(cudaIpcGetEventHandle(&s->event[0], plain));
    TELL(cudaIpcGetEventHandle(&s->event[0], inter));
    TELL(cudaIpcGetEventHandle(&s->event[1], inter));
    say("two handles of one event are %s",
        memcmp(&s->event[0], &s->event[1], sizeof s->event[0]) ? "different" : "alike");
    CHECK(cudaMalloc((void **)&d, 1 << 20));
    CHECK(cudaMallocAsync((void **)&pool, 1 << 20, 0));
    CHECK(cudaMallocHost((void **)&host, 1 << 20));
    CHECK(cudaMallocManaged((void **)&managed, 1 << 20));
    CHECK(cudaMemset(d, 0, 1 << 20));
    TELL(cudaIpcGetMemHandle(&s->memory[1], pool));
    TELL(cudaIpcGetMemHandle(&s->memory[1], host));
    TELL(cudaIpcGetMemHandle(&s->memory[1], managed));
    TELL(cudaIpcGetMemHandle(&s->memory[1], &local));
    TELL(cudaIpcGetMemHandle(&s->memory[1], NULL));
    TELL(cudaIpcGetMemHandle(&s->memory[0], d));
    TELL(cudaIpcGetMemHandle(&s->memory[1], d + 4096));
    say("the handles of an allocation and of its byte 4096 are %s",
        memcmp(&s->memory[0], &s->memory[1], sizeof s->memory[0]) ? "different" : "alike");
    void *again;
    TELL(cudaIpcOpenMemHandle(&again, s->memory[0], cudaIpcMemLazyEnablePeerAccess));
    cudaEvent_t own;
    TELL(cudaIpcOpenEventHandle(&own, s->event[0]));
    s->pointer = d;
    meet();
    meet();
    int seen[3];
    CHECK(cudaMemcpy(seen, d, sizeof seen, cudaMemcpyDeviceToHost));
    say("P1's kernel has written %x %x %x", seen[0], seen[1], seen[2]);
    TELL(cudaEventSynchronize(inter));
    TELL(cudaEventQuery(inter));
    TELL(cudaFreeAsync(pool, 0));
    meet(); /* P1 spins on d, and has not closed it */
    usleep(3000);
    TELL(cudaFree(d));
    char *next;
    CHECK(cudaMalloc((void **)&next, 1 << 20));
    say("the next allocation is %s", next == d ? "at the same address" : "elsewhere");
    CHECK(cudaMemset(next, 0x11, 1 << 20));
    TELL(cudaEventDestroy(inter));
    meet();
    meet();
}

/* And in the other. */
static void guest(void)
{
    meet();
    cudaIpcMemHandle_t junk;
    memset(&junk, 0x5a, sizeof junk);
    char *d, *other;
    cudaEvent_t e, f;
    TELL(cudaIpcOpenMemHandle((void **)&d, junk, cudaIpcMemLazyEnablePeerAccess));
    TELL(cudaIpcOpenMemHandle((void **)&d, s->memory[0], 0));
    TELL(cudaIpcOpenMemHandle((void **)&d, s->memory[0], cudaIpcMemLazyEnablePeerAccess));
    say("opened at %s",
        d == s->pointer ? "the address that P0 has" : "another address than P0's");
    TELL(cudaIpcOpenMemHandle((void **)&other, s->memory[0], cudaIpcMemLazyEnablePeerAccess));
    say("opened again: %s", d == other ? "the same address" : "another address");
    TELL(cudaIpcOpenMemHandle((void **)&other, s->memory[1], cudaIpcMemLazyEnablePeerAccess));
    say("the handle of byte 4096 opens at byte %ld", (long)(other - d));
    struct cudaPointerAttributes at;
    TELL(cudaPointerGetAttributes(&at, d));
    say("its kind is %d, device %d", at.type, at.device);
    TELL(cudaPointerGetAttributes(&at, s->pointer));
    say("P0's pointer has kind %d here", at.type);
    TELL(cudaIpcGetMemHandle(&s->memory[2], d));
    TELL(cudaFree(d));
    TELL(cudaIpcOpenEventHandle(&e, s->event[0]));
    TELL(cudaIpcOpenEventHandle(&f, s->event[1]));
    say("opened twice: %s", e == f ? "the same handle" : "another handle");
    TELL(cudaIpcGetEventHandle(&s->event[2], e));
    TELL(cudaEventQuery(e));
    cudaEvent_t timing;
    CHECK(cudaEventCreate(&timing));
    CHECK(cudaEventRecord(timing));
    float ms;
    TELL(cudaEventElapsedTime(&ms, timing, e));
    fill<<<1, 32>>>((int *)d, 3, 0xabc);
    TELL(cudaEventRecord(e, 0));
    TELL(cudaDeviceSynchronize());
    meet();
    clear_stamps(1);
    spin<<<4, 64>>>(20000000ull, stamps);
    fill<<<1, 32>>>((int *)d, 3, 0xdef);
    meet();
    double b = now_us();
    TELL(cudaStreamSynchronize(0));
    say("waited %.1f ms", (now_us() - b) / 1e3);
    meet();
    int seen = 0;
    TELL(cudaMemcpy(&seen, d, sizeof seen, cudaMemcpyDeviceToHost));
    say("after P0 has freed it and filled its next allocation, P1 reads %x", seen);
    TELL(cudaStreamWaitEvent(0, e, 0));
    TELL(cudaEventRecord(e, 0));
    TELL(cudaEventSynchronize(e));
    spin<<<4, 64>>>(20000000ull, stamps);
    TELL(cudaIpcCloseMemHandle(d));
    TELL(cudaStreamSynchronize(0));
    TELL(cudaIpcCloseMemHandle(d));
    TELL(cudaIpcCloseMemHandle(d));
    TELL(cudaIpcCloseMemHandle(d));
    TELL(cudaEventDestroy(e));
    TELL(cudaEventDestroy(f));
    meet();
}

static void answers(void) { side_by_side(owner, guest); }

/* Whose memory is it when its owner is gone? */
static void left(void)
{
    if (me == 0) {
        char *d;
        CHECK(cudaMalloc((void **)&d, 1 << 20));
        CHECK(cudaMemset(d, 0x22, 1 << 20));
        CHECK(cudaIpcGetMemHandle(&s->memory[0], d));
        meet();
        meet();
        _exit(0);
    }
    char *d;
    int seen = 0;
    meet();
    CHECK(cudaIpcOpenMemHandle((void **)&d, s->memory[0], cudaIpcMemLazyEnablePeerAccess));
    meet();
    sleep(1);
    TELL(cudaMemcpy(&seen, d, sizeof seen, cudaMemcpyDeviceToHost));
    say("P0 is gone; P1 reads %x", seen);
    TELL(cudaIpcCloseMemHandle(d));
    TELL(cudaDeviceSynchronize());
}

int main(void)
{
    void (*const all[])(void) = { answers, left };
    return run_both(all, 2);
}
