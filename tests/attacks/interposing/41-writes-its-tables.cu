// SPDX-License-Identifier: MIT
// Writes to the table through which the simulator calls the C library.
// expects: crashed
// says: in part b
//@ top
#include <cstdint>
extern "C" uintptr_t _GLOBAL_OFFSET_TABLE_[];
//@ in overlap
    uintptr_t *table = _GLOBAL_OFFSET_TABLE_;
    for (int i = 0; i < 8; i++)
        *(volatile uintptr_t *)&table[i] = table[i];
