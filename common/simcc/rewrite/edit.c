/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * One pass over the tokens notes edits (at this place drop that many bytes and
 * put this text); a second writes the text with them. Edits at one place keep
 * the order in which they were noted, but for what begins the body of a kernel:
 * it is noted after edits of the first statement, which may follow the { at once.
 */
#include "simcc/rewrite/edit.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record/memory.h"

void edit(struct rewriter *r, size_t at, size_t drop, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        abort();
    va_end(arguments);
    r->edits = memory_grow(r->edits, r->edit_count, &r->edit_capacity, sizeof *r->edits);
    r->edits[r->edit_count] = (struct edit){ at, drop, text, r->edit_count, false };
    r->edit_count++;
}

void edit_foremost(struct rewriter *r)
{
    r->edits[r->edit_count - 1].foremost = true;
}

/* Out of line, with what they assert: tokens.c says why. */
__attribute__((noinline)) size_t start_of(const struct rewriter *r, size_t token)
{
    assert(token < r->tokens.count);
    return r->tokens.list[token].at;
}

__attribute__((noinline)) size_t end_of(const struct rewriter *r, size_t token)
{
    assert(token < r->tokens.count);
    return r->tokens.list[token].at + r->tokens.list[token].length;
}

void drop(struct rewriter *r, size_t token, const char *instead)
{
    edit(r, start_of(r, token), r->tokens.list[token].length, "%s", instead);
}

/* ---- names ---- */

bool is_one_of(const struct rewriter *r, const struct names *names, size_t token)
{
    const char *name = r->tokens.text + start_of(r, token);
    size_t length = r->tokens.list[token].length;
    for (size_t i = 0; i < names->count; i++)
        if (names->list[i].length == length && memcmp(names->list[i].at, name, length) == 0)
            return true;
    return false;
}

void add_name(struct names *names, const char *at, size_t length)
{
    names->list = memory_grow(names->list, names->count, &names->capacity, sizeof *names->list);
    names->list[names->count++] = (struct name){ at, length };
}

void learn_name(struct rewriter *r, struct names *names, size_t token)
{
    if (!is_one_of(r, names, token))
        add_name(names, r->tokens.text + start_of(r, token), r->tokens.list[token].length);
}

/* ---- the text with its edits ---- */

static int by_offset(const void *a, const void *b)
{
    const struct edit *left = a, *right = b;
    if (left->at != right->at)
        return left->at < right->at ? -1 : 1;
    if (left->foremost != right->foremost)
        return left->foremost ? -1 : 1;
    return left->sequence < right->sequence ? -1 : 1;
}

/* The newlines among these bytes, written to `to`: what is dropped leaves its lines. */
static char *keep_lines(char *to, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == '\n')
            *to++ = '\n';
    return to;
}

void edits_sort(struct rewriter *r)
{
    if (r->edit_count > 0)
        qsort(r->edits, r->edit_count, sizeof *r->edits, by_offset);
}

/* The first edit at that byte or behind it. */
static size_t first_edit(const struct rewriter *r, size_t at)
{
    size_t low = 0, high = r->edit_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->edits[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void write_edited(const struct rewriter *r, FILE *out, size_t from, size_t until, bool with_end)
{
    const char *text = r->tokens.text;
    for (size_t i = first_edit(r, from); i < r->edit_count; i++) {
        const struct edit *e = &r->edits[i];
        if (e->at > until || (e->at == until && (!with_end || e->drop > 0)))
            break;
        if (e->at < from)
            continue;
        fprintf(out, "%.*s%s%s", (int)(e->at - from), text + from, e->text[0] == ':' ? " " : "",
                e->text);
        for (size_t k = e->at; k < e->at + e->drop; k++)
            if (text[k] == '\n')
                fputc('\n', out);
        from = e->at + e->drop;
    }
    if (from < until)
        fprintf(out, "%.*s", (int)(until - from), text + from);
}

char *edited(struct rewriter *r, size_t length, size_t *out_length)
{
    size_t room = length + 1;
    for (size_t i = 0; i < r->edit_count; i++)
        room += 1 + strlen(r->edits[i].text);
    char *out = memory_resize(NULL, room), *to = out;
    size_t done = 0;
    edits_sort(r);
    for (size_t i = 0; i < r->edit_count; i++) {
        const struct edit *e = &r->edits[i];
        if (e->at < done)
            continue;                       /* inside what an earlier edit dropped */
        memcpy(to, r->tokens.text + done, e->at - done);
        to += e->at - done;
        if (e->text[0] == ':' && to > out && strchr(":%", to[-1]))
            *to++ = ' ';                    /* %: is another way to write #, and ::: is :: and : */
        to = keep_lines(stpcpy(to, e->text), r->tokens.text + e->at, e->drop);
        done = e->at + e->drop;
    }
    memcpy(to, r->tokens.text + done, length - done);
    to += length - done;
    *to = '\0';
    *out_length = (size_t)(to - out);
    return out;
}
