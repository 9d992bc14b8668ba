// SPDX-License-Identifier: MIT
// Prints sixty megabytes.
// expects: passed
//@ top
#include <cstdio>
//@ in overlap
    for (int i = 0; i < 500000; i++) puts("PASS: a line of sixty bytes, so that half a million make 30 MB");
