/* SPDX-License-Identifier: MIT */
/*
 * lexer.h - a program's text, word by word, as the preprocessor reads it: lines that end with a
 * backslash are joined to the next, comments are blanks, and what stands in literals is not looked
 * at. As g++ reads it, that is: blanks may stand between the backslash and the end of its line,
 * nothing is joined in a raw string, and a name in <> after #include is no comment.
 */
#ifndef GRADER_RUN_LEXER_H
#define GRADER_RUN_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum { LEXER_WORD = 64 };      /* the longest word that is kept, with its NUL */

struct lexer {
    char word[LEXER_WORD]; /* a word (cut, where longer), "\n", or one other character: '"' or '\''
                              for a literal, ' ' for a blank */
    unsigned line;              /* where that begins, from 1 */
    /* Owned by lexer.c. */
    const char *at, *end;
    unsigned now;
    bool names_header;          /* in this line, <…> may be the name of a header */
};

void lexer_init(struct lexer *p, const char *text, size_t bytes);
/* False: the text has ended. */
bool lexer_next(struct lexer *p);

/* Of a name, or of a number? */
bool lexer_in_word(char c);
/* Where the token that begins at `i` of the text ends: a comment, a literal, a word, or one byte.
 * Lines are not joined between tokens: a backslash is one. */
size_t lexer_past(const char *text, size_t bytes, size_t i);
/* Is the token from `i` to `next` a comment? */
bool lexer_is_comment(const char *text, size_t i, size_t next);

#endif
