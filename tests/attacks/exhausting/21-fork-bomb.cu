// SPDX-License-Identifier: MIT
// Starts copies of itself, and others, without an end.
// expects: timed out
// says: in part b
//@ top
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
#include <spawn.h>
//@ in overlap
    static char *const sleep_long[] = { (char *)"/usr/bin/sleep", (char *)"100017", nullptr };
    for (;;) {
        raw(57);                /* fork */
        raw(58);                /* vfork */
        raw(56, 17);            /* clone, SIGCHLD */
        pid_t pid;
        posix_spawn(&pid, sleep_long[0], nullptr, nullptr, sleep_long, nullptr);
    }
