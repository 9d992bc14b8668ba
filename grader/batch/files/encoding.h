/* SPDX-License-Identifier: MIT */
/*
 * encoding.h - strangers' bytes as UTF-8: names of files, rosters, and programs.
 *
 * What is UTF-8 stays as it is, flagged as such or not. What is not was written in the encoding of
 * some system, which nothing names. It is guessed: UTF-16 by its first two bytes, else the code
 * page in which the bytes make a name that is known, else the one in which they look most like a
 * name or a sentence. Known are those of Windows and DOS for Latin (western, central, Turkish,
 * Baltic), Cyrillic and Greek letters, Chinese (GB18030, Big5), Japanese and Korean; those for
 * Hebrew, Arabic, Thai and Vietnamese only where a name is known. A guess is always named to the
 * reader.
 *
 * Names come in the normal form NFC, so that Zoë from macOS (e and a diaeresis) is Zoë from Linux
 * (one character).
 */
#ifndef GRADER_BATCH_FILES_ENCODING_H
#define GRADER_BATCH_FILES_ENCODING_H

#include <stdbool.h>
#include <stddef.h>

/* Before libarchive reads a name: in the locale "C" it has none beyond ASCII. */
void encoding_begin(void);

/* A copy in UTF-8, the caller's; *guess is the encoding that was guessed, or NULL where it was
 * UTF-8. NULL: it is no text in any of them. */
char *encoding_read(const char *bytes, size_t count, size_t *length, const char **guess);

/* A path in NFC, the caller's: UTF-8, or as it is where it can be read in no encoding. Each of its
 * words is read by itself, so that the same folder is the same, whatever lies in it. `knows` (NULL:
 * nothing is known): is this word, which is UTF-8 and may be in no normal form, known? *guess: the
 * first. */
typedef bool encoding_knows(const void *context, const char *word);
char *encoding_name(const char *name, encoding_knows *knows, const void *context,
                    const char **guess);

/* The text of a file of at most `most` bytes, each line in NFC; the caller's. NULL: errno says why.
 */
char *encoding_file(const char *path, size_t most, const char **guess);

#endif
