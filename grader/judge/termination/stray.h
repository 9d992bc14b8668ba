/* SPDX-License-Identifier: MIT */
/*
 * stray.h - whose memory the host touched when the program crashed, from the
 * calls that made memory and gave it back.
 */
#ifndef GRADER_JUDGE_TERMINATION_STRAY_H
#define GRADER_JUDGE_TERMINATION_STRAY_H

#include "trace/record/timeline.h"

/* Sentences on the address: that its memory was freed, is the device's, or ends before it. Calls of
 * `path` are named by their line, others by file and line, too. False, and nothing written, where
 * the log does not tell. */
bool stray_say(char *text, size_t size, const struct timeline *log, uint64_t address,
               const char *path);

/* The crash was in free() or realloc(), at `address`: what they were given, and what gives that
 * memory back. Written always. */
void stray_say_free(char *text, size_t size, const struct timeline *log, uint64_t address,
                    const char *path);

#endif
