// SPDX-License-Identifier: MIT
// Tries to reach somebody.
// expects: passed
// prints: sockets 0
//@ top
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
//@ in overlap
    int sockets = 0;
    for (int family = 0; family < 48; family++)
        for (int type = 1; type < 4; type++)
            sockets += raw(41, family, type, 0) >= 0;
    int pair[2];
    sockets += raw(53, 1, 1, 0, (long)pair) >= 0;   /* socketpair */
    printf("sockets %d\n", sockets);
