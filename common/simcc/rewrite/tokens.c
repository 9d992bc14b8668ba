/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/tokens.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

/* ---- where a token ends ---- */

static bool name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool name_part(char c)
{
    return name_start(c) || isdigit((unsigned char)c);
}

static const char *name_end(const char *at, const char *end)
{
    while (at < end && name_part(*at))
        at++;
    return at;
}

/* 1'000'000, 0x1p-3, 1.5e+3f: anything that a preprocessor calls a number. */
static const char *number_end(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (name_part(*at) || *at == '.')
            continue;
        if ((*at == '+' || *at == '-') && strchr("eEpP", at[-1]))
            continue;
        if (*at == '\'' && at + 1 < end && name_part(at[1]))
            continue;
        break;
    }
    return at;
}

static const char *quoted_end(const char *at, const char *end)
{
    char quote = *at++;
    while (at < end && *at != quote && *at != '\n')
        at += *at == '\\' && at + 1 < end ? 2 : 1;
    return at < end ? at + 1 : end;
}

/* `at` is at the quote of R"delimiter( … )delimiter". */
static const char *raw_end(const char *at, const char *end)
{
    const char *delimiter = at + 1;
    size_t length = 0;
    while (delimiter + length < end && delimiter[length] != '(')
        length++;
    for (at = delimiter + length; at + length + 1 < end; at++)
        if (*at == ')' && memcmp(at + 1, delimiter, length) == 0 && at[1 + length] == '"')
            return at + length + 2;
    return end;
}

static const char *line_end(const char *at, const char *end)
{
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline : end;
}

static bool raw_prefix(const char *at, size_t length)
{
    static const char *const prefixes[] = { "R", "LR", "uR", "UR", "u8R" };
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strlen(prefixes[i]) == length && memcmp(at, prefixes[i], length) == 0)
            return true;
    return false;
}

static const char *token_end(const char *at, const char *end, bool line_start,
                             enum token_kind *kind)
{
    if (*at == '#' && line_start) {
        *kind = TOKEN_MARKER;
        return line_end(at, end);
    }
    if (name_start(*at)) {
        const char *after = name_end(at, end);
        *kind = TOKEN_NAME;
        if (after == end || *after != '"' || !raw_prefix(at, (size_t)(after - at)))
            return after;
        *kind = TOKEN_STRING;
        return raw_end(after, end);
    }
    if (isdigit((unsigned char)*at)
        || (*at == '.' && at + 1 < end && isdigit((unsigned char)at[1]))) {
        *kind = TOKEN_NUMBER;
        return number_end(at, end);
    }
    if (*at == '"' || *at == '\'') {
        *kind = TOKEN_STRING;
        return quoted_end(at, end);
    }
    *kind = TOKEN_PUNCTUATION;
    bool pair = at + 1 < end && ((at[0] == ':' && at[1] == ':') || (at[0] == '-' && at[1] == '>'));
    return at + (pair ? 2 : 1);
}

void tokens_init(struct tokens *t, const char *text, size_t length)
{
    *t = (struct tokens){ .text = text };
    const char *end = text + length;
    bool line_start = true;
    for (const char *at = text; at < end;) {
        if (isspace((unsigned char)*at)) {
            line_start |= *at++ == '\n';
            continue;
        }
        struct token token = { .at = (size_t)(at - text) };
        const char *after = token_end(at, end, line_start, &token.kind);
        token.length = (size_t)(after - at);
        t->list = memory_grow(t->list, t->count, &t->capacity, sizeof *t->list);
        t->list[t->count++] = token;
        line_start = false;
        at = after;
    }
}

void tokens_fini(struct tokens *t)
{
    memory_resize(t->list, 0);
}

/* ---- questions ---- */

bool token_is(const struct tokens *t, size_t index, const char *spelling)
{
    return index < t->count && strlen(spelling) == t->list[index].length
           && memcmp(t->text + t->list[index].at, spelling, t->list[index].length) == 0;
}

bool token_is_any(const struct tokens *t, size_t index, const char *const *spellings)
{
    while (*spellings && !token_is(t, index, *spellings))
        spellings++;
    return *spellings;
}

bool token_opens(const struct tokens *t, size_t index)
{
    return token_is(t, index, "(") || token_is(t, index, "[") || token_is(t, index, "{");
}

bool token_three(const struct tokens *t, size_t index, const char *spelling)
{
    return token_is(t, index, spelling) && token_is(t, index + 1, spelling)
           && token_is(t, index + 2, spelling);
}

/* Not inlined, like the two below: the rewriter asks at 200 places, and copies make it slower (7 %
 * more instructions) and, with those of edit.c, a sixth longer to compile. */
bool token_is_same(const struct tokens *t, size_t a, size_t b)
{
    return t->list[a].length == t->list[b].length
           && memcmp(t->text + t->list[a].at, t->text + t->list[b].at, t->list[a].length) == 0;
}

__attribute__((noinline)) bool token_is_name(const struct tokens *t, size_t index)
{
    return index < t->count && t->list[index].kind == TOKEN_NAME;
}

bool token_starts(const struct tokens *t, size_t index, const char *prefix)
{
    size_t length = strlen(prefix);
    return index < t->count && t->list[index].length >= length
           && memcmp(t->text + t->list[index].at, prefix, length) == 0;
}

__attribute__((noinline)) size_t token_before(const struct tokens *t, size_t token)
{
    while (token-- > 0)
        if (t->list[token].kind != TOKEN_MARKER)
            return token;
    return t->count;
}

__attribute__((noinline)) size_t token_behind(const struct tokens *t, size_t token)
{
    do
        token++;
    while (token < t->count && t->list[token].kind == TOKEN_MARKER);
    return token;
}

long token_place(const struct tokens *t, size_t token, struct marker *marker)
{
    size_t from = 0;
    *marker = (struct marker){ .line = 2, .path = "" };
    for (size_t i = token; i-- > 0 && from == 0;) {
        size_t end = t->list[i].at + t->list[i].length;
        if (t->list[i].kind == TOKEN_MARKER
            && marker_read(t->text + t->list[i].at, t->text + end, marker))
            from = end;
    }
    long line = marker->line - 1;
    for (size_t i = from; i < t->list[token].at; i++)
        line += t->text[i] == '\n';
    return line;
}

static char character(const struct tokens *t, size_t index)
{
    const struct token *token = &t->list[index];
    return token->kind == TOKEN_PUNCTUATION && token->length == 1 ? t->text[token->at] : 0;
}

static bool one_of(char c, const char *set)
{
    return c != 0 && strchr(set, c);
}

size_t token_close(const struct tokens *t, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < t->count; i++) {
        if (one_of(character(t, i), "([{"))
            depth++;
        else if (one_of(character(t, i), ")]}") && --depth == 0)
            return i;
    }
    return t->count;
}

size_t token_open(const struct tokens *t, size_t close)
{
    bool angle = character(t, close) == '>';
    size_t round = 0, angles = 0;
    for (size_t i = close + 1; i-- > 0;) {
        char c = character(t, i);
        if (one_of(c, ")]}"))
            round++;
        else if (one_of(c, "([{") && round-- == 0)
            return SIZE_MAX;
        else if (angle && round == 0 && c == '>')
            angles++;
        else if (angle && round == 0 && c == '<')
            angles--;
        else if (angle && round == 0 && c == ';')
            return SIZE_MAX;
        if (round == 0 && angles == 0)
            return i;
    }
    return SIZE_MAX;
}
