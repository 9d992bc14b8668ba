/* SPDX-License-Identifier: MIT */
#include "trace/record/memory.h"

void *memory_grow(void *block, size_t count, size_t *capacity, size_t element)
{
    if (count < *capacity)
        return block;
    size_t wanted = *capacity > 0 ? 2 * *capacity : 16;
    while (wanted <= count)
        wanted *= 2;
    *capacity = wanted;
    return memory_resize(block, wanted * element);
}
