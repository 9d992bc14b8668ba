// SPDX-License-Identifier: MIT
// Writes until nobody lets it.
// expects: passed
//@ top
#include <initializer_list>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
#include <sys/stat.h>
//@ in overlap
    static char block[1 << 20];
    for (const char *folder : { "/tmp", "/out", "/submission", "/dev/shm", "/", "." })
        for (int i = 0; i < 200; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s/fill%d", folder, i);
            int fd = open(name, O_CREAT | O_WRONLY, 0600);
            for (int k = 0; fd >= 0 && k < 8 && write(fd, block, sizeof block) > 0; k++) { }
            close(fd);
        }
    for (int i = 0; i < 20000; i++) {
        char name[64];
        snprintf(name, sizeof name, "/tmp/d%d", i);
        if (mkdir(name, 0700) != 0)
            break;
    }
