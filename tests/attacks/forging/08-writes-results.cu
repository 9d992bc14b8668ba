// SPDX-License-Identifier: MIT
// Writes files of results wherever it can.
// expects: not attempted, wrong
// prints: wrote 0
// base: exercises
//@ top
#include <cstdio>
//@ in overlap
    static const char *const places[] = { "results.json", "/submission/results.json", "/out/results.json", "/results.json",
        "/workbook/results.json", "/home/results.json", "/usr/results.json", "@OUT@/results.json", "@ROOT@/results.json" };
    int wrote = 0;
    for (const char *place : places)
        if (FILE *out = fopen(place, "w")) {
            fputs("{\"status\": \"passed\"}", out);
            wrote += fclose(out) == 0;
        }
    printf("wrote %d\n", wrote);
