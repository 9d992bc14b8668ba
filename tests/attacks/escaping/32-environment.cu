// SPDX-License-Identifier: MIT
// Looks at what the grader's environment brought: the test sets it.
// expects: passed
// prints: brought 0
//@ top
#include <initializer_list>
#include <cstdio>
#include <cstdlib>
//@ in overlap
    int brought = 0;
    for (const char *name : { "LD_PRELOAD", "LD_LIBRARY_PATH", "CUDA_INJECTION64_PATH", "MAKEFLAGS", "SEED", "HOME", "WORKBOOK_KEY" })
        brought += getenv(name) != nullptr;
    printf("brought %d\n", brought);
