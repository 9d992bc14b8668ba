/* SPDX-License-Identifier: MIT */
/* copy.h - copies of bytes, and what is allowed between two places. */
#ifndef SIM_API_MEMORY_COPY_H
#define SIM_API_MEMORY_COPY_H

#include "sim/sim.h"

struct api_call;
struct effect;

/* Of memory: rows begin a pitch apart, slices a height, in rows. */
struct area { void *at; size_t pitch, height; };

/* What is copied: `slices` of `rows` rows of `bytes`. */
struct box { size_t bytes, rows, slices; };

/* What messages call the arguments: "first argument, dst". */
struct copy_names { const char *dst, *src, *dst_pitch, *src_pitch; };

struct copied {
    struct area dst, src;
    struct box box;
    enum cudaMemcpyKind direction;
    const struct copy_names *names;
    bool names_devices;         /* cudaMemcpyPeer: these */
    int dst_device, src_device;
};

/* Checks a copy, and fills in the call and what it does; of an empty box neither. */
cudaError_t copy_box(struct api_call *e, cudaError_t status, const struct copied *c,
                     struct effect **effect);
/* Makes the call, which is open as CALL_COPY, and closes it. `flags`: CALL_ASYNC or 0. */
cudaError_t copy_make(struct api_call *e, cudaError_t status, const struct copied *c,
                      cudaStream_t stream, uint32_t flags);

/* The name of a direction that is one. */
const char *copy_direction(enum cudaMemcpyKind direction);

/* One call; `flags`: CALL_ASYNC or 0. Stream 0 is the caller's default stream. */
cudaError_t copy_bytes(const char *name, void *dst, const void *src, size_t bytes,
                       enum cudaMemcpyKind direction, cudaStream_t stream, uint32_t flags);

#endif
