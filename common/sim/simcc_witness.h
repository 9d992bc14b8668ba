/* SPDX-License-Identifier: MIT */
/* simcc_witness.h - putting second copies (witness.h) behind objects and programs, and taking them off. */
#ifndef SIMCC_WITNESS_H
#define SIMCC_WITNESS_H

#include "simcc_process.h"

/* Options of g++ that make the second copy of a source. */
void witness_options(struct words *command);
/* What has to stand behind its text: memcpy and its like become those of access_seen.c. */
extern const char witness_text[];

/* Puts the file `copy` behind `file`, and removes it. */
void witness_append(const char *file, const char *copy);
/* Writes what is behind `file` to `copy`. False: nothing is. */
bool witness_extract(const char *file, const char *copy);

#endif
