/* SPDX-License-Identifier: MIT */
/*
 * shared_seen.h - what a grid's first block reads of its shared memory before one of its threads
 * has written it.
 *
 * The first block alone: its loads and stores are looked at one by one, and those
 * of the others, which do the same, cost nothing.
 */
#ifndef SIM_RACE_SEEN_SHARED_SEEN_H
#define SIM_RACE_SEEN_SHARED_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is the block that this thread runs the first of its grid? */
extern __thread bool shared_seen_wanted;

/* A block begins: nothing of its memory has been written. */
void shared_seen_begin(bool first);
/* These bytes are the block's shared memory. */
void shared_seen_variable(const void *at, size_t bytes);
void shared_seen_access(uintptr_t address, size_t bytes, bool write, const void *pc);
/* Another block may have written these bytes of the first block's, or will. */
void shared_seen_written(const void *at, size_t bytes);
/* Which instruction was the first that read what had not been written, not a byte of it; NULL:
 * none. Forgets it. */
const void *shared_seen_take(void);

#endif
