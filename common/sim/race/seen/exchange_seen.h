/* SPDX-License-Identifier: MIT */
/*
 * exchange_seen.h - what a thread or block of a grid reads that another one stores in the same
 * launch, or stores where another one has read, with nothing between that orders the two.
 *
 * Of the first launches of each kernel, some blocks alone: their loads and stores are looked at one
 * by one, and the others, which do the same, cost nothing. What orders is taken generously, so that
 * nothing is told of a program that is right: an atomic or volatile access, a fence, the device's
 * heap and a barrier as an object or by its number order all that comes after them, and anything
 * that lanes of a warp meet in those two lanes that were in one since.
 */
#ifndef SIM_RACE_SEEN_EXCHANGE_SEEN_H
#define SIM_RACE_SEEN_EXCHANGE_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct exchange {
    const void *read, *write;       /* instructions; NULL: there was none */
    bool blocks;                    /* of two blocks, not of two threads of one */
    bool read_first;
};

/* Is the block that this thread runs one of those? */
extern __thread bool exchange_seen_wanted;

/* A grid begins, or goes on from where its first block was stopped; `kernel` is the same at each of
 * its launches. NULL: nothing of it is looked at. `close_all`: the thread's runs go on no more. */
void exchange_seen_begin(const void *kernel, void (*close_all)(void));
void exchange_seen_end(void);
void exchange_seen_block(uint64_t number);
/* The block makes room for another one, and comes back. */
void exchange_seen_leaves(void);

void exchange_seen_access(uintptr_t address, size_t bytes, bool write, const void *pc);
/* The thread comes to a __syncthreads(), or comes to and leaves what threads of its warp wait in.
 */
void exchange_seen_meets(bool block);
void exchange_seen_orders(void);

/* The first of them, and forgets it. */
struct exchange exchange_seen_take(void);

#endif
