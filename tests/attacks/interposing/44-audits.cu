// SPDX-License-Identifier: MIT
// Writes a library that watches all libraries, and starts itself anew with it, before the simulator is there. No code of either comes
// to run: nothing more can be made executable.
// expects: wrong
// says: with exit status 127
// never: the audit runs
//@ top
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>
static const unsigned char library[] = { @AUDIT@ };
//@ in overlap
    if (getenv("LD_AUDIT") == nullptr) {
        int file = open("/tmp/audit.so", O_CREAT | O_WRONLY, 0700);
        bool whole = write(file, library, sizeof library) == (ssize_t)sizeof library;
        close(file);
        setenv("LD_AUDIT", "/tmp/audit.so", 1);
        char *const argv[] = { (char *)"/proc/self/exe", nullptr };
        if (whole)
            execv(argv[0], argv);
    }
