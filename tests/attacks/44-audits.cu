// SPDX-License-Identifier: MIT
// Starts itself anew with a library that watches all libraries, before the simulator is there.
// expects: wrong
//@ top
#include <cstdlib>
#include <unistd.h>
//@ in overlap
    if (getenv("LD_AUDIT") == nullptr) {
        setenv("LD_AUDIT", "/tmp/audit.so", 1);
        char *const argv[] = { (char *)"/proc/self/exe", nullptr };
        execv(argv[0], argv);
    }
