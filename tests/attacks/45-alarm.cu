// SPDX-License-Identifier: MIT
// A signal handler that calls CUDA in the middle of whatever goes on.
// expects: passed, wrong, crashed, timed out, refused
//@ top
#include <csignal>
#include <sys/time.h>
static void ring(int) { cudaDeviceSynchronize(); }
//@ in overlap
    signal(SIGALRM, ring);
    struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
    setitimer(ITIMER_REAL, &often, nullptr);
