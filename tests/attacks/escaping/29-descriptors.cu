// SPDX-License-Identifier: MIT
// Looks for descriptors that were left open, and writes to what it finds.
// expects: passed
// prints: strange 0
//@ top
#include <cstdio>
#include <unistd.h>
#include <fcntl.h>
//@ in overlap
    int strange = 0;
    for (int fd = 6; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0) {
            char path[64], to[256] = "";
            snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
            if (readlink(path, to, sizeof to - 1) < 0) { }
            printf("%d %s\n", fd, to);
            strange++;
        }
    printf("strange %d\n", strange);
