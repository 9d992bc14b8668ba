/* SPDX-License-Identifier: MIT */
#include "grader/run/lexer.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Not inlined, like lexer_past: copies at 50 places would be a sixteenth of this folder's code. */
__attribute__((noinline)) void lexer_init(struct lexer *p, const char *text, size_t bytes)
{
    *p = (struct lexer){ .at = text, .end = text + bytes, .now = 1 };
}

bool lexer_in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Where a backslash with the end of its line ends; `at` itself where none stands there. */
static const char *past_splice(const char *at, const char *end)
{
    if (at == end || *at != '\\')
        return at;
    const char *next = at + 1;
    while (next < end
           && (*next == ' ' || *next == '\t' || *next == '\f' || *next == '\v' || *next == '\r'))
        next++;
    return next < end && *next == '\n' ? next + 1 : at;
}

/* The next character; '\0' at the end. */
static char next_char(struct lexer *p)
{
    for (const char *next; (next = past_splice(p->at, p->end)) != p->at; p->at = next)
        p->now++;
    if (p->at == p->end)
        return '\0';
    p->now += *p->at == '\n';
    return *p->at++;
}

static char peek(const struct lexer *p)
{
    const char *at = p->at;
    for (const char *next; (next = past_splice(at, p->end)) != at;)
        at = next;
    return at < p->end ? *at : '\0';
}

/* R"x(…)x", from the quote on. */
static void skip_raw(struct lexer *p)
{
    char closing[24];
    size_t left = (size_t)(p->end - p->at), length = 0;
    while (length < left && length < 20 && p->at[length] != '(')
        length++;
    int size = snprintf(closing, sizeof closing, ")%.*s\"", (int)length, p->at);
    const char *close = memmem(p->at, left, closing, (size_t)size),
               *to = close ? close + size : p->end;
    for (; p->at < to; p->at++)
        p->now += *p->at == '\n';
}

static void skip_literal(struct lexer *p, char quote)
{
    char c = '\0';
    while (c != quote && peek(p) != '\n' && peek(p) != '\0') {
        c = next_char(p);
        if (c == '\\' && peek(p) != '\n') {
            next_char(p);
            c = '\0';
        }
    }
}

/* From after its slash. False: that begins no comment. */
static bool skip_comment(struct lexer *p)
{
    char kind = peek(p), last = '\0';
    if (kind == '/')
        while (peek(p) != '\n' && peek(p) != '\0')
            next_char(p);
    if (kind == '*') {
        next_char(p);
        for (char c = next_char(p); c != '\0' && (last != '*' || c != '/'); c = next_char(p))
            last = c;
    }
    return kind == '/' || kind == '*';
}

static bool is_one_of(const char *word, const char *const *list)
{
    while (*list && strcmp(*list, word) != 0)
        list++;
    return *list;
}

/* Does a ' stand there between the digits of a number? */
static bool is_separator(const struct lexer *p)
{
    struct lexer ahead = *p;
    return isdigit((unsigned char)p->word[0]) && next_char(&ahead) == '\''
           && lexer_in_word(peek(&ahead));
}

/* The rest of a word, or of a number: 1'000 is one. */
static void read_word(struct lexer *p)
{
    for (size_t length = 1;;) {
        char c = peek(p);
        if (!lexer_in_word(c) && !(c == '\'' && is_separator(p)))
            return;
        next_char(p);
        if (length + 1 < sizeof p->word) {
            p->word[length++] = c;
            p->word[length] = '\0';
        }
    }
}

bool lexer_next(struct lexer *p)
{
    static const char *const raw[] = { "R", "LR", "uR", "UR", "u8R", NULL };
    static const char *const headers[] = { "include", "include_next", "import", "__has_include",
                                           "__has_include_next", NULL };
    for (const char *next; (next = past_splice(p->at, p->end)) != p->at; p->at = next)
        p->now++;
    p->line = p->now;
    char c = next_char(p);
    p->word[0] = c;
    p->word[1] = '\0';
    if (lexer_in_word(c)) {
        read_word(p);
        p->names_header |= is_one_of(p->word, headers);
        if (is_one_of(p->word, raw) && peek(p) == '"') {
            next_char(p);
            skip_raw(p);
            p->word[0] = ' ';
            p->word[1] = '\0';
        }
    } else if (c == '"' || c == '\'') {
        skip_literal(p, c);
    } else if ((c == '/' && skip_comment(p)) || (c != '\n' && isspace((unsigned char)c))) {
        p->word[0] = ' ';
    } else if (c == '<' && p->names_header) {
        while (peek(p) != '>' && peek(p) != '\n' && peek(p) != '\0')
            next_char(p);
    }
    p->names_header = p->names_header && c != '\n';
    return c != '\0';
}

__attribute__((noinline)) size_t lexer_past(const char *text, size_t bytes, size_t i)
{
    struct lexer p;
    if (text[i] == '\\')
        return i + 1;
    lexer_init(&p, text + i, bytes - i);
    lexer_next(&p);
    return (size_t)(p.at - text);
}

bool lexer_is_comment(const char *text, size_t i, size_t next)
{
    return text[i] == '/' && next > i + 1;
}
