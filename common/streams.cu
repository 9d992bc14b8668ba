/* SPDX-License-Identifier: MIT */
/* streams.h with nvcc, on a GPU: real clocks; labels are ranges of NVTX where the toolkit has it. A recorder is told
 * what it cannot see. */
#include "streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "recording.h"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#else
static void nvtxRangePushA(const char *) {}
static void nvtxRangePop(void) {}
#endif

void streams_check(cudaError_t status, const char *call, const char *file, int line)
{
    const struct recording *r = recording();
    if (r)
        r->site(call, file, line);
    if (status == cudaSuccess)
        return;
    if (r) {
        char message[256];
        snprintf(message, sizeof message, "%s: %s", cudaGetErrorName(status), cudaGetErrorString(status));
        r->report((int)status, call, message, file, line);
    }
    fflush(stdout);
    fprintf(stderr, "%s:%d: %s: %s: %s\n", file, line, call, cudaGetErrorName(status), cudaGetErrorString(status));
    exit(1);
}

long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Spins: a host that slept would be woken late. */
void host_work(long long ns)
{
    for (long long end = now_ns() + ns; now_ns() < end;)
        ;
    if (recording())
        recording()->host_work(ns);
}

void label_push(const char *name)
{
    if (recording())
        recording()->label(name);
    nvtxRangePushA(name);
}

void label_pop(void)
{
    if (recording())
        recording()->label("");
    nvtxRangePop();
}
