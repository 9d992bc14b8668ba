/* SPDX-License-Identifier: MIT */
/*
 * Coordinates to texels, and texels to values.
 *
 * DESIGN
 * Formulas of the CUDA Programming Guide, "Texture Fetching". A normalised coordinate is multiplied
 * by the size N first. With point filtering the texel is floor(x). With linear filtering x - 0.5
 * lies between two texels; how far, is kept in 9 bits, 8 of them after the point, and the texels of
 * all dimensions are weighed by it. Which texel an index outside [0, N) stands for says the address
 * mode. Texels that weigh nothing are not read.
 */
#include <math.h>
#include <string.h>

#include "sim/include/detail/sim_texture.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/race/seen/access_seen.h"
#include "sim/texture/texture.h"

struct handles textures = { .first = 12 };

bool texture_is_real(const struct texture *texture)
{
    const struct cudaChannelFormatDesc *f = &texture->texels.format;
    return f->f == cudaChannelFormatKindFloat
           || (texture->how.readMode == cudaReadModeNormalizedFloat && f->x < 32);
}

/* ---- elements ---- */

/* A number of 16 bits: sign, 5 bits of exponent, 10 of fraction. */
static float half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = exponent == 31  ? (fraction ? NAN : INFINITY)
                  : exponent == 0 ? ldexpf((float)fraction, -24)
                                  : ldexpf((float)(1024 + fraction), exponent - 25);
    return bits >> 15 ? -value : value;
}

static int integer_value(const char *at, int bits, bool is_signed)
{
    uint32_t raw = 0;
    memcpy(&raw, at, (size_t)bits / 8);
    return is_signed && bits < 32 && raw >> (bits - 1) ? (int)raw - (1 << bits) : (int)raw;
}

/* Integers of 8 and 16 bits as shares of the largest one. */
static float share_value(int value, int bits, bool is_signed)
{
    float share = (float)value / (float)((1 << (is_signed ? bits - 1 : bits)) - 1);
    return share < -1 ? -1 : share;
}

static void take_channel(const struct texture *texture, const char *at, unsigned channel,
                         union sim_texel *to)
{
    const struct cudaChannelFormatDesc *f = &texture->texels.format;
    bool is_signed = f->f == cudaChannelFormatKindSigned, real = f->f == cudaChannelFormatKindFloat;
    uint16_t half;
    if (real && f->x == 32)
        memcpy(&to->f[channel], at, sizeof to->f[channel]);
    else if (real)
        memcpy(&half, at, sizeof half), to->f[channel] = half_value(half);
    else if (texture_is_real(texture))
        to->f[channel] = share_value(integer_value(at, f->x, is_signed), f->x, is_signed);
    else
        to->i[channel] = integer_value(at, f->x, is_signed);
}

/* ---- coordinates ---- */

/* Along one dimension: one texel or two, and what each weighs. */
struct along { long long at[2]; float weight[2]; unsigned count; };

enum { BORDER = -1 };

static long long modulo(long long i, long long n)
{
    return (i % n + n) % n;
}

static long long addressed(long long i, long long n, enum cudaTextureAddressMode mode)
{
    if (i >= 0 && i < n)
        return i;
    if (mode == cudaAddressModeWrap)
        return modulo(i, n);
    if (mode == cudaAddressModeMirror) {
        long long in_pair = modulo(i, 2 * n);
        return in_pair < n ? in_pair : 2 * n - 1 - in_pair;
    }
    return mode == cudaAddressModeBorder ? BORDER : i < 0 ? 0 : n - 1;
}

/* A normalised coordinate as the texture unit keeps it: with 21 bits after the point, the others
 * cut off (an H100). Shares that mean the edge of a texel, x / N, often fall just below it so. */
static double share_kept(float coordinate)
{
    const double kept = 1 << 21;
    return floor((double)coordinate * kept) / kept;
}

static struct along texels_along(const struct texture *texture, unsigned dimension,
                                 float coordinate, size_t size)
{
    const struct cudaTextureDesc *how = &texture->how;
    bool face = texture->texels.kind & cudaArrayCubemap, normalized = how->normalizedCoords || face;
    enum cudaTextureAddressMode mode = how->addressMode[dimension];
    if (face || (!normalized && mode != cudaAddressModeBorder))
        mode = cudaAddressModeClamp;
    const double far = 1e15;
    double x = normalized ? share_kept(coordinate) * (double)size : (double)coordinate;
    x = isnan(x) ? 0 : x < -far ? -far : x > far ? far : x;
    bool linear = how->filterMode == cudaFilterModeLinear;
    double below = floor(linear ? x - 0.5 : x),
           weight = linear ? floor((x - 0.5 - below) * 256 + 0.5) / 256 : 0;
    long long i = (long long)below, n = (long long)size;
    struct along a = { .at = { addressed(i, n, mode), addressed(i + 1, n, mode) },
                       .weight = { (float)(1 - weight), (float)weight },
                       .count = weight > 0 ? 2 : 1 };
    if (weight == 1)
        a = (struct along){ .at = { a.at[1] }, .weight = { 1 }, .count = 1 };
    return a;
}

/* Where a direction meets the cube, "Cubemap Textures" in the guide: the face, and coordinates on
 * it from 0 to 1. */
static long long face_met(const float at[3], float *s, float *t)
{
    float x = at[0], y = at[1], z = at[2], ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
    int axis = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
    bool back = at[axis] < 0;
    const float along[3][2] = { { back ? z : -z, -y }, { x, back ? -z : z },
                                { back ? -x : x, -y } };
    float m = fabsf(at[axis]);
    *s = (along[axis][0] / m + 1) / 2;
    *t = (along[axis][1] / m + 1) / 2;
    return 2 * axis + back;
}

/* ---- fetches ---- */

static void take_texel(const struct texture *texture, long long x, long long y, long long z,
                       const void *pc, union sim_texel *to)
{
    const struct texels *t = &texture->texels;
    bool outside = x == BORDER || y == BORDER || z == BORDER, real = texture_is_real(texture);
    *to = (union sim_texel){ { 0 } };
    if (outside) {
        for (unsigned c = 0; c < t->channels; c++)
            if (real)
                to->f[c] = texture->how.borderColor[c];
            else
                to->i[c] = (int)texture->how.borderColor[c];
        return;
    }
    const char *at =
        t->at + (size_t)x * t->element + t->pitch * ((size_t)y + t->size.height * (size_t)z);
    access_see(at, t->element, false, pc);
    for (unsigned c = 0; c < t->channels; c++)
        take_channel(texture, at + c * (t->element / t->channels), c, to);
}

static void filter(const struct texture *texture, const struct along along[3], const void *pc,
                   union sim_texel *to)
{
    *to = (union sim_texel){ { 0 } };
    for (unsigned k = 0; k < along[2].count; k++)
        for (unsigned j = 0; j < along[1].count; j++)
            for (unsigned i = 0; i < along[0].count; i++) {
                union sim_texel texel;
                float weight = along[0].weight[i] * along[1].weight[j] * along[2].weight[k];
                take_texel(texture, along[0].at[i], along[1].at[j], along[2].at[k], pc, &texel);
                for (unsigned c = 0; c < texture->texels.channels; c++)
                    to->f[c] += weight * texel.f[c];
            }
}

static void sample(const struct texture *texture, const struct along along[3], const void *pc,
                   union sim_texel *to)
{
    if (texture->how.filterMode == cudaFilterModeLinear)
        filter(texture, along, pc, to);
    else
        take_texel(texture, along[0].at[0], along[1].at[0], along[2].at[0], pc, to);
}

static const struct texture *texture_of(cudaTextureObject_t object, const char *name)
{
    if (!kernel_runs())
        kernel_misused(name);
    const void *handle = (const void *)(uintptr_t)object;
    const struct texture *texture = handle_find(&textures, handle);
    if (!texture) {
        print_wrong("%s: %#llx is not a texture object: %s\n", name, object,
                    handle_was(&textures, handle)
                        ? "cudaDestroyTextureObject has destroyed it, before this kernel ran"
                        : "cudaCreateTextureObject makes them");
        kernel_fail(cudaErrorLaunchFailure);
    }
    return texture;
}

const char *words_of_kind(unsigned kind)
{
    static const char *const words[] = {
        [0] = "no layers, which tex1D, tex2D, tex3D, surf1D…, surf2D… and surf3D… are for",
        [cudaArrayLayered] = "layers, which tex1DLayered, tex2DLayered, surf1DLayered… and surf2DLayered… are for",
        [cudaArrayCubemap] = "a cube's faces, which texCubemap and surfCubemap… are for",
        [cudaArrayCubemap | cudaArrayLayered] = "layers of a cube's faces, which texCubemapLayered and surfCubemapLayered… are for",
    };
    return words[kind];
}

static const struct texture *texture_to_sample(cudaTextureObject_t object, const char *name,
                                               unsigned kind)
{
    const struct texture *texture = texture_of(object, name);
    bool line = texture->resource.resType == cudaResourceTypeLinear;
    if (line)
        print_wrong(
            "%s: the texture object was made of cudaResourceTypeLinear, which tex1Dfetch reads\n",
            name);
    else if (texture->texels.kind != kind)
        print_wrong("%s: the texture object's array has %s\n", name,
                    words_of_kind(texture->texels.kind));
    if (line || texture->texels.kind != kind)
        kernel_fail(cudaErrorLaunchFailure);
    return texture;
}

void sim_texture_fetch(union sim_texel *to, cudaTextureObject_t object, int x)
{
    const void *pc = __builtin_return_address(0);
    const struct texture *texture = texture_of(object, "tex1Dfetch");
    if (texture->resource.resType != cudaResourceTypeLinear) {
        print_wrong(
            "tex1Dfetch: the texture object was not made of cudaResourceTypeLinear; tex1D, tex2D and tex3D read this one\n");
        kernel_fail(cudaErrorLaunchFailure);
    }
    if (x >= 0 && (size_t)x < texture->texels.size.width)
        take_texel(texture, x, 0, 0, pc, to);
    else
        *to = (union sim_texel){ { 0 } };
}

void sim_texture_sample(union sim_texel *to, cudaTextureObject_t object, unsigned dimensions,
                        float x, float y, float z)
{
    static const char *const names[] = { "tex1D", "tex2D", "tex3D" };
    const void *pc = __builtin_return_address(0);
    const struct texture *texture = texture_to_sample(object, names[dimensions - 1], 0);
    const struct cudaExtent *size = &texture->texels.size;
    const struct along first = { .weight = { 1 }, .count = 1 };
    const struct along along[] = {
        texels_along(texture, 0, x, size->width),
        dimensions > 1 ? texels_along(texture, 1, y, size->height) : first,
        dimensions > 2 ? texels_along(texture, 2, z, size->depth) : first
    };
    sample(texture, along, pc, to);
}

void sim_texture_sample_layer(union sim_texel *to, cudaTextureObject_t object,
                              const struct sim_layer_sample *s)
{
    enum { FACES = 6 };
    const struct texture *texture = texture_to_sample(object, s->name, s->kind);
    const struct cudaExtent *size = &texture->texels.size;
    bool cube = s->kind & cudaArrayCubemap;
    float x = s->at[0], y = s->at[1];
    long long faces = cube ? FACES : 1, layers = (long long)size->depth / faces,
              face = cube ? face_met(s->at, &x, &y) : 0;
    long long slice = addressed(s->layer, layers, cudaAddressModeClamp) * faces + face;
    const struct along first = { .weight = { 1 }, .count = 1 };
    const struct along along[] = { texels_along(texture, 0, x, size->width),
                                   s->dimensions > 1 ? texels_along(texture, 1, y, size->height)
                                                     : first,
                                   { .at = { slice }, .weight = { 1 }, .count = 1 } };
    sample(texture, along, __builtin_return_address(0), to);
}
