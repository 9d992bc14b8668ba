/* SPDX-License-Identifier: MIT */
/*
 * sums.h - SHA256SUMS, as `make submit` packs it beside a learner's files: are they what they were
 * then?
 *
 * It speaks of the files in its own folder. Lines that sha256sum does not write mean nothing.
 */
#ifndef GRADER_BATCH_INTAKE_SUMS_H
#define GRADER_BATCH_INTAKE_SUMS_H

#include <stdbool.h>
#include <stddef.h>

#define SUMS_NAME "SHA256SUMS"
#define SUMS_MAX (64u << 10)    /* bytes of such a file */

/* Takes the next line off *rest: the name in it goes to `name`, the sum to `sum` (64 digits).
 * False: there is none. */
#define SUMS_NAME_MAX 256
bool sums_next(const char **rest, char sum[65], char name[SUMS_NAME_MAX]);

/* Why the file is not what it was; NULL: it is. */
const char *sums_trouble(const char *sums, const char *name, const void *bytes, size_t count);

#endif
