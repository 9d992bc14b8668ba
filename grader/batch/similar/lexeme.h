/* SPDX-License-Identifier: MIT */
/*
 * lexeme.h - a text of C++ as a comparison sees it: what is left when names, numbers and comments
 * are forgotten.
 *
 * A name of the writer's own is a name like any other, and so are two numbers or
 * two strings. Words of the language, and names that CUDA or the workbook gives
 * (cuda…, CHECK), stay what they are: they are what is done. Comments and white
 * space are nothing. Any bytes will do.
 */
#ifndef GRADER_BATCH_SIMILAR_LEXEME_H
#define GRADER_BATCH_SIMILAR_LEXEME_H

#include <stddef.h>
#include <stdint.h>

#define LEXEMES_MAX 20000u      /* of a text; what follows is not looked at */

struct lexeme { uint32_t code; uint32_t at,
                length; };         /* code: the same for the same; where it stands, in bytes */
struct lexemes { struct lexeme *list; size_t count, capacity; };

void lexemes_read(struct lexemes *l, const char *text, size_t bytes);
void lexemes_fini(struct lexemes *l);

#endif
