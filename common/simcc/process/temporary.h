/* SPDX-License-Identifier: MIT */
/*
 * temporary.h - the private folder of one simcc, and an end that leaves nothing.
 *
 * The compilers' own temporary files go there too (TMPDIR). However simcc ends,
 * by exit() or by SIGINT, SIGTERM, SIGHUP, the folder goes; on a signal all
 * processes that it started, and those that they started, go first.
 */
#ifndef SIMCC_PROCESS_TEMPORARY_H
#define SIMCC_PROCESS_TEMPORARY_H

#include <stdbool.h>

#include "simcc/process/process.h"

/* Makes the folder, in $TMPDIR or /tmp. Once, before any process is started. */
void temporary_begin(void);
/* A new name in it, ending in ".o"; kept to the end. */
const char *temporary_name(void);

/* Ends simcc with its own line when these messages of a compiler tell of a full disk, which is no
 * error of the source. */
void look_for_full_disk(const struct bytes *messages);
/* The same, by errno, after one of simcc's own files could not be written. */
_Noreturn void temporary_trouble(const char *path);

/* A new empty file in the folder `where`, open for writing; it goes too, unless it
 * becomes the file `path` there. One at a time; -1 and false with errno. */
int temporary_beside(const char *where);
bool temporary_becomes(const char *path);

#endif
