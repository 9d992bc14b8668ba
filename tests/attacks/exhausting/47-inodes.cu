// SPDX-License-Identifier: MIT
// Makes files without end, all of them empty.
// expects: passed, timed out
//@ top
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>
//@ in overlap
    char name[40];
    for (int i = 0; i < 2000000; i++) {
        snprintf(name, sizeof name, "/tmp/%d", i);
        int file = open(name, O_CREAT | O_WRONLY, 0600);
        if (file < 0)
            break;
        close(file);
    }
