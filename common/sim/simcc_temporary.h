/* SPDX-License-Identifier: MIT */
/*
 * simcc_temporary.h - the private folder of one simcc, and an end that leaves nothing.
 *
 * The compilers' own temporary files go there too (TMPDIR). However simcc ends,
 * by exit() or by SIGINT, SIGTERM, SIGHUP, the folder goes; on a signal all
 * processes that it started, and those that they started, go first.
 */
#ifndef SIMCC_TEMPORARY_H
#define SIMCC_TEMPORARY_H

/* Makes the folder, in $TMPDIR or /tmp. Once, before any process is started. */
void temporary_begin(void);
/* A new name in it, ending in ".o"; never freed. */
const char *temporary_name(void);

#endif
