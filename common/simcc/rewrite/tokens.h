/* SPDX-License-Identifier: MIT */
/*
 * tokens.h - a preprocessed C++ text as tokens.
 *
 * Punctuation is one character a token, but for "::" and "->". Blanks are no
 * tokens. A line marker (# 12 "file.cu" 1 3) is one token.
 */
#ifndef SIMCC_REWRITE_TOKENS_H
#define SIMCC_REWRITE_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "simcc/rewrite/marker.h"

enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCTUATION, TOKEN_MARKER };

struct token {
    enum token_kind kind;
    size_t at, length;          /* in the text */
};

struct tokens {
    const char *text;           /* the caller's */
    struct token *list;
    size_t count, capacity;
};

void tokens_init(struct tokens *t, const char *text, size_t length);
void tokens_fini(struct tokens *t);

/* False for an index past the end, so that scans need not look where they are. */
bool token_is(const struct tokens *t, size_t index, const char *spelling);
/* Is it one of these, up to NULL? */
bool token_is_any(const struct tokens *t, size_t index, const char *const *spellings);
/* Is it a (, [ or {? Is it this one, and are the next two: <<<, >>>? */
bool token_opens(const struct tokens *t, size_t index);
bool token_three(const struct tokens *t, size_t index, const char *spelling);
bool token_is_name(const struct tokens *t, size_t index);
/* Are the two spelled alike? */
bool token_is_same(const struct tokens *t, size_t a, size_t b);
bool token_starts(const struct tokens *t, size_t index, const char *prefix);

/* The nearest token before, and after, that is no line marker; t->count: there is none. */
size_t token_before(const struct tokens *t, size_t token);
size_t token_behind(const struct tokens *t, size_t token);

/* The token's line, by the last line marker before it, *marker. Without one: of no file. */
long token_place(const struct tokens *t, size_t token, struct marker *marker);

/* The partner of the bracket ( [ { at `open`; t->count when there is none. */
size_t token_close(const struct tokens *t, size_t open);
/* The partner of the ) ] } or > at `close`; SIZE_MAX when there is none. */
size_t token_open(const struct tokens *t, size_t close);

#endif
