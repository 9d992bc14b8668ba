// SPDX-License-Identifier: MIT
// Tries what goes past namespaces: keys, VSOCK, io_uring, locks that two sandboxes see.
// expects: passed
// prints: open 0
//@ top
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
#include <fcntl.h>
#include <unistd.h>
//@ in overlap
    int open_ways = 0, file = open("/usr/bin/env", O_RDONLY);
    open_ways += raw(250, 0, -3, 0) >= 0;           /* keyctl */
    open_ways += raw(248, (long)"user", (long)"x", (long)"y", 1) >= 0;      /* add_key */
    open_ways += raw(41, 40, 1, 0) >= 0;            /* AF_VSOCK */
    char room[256] = "";
    open_ways += raw(425, 4, (long)room) >= 0;      /* io_uring_setup */
    open_ways += raw(73, file, 2) >= 0;             /* flock */
    struct flock lock = { };
    lock.l_type = F_RDLCK;
    open_ways += fcntl(file, F_SETLK, &lock) == 0;
    open_ways += raw(240, (long)"x", 0102, 0600, 0) >= 0;   /* mq_open */
    printf("open %d\n", open_ways);
