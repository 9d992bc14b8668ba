/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The instrumented build sees loads and stores that g++ makes of C++. Attributes
 * that take a function out of that are dropped, in every program. What g++ does
 * not make, or not of C++, is refused where all has to be seen (--judged):
 * assembly of the host, and the processor's own vector instructions.
 */
#include "simcc/rewrite/edit.h"

#include <string.h>

/* The word at the token begins with one of these, underscores before it apart. */
static bool begins_with(const struct rewriter *r, size_t token, const char *const *beginnings)
{
    const char *at = r->tokens.text + start_of(r, token);
    size_t length = r->tokens.list[token].length;
    while (length > 0 && *at == '_')
        at++, length--;
    for (; *beginnings; beginnings++) {
        size_t size = strlen(*beginnings);
        if (length >= size && memcmp(at, *beginnings, size) == 0)
            return true;
    }
    return false;
}

static bool hides_accesses(const struct rewriter *r, size_t token)
{
    static const char *const names[] = { "no_sanitize", NULL };
    return begins_with(r, token, names);
}

/* no_sanitize_thread, no_sanitize("thread"): another attribute in its place, that changes nothing. */
static void drop_attribute(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    drop(r, word, "unused");
    if (token_is(t, word + 1, "("))
        for (size_t i = word + 1, close = token_close(t, word + 1); i <= close && close < t->count; i++)
            drop(r, i, "");
}

/* asm("" ::: "memory") makes no instruction. */
static bool makes_nothing(const struct tokens *t, size_t word)
{
    static const char *const qualifiers[] = { "volatile", "__volatile__", "__volatile", "inline", "__inline__" };
    size_t open = word + 1;
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (token_is(t, open, qualifiers[i]))
            open++, i = (size_t)-1;
    return token_is(t, open, "(") && token_is(t, open + 1, "\"\"") && !token_starts(t, open + 2, "\"");
}

void unseen_assembly(struct rewriter *r, size_t word)
{
    if (r->judged && !is_in_device_code(r, word) && !makes_nothing(&r->tokens, word))
        refuse(r, word, "assembly of the host: no hazard is seen in it, so a program that is judged can have none");
}

bool unseen(struct rewriter *r, size_t token)
{
    static const char *const vector_names[] = { "mm_", "mm256_", "mm512_", "builtin_ia32_", NULL };
    const struct tokens *t = &r->tokens;
    if (!token_is_name(t, token))
        return false;
    size_t last = token_before(t, token);
    if (hides_accesses(r, token) && (token_is(t, last, "(") || token_is(t, last, ",") || token_is(t, last, "::"))) {
        drop_attribute(r, token);
        return true;
    }
    if (r->judged && token_is(t, token + 1, "(") && begins_with(r, token, vector_names))
        refuse(r, token, "%.*s() is an instruction of this machine's processor: no hazard is seen in it, so a program that is judged can "
               "have none", (int)t->list[token].length, t->text + start_of(r, token));
    return false;
}
