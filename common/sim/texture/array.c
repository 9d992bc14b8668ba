/* SPDX-License-Identifier: MIT */
#include "sim/texture/array.h"

#include "trace/record/memory.h"

struct handles arrays = { .first = 10 };

unsigned format_channels(const struct cudaChannelFormatDesc *format)
{
    const int bits[] = { format->x, format->y, format->z, format->w };
    unsigned count = 0;
    while (count < 4 && bits[count] > 0)
        count++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < count ? bits[0] : 0))
            return 0;
    return count == 3 ? 0 : count;
}

size_t format_bytes(const struct cudaChannelFormatDesc *format)
{
    bool real = format->f == cudaChannelFormatKindFloat,
         whole =
             format->f == cudaChannelFormatKindSigned || format->f == cudaChannelFormatKindUnsigned;
    bool known =
        ((format->x == 16 || format->x == 32) && (real || whole)) || (format->x == 8 && whole);
    return known ? format_channels(format) * (unsigned)format->x / 8 : 0;
}

struct cudaExtent array_extent(const struct array *array)
{
    const struct cudaExtent *e = &array->asked;
    return (struct cudaExtent){ e->width, e->height > 0 ? e->height : 1,
                                e->depth > 0 ? e->depth : 1 };
}

size_t array_pitch(const struct array *array)
{
    return array->asked.width * format_bytes(&array->format);
}

cudaArray_t array_new(struct array array)
{
    struct array *copy = memory_resize(NULL, sizeof *copy);
    *copy = array;
    return handle_give(&arrays, copy);
}

const struct array *array_find(cudaArray_const_t handle)
{
    return handle_find(&arrays, handle);
}

void array_drop(cudaArray_const_t handle)
{
    struct array *array = handle_find(&arrays, handle);
    handle_take_back(&arrays, handle);
    memory_resize(array, 0);
}
