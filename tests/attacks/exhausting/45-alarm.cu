// SPDX-License-Identifier: MIT
// A wrong answer, with a signal handler that calls CUDA in the middle of whatever goes on. Where it rings is chance: it may be wrong,
// crash, stand still or damage its record, and it never passes.
// expects: wrong, crashed, timed out, refused
//@ top
#include <csignal>
#include <sys/time.h>
static volatile int rung;
static void ring(int) { rung = rung + 1; cudaDeviceSynchronize(); }
//@ instead of overlap
    signal(SIGALRM, ring);
    struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
    setitimer(ITIMER_REAL, &often, nullptr);
    while (rung < 3) { }
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    cudaDeviceSynchronize();
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
