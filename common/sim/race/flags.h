/* SPDX-License-Identifier: MIT */
/*
 * flags.h - the latest stores of operations in variables that the host reaches, through which a
 * reader learns what came before them.
 *
 * A kernel's store is a flag if it is atomic, volatile or after a fence. So is a copy or memset of
 * at most FLAG_BYTES, which come all at once and after all that its stream did before: no hazard
 * with an atomic or volatile load, of the host or a kernel, and one with every other store and with
 * a plain load.
 */
#ifndef SIM_RACE_FLAGS_H
#define SIM_RACE_FLAGS_H

#include <stdint.h>

struct access_run;
struct hazard_range;

/* What the kernel `node` did there: it stores a flag, or looks at one. Of many the oldest are
 * forgotten. */
void flag_met(uint32_t node, const struct access_run *run);
/* The same of a copy or memset that has ended: its range is marked if that is a flag. */
void flag_copied(uint32_t node, struct hazard_range *range);
/* Who has stored last at that address; NO_NODE: none that is remembered. */
uint32_t flag_last_stored(uint64_t at);

#endif
