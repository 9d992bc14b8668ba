/* SPDX-License-Identifier: MIT */
/*
 * encoding.h - strangers' bytes as UTF-8: names of files, rosters, and programs.
 *
 * What is UTF-8 stays as it is, flagged as such or not. What is not was written in the encoding of some system, which
 * nothing names. It is guessed: UTF-16 by its first two bytes, else the one of CP437, CP1252, CP850, GB18030 and
 * Shift-JIS in which the bytes look most like a name or a sentence. A guess is always named to the reader.
 *
 * Names come in the normal form NFC, so that Zoë from macOS (e and a diaeresis) is Zoë from Linux (one character).
 */
#ifndef GRADER_BATCH_FILES_ENCODING_H
#define GRADER_BATCH_FILES_ENCODING_H

#include <stddef.h>

/* Before libarchive reads a name: in the locale "C" it has none beyond ASCII. */
void encoding_begin(void);

/* A copy in UTF-8, the caller's; *guess is the encoding that was guessed, or NULL where it was UTF-8. NULL: it is no text
 * in any of them. */
char *encoding_read(const char *bytes, size_t count, size_t *length, const char **guess);

/* A name in NFC, the caller's: UTF-8, or as it is where it can be read in no encoding. */
char *encoding_name(const char *name, const char **guess);

/* The text of a file of at most `most` bytes, each line in NFC; the caller's. NULL: errno says why. */
char *encoding_file(const char *path, size_t most, const char **guess);

#endif
