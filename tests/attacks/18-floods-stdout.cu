// SPDX-License-Identifier: MIT
// Prints sixty megabytes.
// expects: passed
//@ top
#include <cstdio>
//@ in overlap
    for (int i = 0; i < 1000000; i++) puts("PASS: a line of sixty bytes, so that a million make sixty MB");
