// SPDX-License-Identifier: MIT
// Sleeps, past the virtual clock.
// expects: timed out
// says: in part b
//@ top
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
//@ in overlap
    long span[2] = { 100000, 0 };
    raw(35, (long)span, 0);
    raw(34);
