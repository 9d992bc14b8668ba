/* SPDX-License-Identifier: MIT */
/* words.h - the words of a lesson, which a submission may use and not redefine. */
#ifndef GRADER_RUN_WORDS_H
#define GRADER_RUN_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/check.h"
#include "grader/run/lexer.h"
#include "grader/run/submission.h"

/* Does the preprocessor of this text (of `bytes` bytes) get another meaning for a word that one of
 * the contracts uses as a call or a macro, for a call of the runtime or for a keyword? `contracts`:
 * texts, NULL-terminated. `found`: which, and its line. */
bool words_redefined(const char *text, size_t bytes, const char *const *contracts,
                     struct lexer *found);

/* The same of a submission, with the contract of its lesson: `problem` says it, in one line, as a
 * compiler does. */
bool words_of_lesson_redefined(const struct submission *s, const struct lesson *lesson,
                               char *problem, size_t size);

#endif
