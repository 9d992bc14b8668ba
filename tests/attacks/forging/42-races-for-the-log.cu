// SPDX-License-Identifier: MIT
// A second thread writes into the pages of the log, in the moments in which they can be written to.
// expects: crashed
//@ top
#include <cstdint>
#include <pthread.h>
static void *race(void *)
{
    for (;;)
        for (int i = 0; i < 64; i++)
            ((volatile unsigned char *)UINT64_C(0x250000000000))[i] = 9;
}
//@ in overlap
    pthread_t thread;
    pthread_create(&thread, nullptr, race, nullptr);
    for (int i = 0; i < 1000; i++)
        cudaGetLastError();
