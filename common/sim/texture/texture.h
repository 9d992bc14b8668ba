/* SPDX-License-Identifier: MIT */
/*
 * texture.h - texture and surface objects: what they were made of, for the kernels that read and
 * write through them.
 *
 * An object is a number in a table (handles.h). Kernels look it up at each access, so that one that
 * was destroyed too early is known as such. Loads and stores are told to the instrumented build as
 * the kernel's own (access_see).
 */
#ifndef SIM_TEXTURE_TEXTURE_H
#define SIM_TEXTURE_TEXTURE_H

#include "sim/handles.h"
#include "sim/include/texture_types.h"

/* Elements in memory that a device reaches: rows a pitch apart, slices one after the other. */
struct texels {
    char *at;
    struct cudaExtent size;     /* elements, rows and slices: 1 where there is no such dimension */
    size_t pitch, element;      /* bytes */
    struct cudaChannelFormatDesc format;
    unsigned channels;
    unsigned kind;              /* cudaArrayLayered, cudaArrayCubemap: what slices are */
};

struct texture {
    struct cudaResourceDesc resource;
    struct cudaTextureDesc how;
    struct texels texels;
};

struct surface {
    struct cudaResourceDesc resource;
    struct texels texels;
};

extern struct handles textures, surfaces;

/* What is read and written in an array of that kind, in words: "an array of layers, which
 * tex2DLayered … read". */
const char *words_of_kind(unsigned kind);

/* Does a fetch give numbers (float), rather than the elements' integers? */
bool texture_is_real(const struct texture *texture);

#endif
