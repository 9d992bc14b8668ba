// SPDX-License-Identifier: MIT
// Makes the pages of the log writable and tells the simulator, for the time of one wait, that nobody reads the log.
// expects: refused
// says: the times in it are not those of its calls
//@ top
#include <cstdint>
#include <sys/mman.h>
/* As common/sim/call_log.c has it: a size_t, then the descriptor. */
static void log_goes_to(int descriptor)
{
    char *log = (char *)UINT64_C(0x250000000000);
    mprotect(log, 1 << 16, PROT_READ | PROT_WRITE);
    *(volatile int *)(log + sizeof(size_t)) = descriptor;
}
//@ instead of overlap
    scramble<<<blocks_for(n, THREADS), THREADS>>>(data, n, kernel_ns);
    CHECK(cudaGetLastError());
    log_goes_to(-1);
    cudaDeviceSynchronize();
    log_goes_to(3);
    CHECK(cudaMemcpyAsync(result, data, n * sizeof *result, cudaMemcpyDeviceToHost));
    host_work(host_ns);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += result[i];
