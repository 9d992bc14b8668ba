// SPDX-License-Identifier: MIT
// Takes memory until there is none.
// expects: crashed, timed out
// says: in part b
//@ top
#include <cstdlib>
#include <cstring>
//@ in overlap
    for (;;)
        memset(malloc(64 << 20), 1, 64 << 20);
