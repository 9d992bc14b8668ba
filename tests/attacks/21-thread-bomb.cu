// SPDX-License-Identifier: MIT
// Starts threads without an end.
// expects: timed out, crashed, refused
// says: in part b
//@ top
#include <cstdio>
/* No library function that could be refused or watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0)
{
    long result;
    register long r10 asm("r10") = d;
    register long r8 asm("r8") = e;
    asm volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8) : "rcx", "r11", "memory");
    return result;
}
#include <sys/mman.h>
//@ in overlap
    for (;;) {
        char *stack = (char *)mmap(nullptr, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED || raw(56, 0x10f00, (long)stack + 16000) == 0)
            for (;;)
                raw(34);        /* pause */
    }
