/* SPDX-License-Identifier: MIT */
/* copy.h - copies of bytes, and what is allowed between two places. */
#ifndef SIM_API_MEMORY_COPY_H
#define SIM_API_MEMORY_COPY_H

#include "sim/sim.h"

/* May a copy of this direction go from and to memory of the call's kinds? */
bool copy_fits(enum cudaMemcpyKind direction, const struct call *c);

/* Its error, where it may not or the memory is not there: dst and src are these arguments, and need so many bytes. */
cudaError_t copy_refused(struct call *c, enum cudaMemcpyKind direction, const char *dst, size_t dst_bytes, const char *src,
                         size_t src_bytes);

/* One call; `flags`: CALL_ASYNC or 0. Stream 0 is the caller's default stream. */
cudaError_t copy_bytes(const char *name, void *dst, const void *src, size_t bytes, enum cudaMemcpyKind direction,
                       cudaStream_t stream, uint32_t flags);

#endif
