/* SPDX-License-Identifier: MIT */
/* string.h - see stdio.h. */
#ifndef FIGURE_WASM_STRING_H
#define FIGURE_WASM_STRING_H

#include <stddef.h>

size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
void *memset(void *block, int byte, size_t count);
void *memcpy(void *to, const void *from, size_t count);

#endif
