// SPDX-License-Identifier: MIT
// Sleeps, past the virtual clock.
// expects: timed out
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
//@ in overlap
    long span[2] = { 100000, 0 };
    raw(35, (long)span, 0);
    raw(34);
