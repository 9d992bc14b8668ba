/* SPDX-License-Identifier: MIT */
/*
 * initialised.h - shadow memory: a bit for each byte of the device's memory, set once the byte has
 * been written. The bits lie at a fixed distance from the memory. Memory has bits from
 * initialised_new on.
 *
 * Loads are judged when they are made (access_seen.c), copies when they end.
 * Whoever reads bytes of which only some were written is left in peace:
 * structures have holes, and results may fill a part of their buffer.
 */
#ifndef SIM_RACE_SEEN_INITIALISED_H
#define SIM_RACE_SEEN_INITIALISED_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/memory/allocation.h"

#define INITIALISED_BITS ((unsigned char *)UINT64_C(0x240000000000))

/* Bytes from ALLOCATION_LOW on that have bits. */
extern uint64_t initialised_span;

/* Several threads mark at once: one that wants to write bits of more than its own memory calls
 * initialised_mark. */
extern bool initialised_by_many;
/* … and may read what another one has just written. */
extern bool initialised_in_common;

/* Memory that comes is as good as never written, even where it was before. */
void initialised_new(uint64_t at, uint64_t bytes);
void initialised_mark(uint64_t at, uint64_t bytes);
/* An address up to which all bytes from `at` on were written; at most `most`. Nothing is kept about
 * memory that the host can reach, too: there it returns `most`. For memory of neither kind it
 * returns 0. */
uint64_t initialised_until(uint64_t at, uint64_t most);
/* Was one of these bytes ever written? True where nobody looks. */
bool initialised_any(uint64_t at, uint64_t bytes);
/* What was copied is what it was. */
void initialised_copy(uint64_t dst, uint64_t src, uint64_t bytes);

#endif
