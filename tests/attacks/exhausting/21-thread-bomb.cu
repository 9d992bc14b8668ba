// SPDX-License-Identifier: MIT
// Starts threads without an end.
// expects: timed out, crashed, refused
// says: in part b
//@ top
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
#include <sys/mman.h>
static void rest()
{
    for (;;)
        raw(34);                /* pause */
}
//@ in overlap
    for (;;) {
        char *stack = (char *)mmap(nullptr, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED)
            rest();
        *(void (**)())(stack + 16000) = rest;   /* where clone() returns to there */
        raw(56, 0x10f00, (long)stack + 16000);
    }
