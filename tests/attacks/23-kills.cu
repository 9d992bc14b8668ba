// SPDX-License-Identifier: MIT
// Kills all that it can reach.
// expects: passed
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
#include <csignal>
#include <unistd.h>
//@ in overlap
    raw(62, getppid(), SIGKILL);
    raw(62, 1, SIGKILL);
    for (int pid = 2; pid < 100000; pid++)
        if (pid != getpid())
            raw(62, pid, SIGKILL);
    raw(62, -1, SIGKILL);
