/* SPDX-License-Identifier: MIT */
#include "grader/base/text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

size_t utf8_at(const char *s, size_t n, uint32_t *code)
{
    static const struct { unsigned char mask, lead; uint32_t least; } form[] = {
        { 0x80, 0x00, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 },
    };
    const unsigned char *u = (const unsigned char *)s;
    for (size_t k = 0; k < 4 && n > 0; k++) {
        if ((u[0] & form[k].mask) != form[k].lead)
            continue;
        uint32_t c = u[0] & (unsigned char)~form[k].mask;
        if (k + 1 > n)
            return 0;
        for (size_t i = 1; i <= k; i++) {
            if ((u[i] & 0xc0) != 0x80)
                return 0;
            c = c << 6 | (u[i] & 0x3f);
        }
        if (c < form[k].least || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
            return 0;
        if (code)
            *code = c;
        return k + 1;
    }
    return 0;
}

/* Characters that a terminal obeys instead of showing, or that reorder what stands around them. */
static bool obeyed(uint32_t c)
{
    return (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c <= 0x9f)
           || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e)
           || (c >= 0x2060 && c <= 0x2069) || c == 0xfeff || (c >= 0xfff9 && c <= 0xfffb)
           || (c >= 0xe0000 && c <= 0xe007f);
}

char *text_harmless(const char *bytes, size_t n)
{
    char *out = memory_resize(NULL, 4 * n + 1);
    size_t used = 0;
    for (size_t i = 0; i < n;) {
        uint32_t c = 0;
        size_t length = utf8_at(bytes + i, n - i, &c);
        if (c == '\r' && i + 1 < n && bytes[i + 1] == '\n') {
            i++;
        } else if (length != 0 && !obeyed(c)) {
            memcpy(out + used, bytes + i, length);
            used += length;
            i += length;
        } else {
            size_t count = length != 0 ? length : 1;
            for (size_t k = 0; k < count; k++)
                used += (size_t)sprintf(out + used, "\\x%02X", (unsigned char)bytes[i + k]);
            i += count;
        }
    }
    out[used] = '\0';
    return out;
}

void text_harmless_to(char *to, size_t size, const char *bytes, size_t n)
{
    char *clean = text_harmless(bytes, n);
    snprintf(to, size, "%s", clean);
    memory_resize(clean, 0);
}

const char *text_stop(const char *sentence)
{
    size_t length = strlen(sentence);
    return length > 0 && strchr(".?!", sentence[length - 1]) ? "" : ".";
}

size_t text_columns(const char *s)
{
    size_t columns = 0;
    for (; *s != '\0'; s++)
        columns += ((unsigned char)*s & 0xc0) != 0x80;
    return columns;
}

const char *text_next_line(const char **rest, const char *end, size_t *length)
{
    const char *line = *rest;
    if (line >= end)
        return NULL;
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    const char *stop = newline ? newline : end;
    *rest = newline ? newline + 1 : end;
    *length = (size_t)(stop - line);
    if (*length > 0 && line[*length - 1] == '\r')
        --*length;
    return line;
}

bool text_mark(const char *line, size_t length, char direction, const char **name,
               size_t *name_length)
{
    const char *at = line, *end = line + length;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    if (end - at >= 2 && at[0] == '/' && at[1] == '/')
        at += 2;
    else if (at < end && *at == '#')
        at++;
    else
        return false;
    if (at == end || *at++ != direction)
        return false;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    *name = at;
    while (at < end && !isspace((unsigned char)*at))
        at++;
    *name_length = (size_t)(at - *name);
    return *name_length > 0;
}

const char *text_line(const char *text, size_t n, size_t number, size_t *length)
{
    const char *rest = text, *line = NULL;
    for (size_t at = 0; at < number; at++)
        if (!(line = text_next_line(&rest, text + n, length)))
            return NULL;
    return line;
}

/* "[words](address)" at `at`: where the words end; NULL: it is no link. */
static const char *link_words_end(const char *at, const char *end)
{
    const char *close = memchr(at, ']', (size_t)(end - at));
    return close && close + 1 < end && close[1] == '(' && memchr(close, ')', (size_t)(end - close))
               ? close
               : NULL;
}

/* Where "[^name]" at `at`, a mark for a note, ends; NULL: it is none. */
static const char *note_mark_end(const char *at, const char *end)
{
    const char *close = at + 1 < end && at[1] == '^' ? memchr(at, ']', (size_t)(end - at)) : NULL;
    return close && close > at + 2 ? close + 1 : NULL;
}

char *text_of_markdown(const char *markdown, size_t n)
{
    const char *at = markdown, *end = markdown + n, *words_end = NULL, *mark_end;
    char *text = malloc(n + 1), *to = text;
    bool code = false;
    while (text && at < end) {
        if (*at == '`') {
            code = !code;
            at++;
        } else if (code) {
            *to++ = *at++;
        } else if (*at == '*') {
            at++;
        } else if (*at == '[' && (mark_end = note_mark_end(at, end))) {
            at = mark_end;
        } else if (*at == '[' && (words_end = link_words_end(at, end))) {
            at++;
        } else if (at == words_end) {
            at = (const char *)memchr(at, ')', (size_t)(end - at)) + 1;
        } else {
            at += *at == '\\' && at + 1 < end;
            *to++ = *at++;
        }
    }
    if (text)
        *to = '\0';
    return text;
}

const char *part_words(char *text, size_t size, const char *part)
{
    static const struct { const char *prefix, *words; } others[] = {
        { "again ", ", called with other inputs" },
        { "later ", ", called once more" },
        { "busy ", ", called with other inputs" },
    };
    const char *words = "";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(part, others[i].prefix, strlen(others[i].prefix)) == 0) {
            part += strlen(others[i].prefix);
            words = others[i].words;
        }
    snprintf(text, size, "%s%s", part, words);
    return text;
}
