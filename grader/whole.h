/* SPDX-License-Identifier: MIT */
/*
 * whole.h - a file that appears whole or not at all.
 *
 * What is written goes to a file beside it, which takes its name at the end:
 * whoever reads sees the old one or the new one, and a full disk leaves the old.
 * What is there and is no file (a device, a pipe) is written into instead.
 */
#ifndef GRADER_WHOLE_H
#define GRADER_WHOLE_H

#include <stdbool.h>
#include <stdio.h>

struct whole {
    FILE *out;
    char *path, *temporary;     /* NULL: written into */
};

/* False: errno says why, and there is nothing to close. */
bool whole_open(struct whole *w, const char *path);
/* `keep` false: what was written goes away. False: errno says why, and nothing is left of it either. */
bool whole_close(struct whole *w, bool keep);

/* What follows a file's name in that of the file beside it; then six letters. */
#define WHOLE_TEMPORARY ".new-"
/* Is this such a file, and nobody writes it any more? */
bool whole_is_left(const char *path);

#endif
