// SPDX-License-Identifier: MIT
// Tries to reach somebody.
// expects: passed
// prints: sockets 0
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
    int sockets = 0;
    for (int family = 0; family < 48; family++)
        for (int type = 1; type < 4; type++)
            sockets += raw(41, family, type, 0) >= 0;
    int pair[2];
    sockets += raw(53, 1, 1, 0, (long)pair) >= 0;   /* socketpair */
    printf("sockets %d\n", sockets);
