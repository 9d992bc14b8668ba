// SPDX-License-Identifier: MIT
// Keeps the cores busy while its neighbours are graded.
// expects: timed out
//@ top
#include <thread>

#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
static void spin()
{
    for (;;) { }
}
//@ in overlap
    for (int i = 0; i < 16; i++) {
        static char stacks[16][16384];
        *(void (**)())(stacks[i] + 16000) = spin;       /* where clone() returns to there */
        raw(56, 0x10f00, (long)(stacks[i] + 16000));
    }
    for (;;) { }
