/* SPDX-License-Identifier: MIT */
/*
 * atomic_file.h - a file that appears whole or not at all.
 *
 * What is written goes to a file beside it, which takes its name at the end:
 * whoever reads sees the old one or the new one, and a full disk leaves the old.
 * What is there and is no file (a device, a pipe) is written into instead.
 */
#ifndef GRADER_BASE_ATOMIC_FILE_H
#define GRADER_BASE_ATOMIC_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct atomic_file {
    FILE *out;
    char *path, *temporary;     /* NULL: written into */
};

/* False: errno says why, and there is nothing to close. */
bool atomic_file_open(struct atomic_file *w, const char *path);
/* `keep` false: what was written goes away. False: errno says why, and nothing is left of it
 * either. */
bool atomic_file_close(struct atomic_file *w, bool keep);

/* What follows a file's name in that of the file beside it; then six letters. */
#define ATOMIC_TEMPORARY ".new-"
/* Is this such a file, and nobody writes it any more? */
bool atomic_file_is_left(const char *path);

#endif
