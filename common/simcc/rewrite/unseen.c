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

/* no_sanitize_thread, no_sanitize("thread"): another attribute in its place, that changes nothing.
 */
static void drop_attribute(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    drop(r, word, "unused");
    if (token_is(t, word + 1, "("))
        for (size_t i = word + 1, close = token_close(t, word + 1); i <= close && close < t->count;
             i++)
            drop(r, i, "");
}

/* Instructions that touch no memory; none at all, where a program only keeps the compiler from
 * moving loads and stores. */
static bool touches_nothing(const struct tokens *t, size_t word)
{
    static const char *const qualifiers[] = { "volatile", "__volatile__", "__volatile", "inline",
                                              "__inline__" };
    static const char *const texts[] = { "\"\"", "\"pause\"", "\"nop\"", "\"mfence\"", "\"lfence\"",
                                         "\"sfence\"", "\"yield\"" };
    size_t open = word + 1;
    for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++)
        if (token_is(t, open, qualifiers[i]))
            open++, i = (size_t)-1;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (token_is(t, open, "(") && token_is(t, open + 1, texts[i]))
            return !token_starts(t, open + 2, "\"");
    return false;
}

/* int f() asm("name"): what the linker calls it, and no instruction. */
static bool is_label(const struct rewriter *r, size_t word)
{
    return r->bodies == 0 && word > 0 && token_is(&r->tokens, token_before(&r->tokens, word), ")");
}

void unseen_assembly(struct rewriter *r, size_t word)
{
    if (r->judged && !is_label(r, word) && !is_in_device_code(r, word)
        && !touches_nothing(&r->tokens, word))
        refuse(
            r, word,
            "assembly of the host: no hazard is seen in it, so a program that is judged can have none");
}

/* Is the name one of an attribute's: between the brackets of __attribute__((…)) or [[…]]? */
static bool is_of_attribute(const struct tokens *t, size_t token)
{
    size_t depth = 0;
    while (token-- > 0) {
        if (token_is(t, token, ")") || token_is(t, token, "]"))
            depth++;
        else if (token_is(t, token, "(") || token_is(t, token, "["))
            if (depth-- == 0)
                break;
        if (token_is(t, token, ";") || token_is(t, token, "{") || token_is(t, token, "}"))
            return false;
    }
    return token < t->count && token > 0
           && ((token_is(t, token, "[") && token_is(t, token - 1, "["))
               || (token > 1 && token_is(t, token - 1, "(")
                   && token_starts(t, token - 2, "__attribute")));
}

bool unseen(struct rewriter *r, size_t token)
{
    static const char *const hiding[] = { "no_sanitize", NULL },
                             *const section[] = { "section", NULL };
    static const char *const vectors[] = { "mm_", "mm256_", "mm512_", "builtin_ia32_", NULL };
    static const char *const harmless[] = { "mm_pause", "mm_mfence", "mm_lfence", "mm_sfence",
                                            "builtin_ia32_pause", "builtin_ia32_mfence", NULL };
    const struct tokens *t = &r->tokens;
    if (!token_is_name(t, token))
        return false;
    if (begins_with(r, token, hiding) && is_of_attribute(t, token)) {
        drop_attribute(r, token);
        return true;
    }
    bool called = r->judged && token_is(t, token + 1, "(");
    if (called && begins_with(r, token, section) && is_of_attribute(t, token))
        refuse(
            r, token,
            "a section of the program's own may be code, in which no hazard is seen: a program that is judged can have none");
    else if (called && begins_with(r, token, vectors) && !begins_with(r, token, harmless))
        refuse(
            r, token,
            "%.*s() is an instruction of this machine's processor: no hazard is seen in it, so a program that is judged can "
            "have none",
            (int)t->list[token].length, t->text + start_of(r, token));
    return false;
}
