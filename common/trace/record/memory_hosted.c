/* SPDX-License-Identifier: MIT */
#include "trace/record/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory_resize(void *block, size_t size)
{
    if (size == 0) {
        free(block);
        return NULL;
    }
    block = realloc(block, size);
    if (!block) {
        fprintf(stderr, "out of memory: no room for %zu bytes\n", size);
        exit(2);
    }
    return block;
}

void memory_copy(void *to, const void *from, size_t bytes)
{
    if (bytes > 0)
        memcpy(to, from, bytes);
}

void memory_zero(void *block, size_t bytes)
{
    if (bytes > 0)
        memset(block, 0, bytes);
}
