/* SPDX-License-Identifier: MIT */
/* block.h - the solution, for the programs that this chapter shows: they use a block, and do not
 * show how it is made. */
#include <stdlib.h>

#include "../lesson.h"

cudaError_t heap_take(void **memory, size_t bytes)
{
    *memory = malloc(bytes);
    return *memory ? cudaSuccess : cudaErrorMemoryAllocation;
}

cudaError_t heap_give(void *memory)
{
    free(memory);
    return cudaSuccess;
}

#include "../../../solutions/10-synced-memory.cu"
