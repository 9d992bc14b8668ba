/* SPDX-License-Identifier: MIT */
#include "sim/texture/sizes.h"

#include <stdbool.h>
#include <stddef.h>

#include "sim/include/cuda_runtime_api.h"
#include "sim/sim.h"

static void fill_sizes(int *sizes, int x, int y, int z)
{
    sizes[0] = x;
    sizes[1] = y;
    if (z > 0)
        sizes[2] = z;
}

/* Guide, "Technical Specifications per Compute Capability". */
void texture_sizes(struct cudaDeviceProp *p)
{
    const struct card *card = sim.card;
    static const struct {
        unsigned major;
        int line, layer, layers, plane[2], linear[2], gather, volume, cube, surface, surfaces[2],
            deep[3], stacked[2], surface_cube;
    } rows[] = {
        { 1, 8192, 8192, 512, { 65536, 32768 }, { 65000, 65000 }, 0, 2048, 0, /* no surfaces: */
          0, { 0, 0 }, { 0, 0, 0 }, { 0, 0 }, 0 },
        { 2, 65536, 16384, 2048, { 65536, 65535 }, { 65000, 65000 }, 16384, 2048, 16384,
          65536, { 65536, 32768 }, { 65536, 32768, 2048 }, { 65536, 32768 }, 32768 },
        { 3, 65536, 16384, 2048, { 65536, 65536 }, { 65000, 65000 }, 16384, 4096, 16384,
          65536, { 65536, 32768 }, { 65536, 32768, 2048 }, { 65536, 32768 }, 32768 },
        { 5, 65536, 16384, 2048, { 65536, 65536 }, { 65536, 65536 }, 16384, 4096, 16384,
          16384, { 65536, 65536 }, { 4096, 4096, 4096 }, { 16384, 16384 }, 16384 },
        { 6, 131072, 32768, 2048, { 131072, 65536 }, { 131072, 65000 }, 32768, 16384, 32768,
          32768, { 131072, 65536 }, { 16384, 16384, 16384 }, { 32768, 32768 }, 32768 },
    };
    size_t i = sizeof rows / sizeof *rows - 1;
    while (i > 0 && rows[i].major > card->major)
        i--;
    bool short_lines = card->major < 6 || (card->major == 6 && card->minor < 2)
                       || (card->major == 7 && card->minor < 2);
    p->maxTexture1D = rows[i].line;
    p->maxTexture1DLinear = 1 << (short_lines ? 27 : 28);
    fill_sizes(p->maxTexture1DLayered, rows[i].layer, rows[i].layers, 0);
    fill_sizes(p->maxTexture2D, rows[i].plane[0], rows[i].plane[1], 0);
    fill_sizes(p->maxTexture2DLinear, rows[i].linear[0], rows[i].linear[1], 0);
    fill_sizes(p->maxTexture2DGather, rows[i].gather, rows[i].gather, 0);
    fill_sizes(p->maxTexture2DLayered, rows[i].layer, rows[i].layer, rows[i].layers);
    fill_sizes(p->maxTexture3D, rows[i].volume, rows[i].volume, rows[i].volume);
    p->maxTextureCubemap = rows[i].cube;
    fill_sizes(p->maxTextureCubemapLayered, rows[i].cube, rows[i].cube ? 2046 : 0, 0);
    int layers = rows[i].surface ? rows[i].layers : 0;
    p->maxSurface1D = rows[i].surface;
    fill_sizes(p->maxSurface1DLayered, rows[i].surface, layers, 0);
    fill_sizes(p->maxSurface2D, rows[i].surfaces[0], rows[i].surfaces[1], 0);
    fill_sizes(p->maxSurface2DLayered, rows[i].stacked[0], rows[i].stacked[1], layers);
    fill_sizes(p->maxSurface3D, rows[i].deep[0], rows[i].deep[1], rows[i].deep[2]);
    p->maxSurfaceCubemap = rows[i].surface_cube;
    fill_sizes(p->maxSurfaceCubemapLayered, rows[i].surface_cube, layers ? 2046 : 0, 0);
    if (card->major < 9)
        return;
    p->maxTexture1DMipmap = 32768; /* [Q] an H200's: facts/h200-edges.txt */
    fill_sizes(p->maxTexture2DMipmap, 32768, 32768, 0);
    p->maxTexture2DLinear[2] = 2097120;
    fill_sizes(p->maxTexture3DAlt, 8192, 8192, 32768);
}
