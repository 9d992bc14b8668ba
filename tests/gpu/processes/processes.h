/* SPDX-License-Identifier: MIT */
/*
 * Two processes that each do the same list of things side by side, on one device, with what they
 * share, and lines that say so. Real cards only: each forks.
 */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STAMPS 4096

struct shared {
    pthread_barrier_t meet;
    cudaIpcMemHandle_t memory[8];
    cudaIpcEventHandle_t event[4];
    unsigned long long stamps[2][STAMPS][2]; /* of process, kernel: begin, end */
    int count[2];
    void *pointer;
};
static struct shared *s;
static int me;      /* which of the two this is */

static void meet(void) { pthread_barrier_wait(&s->meet); }

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* A line in one piece: both processes write. */
static void say(const char *format, ...)
{
    char text[1024];
    va_list rest;
    int n = snprintf(text, sizeof text, "P%d  ", me);
    va_start(rest, format);
    n += vsnprintf(text + n, sizeof text - n - 1, format, rest);
    va_end(rest);
    text[n++] = '\n';
    if (write(STDOUT_FILENO, text, n) != n)
        exit(3);
}

/* What a call answers, and how long it takes. */
#define TELL(call)                                                                                 \
    do {                                                                                           \
        double begun_ = now_us();                                                                  \
        cudaError_t error_ = (call);                                                               \
        double took_ = now_us() - begun_;                                                          \
        say("%-90s %s (%d), %.0f us", #call, cudaGetErrorName(error_), error_, took_);             \
        if (error_)                                                                                \
            cudaGetLastError();                                                                    \
    } while (0)
#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_)                                                                                \
            say("line %d: %s: %s", __LINE__, #call, cudaGetErrorName(error_));                     \
    } while (0)

__device__ unsigned long long timer(void)
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
    return t;
}

/* Spins for ns and notes when its first block began and its last one ended. */
__global__ void spin(unsigned long long ns, unsigned long long *stamp)
{
    unsigned long long begin = timer();
    if (threadIdx.x == 0) {
        atomicMin(&stamp[0], begin);
        while (timer() - begin < ns)
            ;
        atomicMax(&stamp[1], timer());
    }
}

__global__ void fill(int *x, int n, int value)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        x[i] = value;
}

static unsigned long long *stamps;      /* on the device */
static void clear_stamps(int n)
{
    static unsigned long long h[STAMPS][2];
    for (int i = 0; i < n; i++)
        h[i][0] = ~0ull, h[i][1] = 0;
    CHECK(cudaMemcpy(stamps, h, n * sizeof h[0], cudaMemcpyHostToDevice));
}

/* One of the two does this, and the other that. */
static inline void side_by_side(void (*first)(void), void (*second)(void))
{
    (me == 0 ? first : second)();
    meet();
}

/* Runs this program's functions one after another in two processes. Returns the exit status. */
static int run_both(void (*const all[])(void), int count)
{
    pthread_barrierattr_t attribute;
    int status, bad = 0;
    s = (struct shared *)mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                              -1, 0);
    pthread_barrierattr_init(&attribute);
    pthread_barrierattr_setpshared(&attribute, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&s->meet, &attribute, 2);
    for (me = 0; me < 2; me++)
        if (fork() == 0) {
            alarm(100);
            CHECK(cudaFree(0));
            CHECK(cudaMalloc((void **)&stamps, STAMPS * 16));
            meet();
            for (int k = 0; k < count; k++)
                all[k]();
            _exit(0);
        }
    while (wait(&status) > 0)
        bad |= status;
    if (bad)
        printf("a process did not come to its end: %#x\n", bad);
    return bad != 0;
}

#endif
