// SPDX-License-Identifier: MIT
// Writes to the table through which the simulator calls the C library.
// expects: crashed
// says: in part b
//@ top
#include <cstdint>
//@ in overlap
    uintptr_t *table;
    asm("lea _GLOBAL_OFFSET_TABLE_(%%rip), %0" : "=r"(table));
    for (int i = 0; i < 8; i++)
        *(volatile uintptr_t *)&table[i] = table[i];
