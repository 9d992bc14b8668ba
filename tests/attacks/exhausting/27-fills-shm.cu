// SPDX-License-Identifier: MIT
// Fills shared memory, and memory that nobody counts.
// expects: passed
// prints: had 0
//@ top
#include <cstdio>
#include <unistd.h>
/* The kernel's calls, past the functions of the library that are watched. */
static long raw(long n, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0) { return syscall(n, a, b, c, d, e); }
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
//@ in overlap
    int had = 0;
    int fd = open("/dev/shm/x", O_CREAT | O_RDWR, 0600);
    static char block[1 << 20];
    had += fd >= 0 && write(fd, block, sizeof block) == sizeof block;
    had += raw(319, (long)"x", 0) >= 0;             /* memfd_create */
    had += raw(29, 1, 1 << 30, 0666) >= 0;          /* shmget */
    had += mmap(nullptr, 1 << 30, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
    printf("had %d\n", had);
