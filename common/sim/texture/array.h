/* SPDX-License-Identifier: MIT */
/*
 * array.h - CUDA arrays: memory of the device that a program reaches by copies, textures and
 * surfaces alone.
 *
 * A card keeps an array in an order of its own. Here elements lie row after row, with nothing
 * between them: the program never sees an address, and cannot tell. The memory is an allocation
 * like others (allocation.h), so that it is given back, missed and watched like others.
 */
#ifndef SIM_TEXTURE_ARRAY_H
#define SIM_TEXTURE_ARRAY_H

#include "sim/handles.h"
#include "sim/include/texture_types.h"

struct array {
    char *at;
    struct cudaChannelFormatDesc format;
    struct cudaExtent asked;    /* in elements; height or depth 0: it has no such dimension */
    unsigned flags;
};

extern struct handles arrays;

/* Bytes of an element, and its channels; 0: there is no such format. */
size_t format_bytes(const struct cudaChannelFormatDesc *format);
unsigned format_channels(const struct cudaChannelFormatDesc *format);
/* The same of each dimension, 1 where there is none. */
struct cudaExtent array_extent(const struct array *array);
/* Bytes from row to row. */
size_t array_pitch(const struct array *array);

/* The array is on the heap, and the table's from here on. */
cudaArray_t array_new(struct array array);
/* NULL: it is no array, or no longer. */
const struct array *array_find(cudaArray_const_t handle);
void array_drop(cudaArray_const_t handle);

#endif
