/* SPDX-License-Identifier: MIT */
/*
 * ignored.h - how options are spelled, and those of nvcc's that are taken and do nothing.
 *
 * They concern the GPU's code, the speed of nvcc itself, or libraries of the toolkit that the
 * simulator has or does not need.
 */
#ifndef SIMCC_IGNORED_H
#define SIMCC_IGNORED_H

#include <stdbool.h>

enum form { ALONE, JOINED, NEXT,
            EITHER };     /* where its value is: -c, -O2, -x cu, -I dir or -Idir */
struct spelling { const char *text; enum form form; };

/* Is the word this option, perhaps with its value? */
bool spelling_fits(const struct spelling *s, const char *word);
/* Then: is its value the next word? */
bool spelling_takes_next(const struct spelling *s, const char *word);

/* The option that the word is; NULL: it is not ignored. No option of options.c is hidden by one of
 * these. */
const struct spelling *ignored_find(const char *word);

/* What -h says of the options that are not ignored, and what --version says. */
extern const char simcc_help[], simcc_version[];

#endif
