/* SPDX-License-Identifier: MIT */
/* stdlib.h - see stdio.h. */
#ifndef FIGURE_WASM_STDLIB_H
#define FIGURE_WASM_STDLIB_H

#include <stddef.h>

void free(void *block);
void qsort(void *list, size_t count, size_t size, int (*compare)(const void *, const void *));

#endif
