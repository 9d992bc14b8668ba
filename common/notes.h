/* SPDX-License-Identifier: MIT */
/*
 * notes.h - whose memory did a kernel work on? Arguments of kernels are in no log.
 *
 * The kernel notes one of its addresses in the NOTES words in front of device memory of the
 * driver's (notes_in_front), and the driver asks afterwards what kind of memory that is. All of the
 * memory is zeros at first.
 */
#ifndef NOTES_H
#define NOTES_H

#include <cuda_runtime.h>

#define NOTES 256               /* words: of the first 127 launches */

/* The first word counts the launches; two for each of the next ones hold an address. Macros: a
 * function would have to be the device's for one compiler, and could not be for another. */
#define notes_add(notes, at) \
    do { \
        unsigned notes_place = 2 * atomicAdd(notes, 1u) + 2; \
        if (notes_place + 1 < NOTES) { \
            (notes)[notes_place] = (unsigned)(size_t)(at); \
            (notes)[notes_place + 1] = (unsigned)((size_t)(at) >> 32); \
        } \
    } while (0)

/* For one thread of each launch: `at` is noted in front of `memory`. */
#define notes_in_front(memory, at) \
    do { \
        if (blockIdx.x == 0 && threadIdx.x == 0) \
            notes_add((memory) - NOTES, at); \
    } while (0)

/* The address that launch k noted; 0: none. */
static inline __attribute__((unused)) size_t notes_at(const unsigned notes[NOTES], int k)
{
    return 2 * k + 3 < NOTES ? (size_t)notes[2 * k + 3] << 32 | notes[2 * k + 2] : 0;
}

/* For each of `count` launches 1 if it was given memory of the host's, else 0. Memory that has gone
 * back by now was not the host's. */
static inline __attribute__((unused)) cudaError_t notes_read(const unsigned *memory, unsigned *host,
                                                             int count)
{
    unsigned notes[NOTES];
    cudaError_t status = cudaMemcpy(notes, memory - NOTES, sizeof notes, cudaMemcpyDeviceToHost);
    for (int k = 0; k < count; k++) {
        size_t at = notes_at(notes, k);
        cudaPointerAttributes is = {};
        host[k] = at && cudaPointerGetAttributes(&is, (const void *)at) == cudaSuccess
                  && is.type == cudaMemoryTypeHost;
    }
    (void)cudaGetLastError();
    return status;
}

#endif
