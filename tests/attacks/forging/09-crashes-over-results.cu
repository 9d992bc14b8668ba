// SPDX-License-Identifier: MIT
// Takes the rights from everything in reach, and crashes.
// expects: crashed
// says: in part b
//@ top
#include <initializer_list>
#include <sys/stat.h>
#include <cstdlib>
//@ in overlap
    for (const char *place : { ".", "/out", "/submission", "/tmp", "@OUT@" })
        chmod(place, 0);
    abort();
