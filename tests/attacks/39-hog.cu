// SPDX-License-Identifier: MIT
// Keeps the cores busy while its neighbours are graded.
// expects: timed out
//@ top
#include <thread>

#include <cstdio>
/* No library function that could be refused or watched. */
static inline __attribute__((always_inline)) long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0)
{
    long result;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    asm volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
    return result;
}
//@ in overlap
    for (int i = 0; i < 16; i++) {
        static char stacks[16][16384];
        if (raw(56, 0x10f00, (long)(stacks[i] + 16000)) == 0)
            for (;;) { }
    }
    for (;;) { }
