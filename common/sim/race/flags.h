/* SPDX-License-Identifier: MIT */
/* flags.h - the latest stores of kernels in atomic or volatile variables that the host reaches. */
#ifndef SIM_RACE_FLAGS_H
#define SIM_RACE_FLAGS_H

#include <stdint.h>

/* `node` has stored in [from, to). Of many the oldest are forgotten. */
void flag_stored(uint64_t from, uint64_t to, uint32_t node);
/* Who has stored last at that address; NO_NODE: none that is remembered. */
uint32_t flag_last_stored(uint64_t at);

#endif
