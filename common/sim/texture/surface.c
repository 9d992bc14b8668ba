/* SPDX-License-Identifier: MIT */
/* Reads and writes of arrays by kernels, bytes as they are: x counts bytes. */
#include <string.h>

#include "sim/include/detail/sim_texture.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/race/seen/access_seen.h"
#include "sim/texture/texture.h"

struct handles surfaces = { .first = 14 };

static const struct surface *surface_of(const struct sim_surface_access *a)
{
    const char *name = a->name;
    if (!kernel_runs())
        kernel_misused(name);
    const void *handle = (const void *)(uintptr_t)a->object;
    const struct surface *surface = handle_find(&surfaces, handle);
    if (!surface) {
        print_wrong("%s: %#llx is not a surface object: %s\n", name, a->object,
                    handle_was(&surfaces, handle)
                        ? "cudaDestroySurfaceObject has destroyed it, before this kernel ran"
                        : "cudaCreateSurfaceObject makes them");
        kernel_fail(cudaErrorLaunchFailure);
    }
    if (surface->texels.kind != a->kind) {
        print_wrong("%s: the surface object's array has %s\n", name,
                    words_of_kind(surface->texels.kind));
        kernel_fail(cudaErrorLaunchFailure);
    }
    return surface;
}

static long long clamped(long long i, long long most)
{
    return i < 0 ? 0 : i > most ? most : i;
}

/* NULL: out of range, where that reads zeros and writes nothing. */
static char *surface_address(const struct sim_surface_access *a)
{
    const char *name = a->name;
    const struct texels *t = &surface_of(a)->texels;
    const long long bytes = (long long)a->bytes, row = (long long)t->pitch,
                    rows = (long long)t->size.height, slices = (long long)t->size.depth;
    long long x = a->at[0], y = a->at[1], z = a->at[2];
    if (x % bytes != 0) {
        print_wrong(
            "%s: x is %lld, which is not a multiple of the %lld bytes that it reads or writes: x counts bytes\n",
            name, x, bytes);
        kernel_fail(cudaErrorMisalignedAddress);
    }
    bool inside = x >= 0 && x + bytes <= row && y >= 0 && y < rows && z >= 0 && z < slices;
    if (!inside && a->mode == cudaBoundaryModeTrap) {
        print_wrong(
            "%s: (%lld, %lld, %lld) lies outside the surface, which has %lld bytes x %lld rows x %lld slices; cudaBoundaryModeTrap ends "
            "the kernel\n",
            name, x, y, z, row, rows, slices);
        kernel_fail(cudaErrorLaunchFailure);
    }
    if (!inside && (a->mode == cudaBoundaryModeZero || row < bytes))
        return NULL;
    x = clamped(x, row - bytes);
    y = clamped(y, rows - 1);
    z = clamped(z, slices - 1);
    return t->at + x + row * (y + rows * z);
}

void sim_surface_access(void *value, const struct sim_surface_access *a)
{
    char *at = surface_address(a);
    if (at)
        access_see(at, a->bytes, a->write, __builtin_return_address(0));
    if (a->write && at)
        memcpy(at, value, a->bytes);
    if (!a->write && at)
        memcpy(value, at, a->bytes);
    if (!a->write && !at)
        memset(value, 0, a->bytes);
}
