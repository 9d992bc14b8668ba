/* SPDX-License-Identifier: MIT */
/*
 * memory.h - the one thing that the timeline and the model ask of the world.
 *
 * Both are freestanding C: no libc, no clock, no threads. Each program links
 * one implementation: memory_hosted.c (realloc) or one of its own.
 */
#ifndef TRACE_RECORD_MEMORY_H
#define TRACE_RECORD_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Resizes as realloc does; size 0 frees and returns NULL. Never fails: where
 * there is no memory left the program ends with one line. */
void *memory_resize(void *block, size_t size);

/* Makes room for one element more: doubles when `count` has reached
 * `*capacity`. Returns the block, moved or not. */
void *memory_grow(void *block, size_t count, size_t *capacity, size_t element);
/* The same for a list, whatever it is of, in C and in C++. */
#define MEMORY_GROW(list, count, capacity) \
    ((list) = (__typeof__(list))memory_grow((list), (count), &(capacity), sizeof *(list)))

void memory_copy(void *to, const void *from, size_t bytes);
void memory_zero(void *block, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
