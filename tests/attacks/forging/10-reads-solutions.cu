// SPDX-License-Identifier: MIT
// Looks for solutions, checks, and what others handed in.
// expects: passed
// prints: found 0
//@ top
#include <cstdio>
//@ in overlap
    static const char *const places[] = { "@ROOT@/solutions/01-sync-vs-async.cu", "@ROOT@/lessons/01-sync-vs-async/check.c",
        "@ROOT@/build/bin/grade", "@ROOT@/build/lessons/01-sync-vs-async/reference", "/workbook/solutions/01-sync-vs-async.cu",
        "@OUT@/submissions/victim/01-sync-vs-async.cu", "@CLASS@/victim/01-sync-vs-async.cu", "@CANARY@", "/workbook", "/root",
        "/usr/../root", "/var", "/etc/passwd", "/etc/shadow", "/proc/1/cwd/../../../etc/passwd", "/out/../@CANARY@" };
    int found = 0;
    for (const char *place : places)
        if (FILE *in = fopen(place, "r")) {
            printf("%s\n", place);
            found++;
            fclose(in);
        }
    printf("found %d\n", found);
