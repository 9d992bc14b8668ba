/* SPDX-License-Identifier: MIT */
/*
 * walk.h - a submission's text from token to token, for who looks for functions, loops and names in
 * it. Places are indices of the text; `next` is where the token at `i` ends.
 */
#ifndef GRADER_RUN_WALK_H
#define GRADER_RUN_WALK_H

#include "grader/run/submission.h"

size_t walk_token(const struct submission *s, size_t i);
/* From `i` on the first byte that is neither white space nor in a comment. */
size_t walk_blanks(const struct submission *s, size_t i);
/* Past the bracket that closes the one at `i`; the end of the text where none does, or a list of
 * parameters is too long. */
size_t walk_brackets(const struct submission *s, size_t i);
unsigned walk_line(const struct submission *s, size_t i);
/* Where that line begins, past its blanks. */
size_t walk_line_start(const struct submission *s, unsigned line);

bool walk_is_word(const struct submission *s, size_t i, size_t next, const char *word);
/* One of these, separated by spaces? */
bool walk_is_in(const struct submission *s, size_t i, size_t next, const char *names);
/* Does a name stand there, and a bracket after it? */
bool walk_is_called(const struct submission *s, size_t i, size_t next);
/* Do the brackets of a launch begin there? */
bool walk_is_launch(const struct submission *s, size_t i);
/* Is the name at `i` that of a field, after `->` or a dot? */
bool walk_is_field(const struct submission *s, size_t i);

#endif
