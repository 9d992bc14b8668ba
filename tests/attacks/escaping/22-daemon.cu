// SPDX-License-Identifier: MIT
// Leaves a process behind, in a session of its own.
// expects: passed
// prints: started 1
//@ top
#include <cstdio>
#include <spawn.h>
//@ in overlap
    static char *const sleep_long[] = { (char *)"/usr/bin/sleep", (char *)"100022", nullptr };
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
    pid_t pid;
    printf("started %d\n", posix_spawn(&pid, sleep_long[0], nullptr, &attributes, sleep_long, nullptr) == 0);
