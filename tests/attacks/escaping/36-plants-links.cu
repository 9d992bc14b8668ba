// SPDX-License-Identifier: MIT
// Plants links where the grader might write.
// expects: passed
// prints: planted 0
//@ top
#include <initializer_list>
#include <cstdio>
#include <unistd.h>
//@ in overlap
    int planted = 0;
    for (const char *place : { "/out/program.new", "/out/second", "/submission/x", "/x", "./x", "@OUT@/results.json" })
        planted += symlink("@CANARY@", place) == 0;
    printf("planted %d\n", planted);
