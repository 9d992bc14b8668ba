/* SPDX-License-Identifier: MIT */
/* instrumented.h - appends instrumented builds (sim/race/instrumented.h) to objects and programs,
 * and extracts them. */
#ifndef SIMCC_INSTRUMENTED_H
#define SIMCC_INSTRUMENTED_H

#include "simcc/options.h"

/* Options of g++ that make the instrumented build of a source. */
void instrumented_options(struct words *command);
/* What has to stand before its text, and before that of the other build: which of them it is. */
const char *instrumented_which(bool instrumented);
/* __attribute__((word("…"))), #pragma GCC word "…" */
bool instrumented_says(const struct bytes *text, const char *word);
/* May it have vectors wider than 16 bytes, or other instructions that most machines lack? */
bool instrumented_has_targets(const struct job *job, const struct bytes *text);
/* Adds what has to stand after its text: memcpy and its like become those of access_library.c. In
 * programs, what makes most calls of it unnecessary, too; where no vector is wider than 16 bytes,
 * what lets registers live across these. `optimises`: g++ does. */
void instrumented_add(const struct job *job, const struct bytes *text, bool optimises,
                      struct bytes *out);

/* Puts the file `copy` after `file`, and removes it. */
void instrumented_append(const char *file, const char *copy);
/* Writes what is after `file` to `copy`. False: nothing is. */
bool instrumented_extract(const char *file, const char *copy);

#endif
