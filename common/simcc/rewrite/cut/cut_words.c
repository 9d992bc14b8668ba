/* SPDX-License-Identifier: MIT */
/*
 * cut_words.c - is all of a kernel's text known, and can its threads meet only at its barriers? It
 * may call what is listed here, and functions of the program whose text is known to hold nothing
 * that waits.
 */
#include "simcc/rewrite/cut/cut.h"

#include <stdint.h>
#include <string.h>

#include "simcc/rewrite/declaration.h"
#include "simcc/rewrite/disjoint/disjoint.h"

enum { CALLS_DEEP = 8 };

/* Threads neither wait in them nor count (sim_atomics.h: an atomicAdd of 0 is taken for a look at
 * what others do). */
static const char *const harmless[] = {
    "__ldg", "__popc", "__popcll", "__clz", "__clzll", "__ffs", "__ffsll", "__brev", "__mul24",
    "__umul24", "__mulhi", "__umulhi", "__int_as_float", "__float_as_int", "__uint_as_float",
    "__float_as_uint", "__fmaf_rn", "__fadd_rn", "__fmul_rn", "__fsqrt_rn", "__frcp_rn",
    "__expf", "__logf", "__powf", "isnan", "isinf", "copysignf", "make_int2", "make_int3",
    "make_int4", "make_uint2", "make_uint4", "make_float2", "make_float3", "make_float4",
    "make_double2", "make_uchar4", "atomicSub", "atomicMin", "atomicMax", "atomicAnd", "atomicXor",
    "atomicInc", "atomicDec", "__builtin_inff", "__builtin_inf", "__builtin_huge_valf",
    "__builtin_huge_val", "__builtin_nanf", "__builtin_nan", NULL
};

static const char *const forbidden[] = {
    "goto", "asm", "__asm__", "__asm", "struct", "class", "union", "enum", "typedef", "using",
    "operator", "template", "typename", "try", "catch", "throw", "new", "delete", "volatile",
    "const_cast", "dynamic_cast", "register", "namespace", "friend", "this", "thread_local",
    "_Pragma", "__pragma", "static_assert", "mutable", "co_await", "co_yield", "co_return",
    "__attribute__", "__func__", "__FUNCTION__", "__PRETTY_FUNCTION__", "__managed__", NULL
};

static const char *const controls[] = { "if", "for", "while", "switch", NULL };

/* ---- brackets ---- */

bool cut_is_cast(const struct cutter *c, size_t open)
{
    static const char *const signs[] = { "*", "const", NULL };
    const struct tokens *t = c->t;
    size_t close = token_close(t, open);
    bool any = false;
    for (size_t i = token_behind(t, open); i < close; i = token_behind(t, i)) {
        bool type = (token_is_name(t, i) && cut_is_plain_word(c, i))
                    || (!any && token_is_name(t, i) && cut_local_at(c, i) == c->local_count
                        && token_is(t, token_behind(t, i), "*")
                        && (token_behind(t, token_behind(t, i)) == close));
        if (!type && !(any && token_is_any(t, i, signs)) && !token_is(t, i, "const"))
            return false;
        any |= type;
    }
    return any;
}

bool cut_is_between(const struct cutter *c, size_t sign)
{
    static const char *const words[] = { "return", "case", "else", "do", "sizeof", "and", "or",
                                         "not", NULL };
    const struct tokens *t = c->t;
    size_t last = token_before(t, sign);
    if (token_is(t, last, ")")) {
        size_t open = token_open(t, last);
        return open != SIZE_MAX && !cut_is_cast(c, open)
               && !token_is_any(t, token_before(t, open), controls);
    }
    return (token_is_name(t, last) && !token_is_any(t, last, words)
            && !cut_is_type_word(t, last))
           || token_is(t, last, "]")
           || (last < t->count && t->list[last].kind == TOKEN_NUMBER);
}

/* ---- calls ---- */

static bool are_known(struct cutter *c, size_t from, size_t to, unsigned depth);

/* atomicAdd(…, 1): a number that is written there, and not 0. */
static bool adds_number(const struct tokens *t, size_t open)
{
    size_t close = token_close(t, open), comma = find_outside(t, open + 1, close, ","),
           number = token_behind(t, comma);
    bool whole, is = comma != close && is_number(t, number, &whole)
                     && token_behind(t, number) == close;
    for (size_t i = 0; is && i < t->list[number].length; i++)
        if (t->text[t->list[number].at + i] >= '1' && t->text[t->list[number].at + i] <= '9')
            return true;
    return false;
}

/* Is this name, followed by a (, the one in a function's definition? */
static bool is_defined_at(const struct tokens *t, size_t name)
{
    static const char *const before[] = { "*", ">", NULL },
                             *const words[] = { "return", "else", "do", "case", "and", "or", "not",
                                                NULL };
    size_t last = token_before(t, name);
    return ((token_is_name(t, last) && !token_is_any(t, last, words))
            || token_is_any(t, last, before))
           && declaration_body(t, name + 1) < t->count
           && declaration_body(t, name + 1) == token_behind(t, token_close(t, name + 1));
}

/* … or may be declared, for another file or for later? */
static bool is_declared_at(const struct tokens *t, size_t name)
{
    static const char *const before[] = { "*", "&", ">", NULL };
    size_t last = token_before(t, name);
    return (token_is_any(t, last, before)
            || (token_is_name(t, last) && !token_is(t, last, "return")))
           && token_is(t, token_behind(t, token_close(t, name + 1)), ";");
}

/* Has the rewriter made it wait for other threads, because it is volatile (steps.c)? */
static bool goes_in_step(const struct rewriter *r, size_t from, size_t to)
{
    static const char *const words[] = { "__step", "__turn", "__put", "__patience", NULL };
    for (size_t i = 0; i < r->edit_count; i++)
        for (const char *const *w = words; *w; w++)
            if (r->edits[i].at >= start_of(r, from) && r->edits[i].at <= end_of(r, to)
                && strstr(r->edits[i].text, *w))
                return true;
    return false;
}

/* A function of the program, by each of its definitions. One that is only declared is not known,
 * and neither is one that may be a library's. */
static bool is_known_function(struct cutter *c, size_t name, unsigned depth)
{
    static const char *const theirs[] = { "__", "atomic", "sim", "cuda", "print", NULL };
    const struct tokens *t = c->t;
    bool any = false;
    if (depth == CALLS_DEEP || !is_one_of(c->r, &c->r->device_functions, name))
        return false;
    for (const char *const *p = theirs; *p; p++)
        if (token_starts(t, name, *p))
            return false;
    for (size_t i = 1; i < t->count; i++) {
        if (token_is(t, i, "namespace") && token_is(t, token_before(t, i), "using")
            && !token_is(t, token_behind(t, i), "std"))
            return false;
        if (!token_is_name(t, i) || !token_is_same(t, i, name))
            continue;
        if (token_is(t, i + 1, "<"))
            return false;                   /* a specialisation */
        if (!token_is(t, i + 1, "("))
            continue;
        if (!is_defined_at(t, i)) {
            if (is_declared_at(t, i))
                return false;
            continue;
        }
        size_t body = declaration_body(t, i + 1);
        for (size_t k = i + 2; k < body; k++)
            if (token_is(t, k, "&") || token_is(t, k, "=") || token_is_any(t, k, forbidden))
                return false;               /* by a reference it could keep where a variable is */
        if (goes_in_step(c->r, i, token_close(t, body))
            || !are_known(c, body, token_close(t, body), depth + 1))
            return false;
        any = true;
    }
    return any;
}

/* The same, found out once: one that calls itself is not known. */
static bool was_known_function(struct cutter *c, size_t name, unsigned depth)
{
    size_t at = 0;
    while (at < c->called_count && !token_is_same(c->t, c->called[at].name, name))
        at++;
    if (at < c->called_count)
        return c->called[at].known;
    if (at == CUT_CALLED)
        return false;
    c->called[c->called_count++] = (struct cut_called){ name, false };
    return c->called[at].known = is_known_function(c, name, depth);
}

static bool is_harmless_call(struct cutter *c, size_t name, unsigned depth)
{
    static const char *const words[] = { "if", "for", "while", "switch", "sizeof", "return",
                                         "alignof", "case", "else", "do", NULL };
    const struct tokens *t = c->t;
    static const char *const members[] = { ".", "->", "::", NULL };
    if (token_is_any(t, token_before(t, name), members))
        return false;
    if (token_is_any(t, name, words) || cut_is_type_word(t, name))
        return true;
    size_t local = cut_local_at(c, name);
    if (local < c->local_count)
        return c->locals[local].kind == CUT_TYPE;
    if (token_is(t, name, "__syncthreads"))
        return depth == 0;                  /* statements of their own: cut.c */
    bool own = is_one_of(c->r, &c->r->device_functions, name)
               || is_one_of(c->r, &c->r->own_functions, name);
    if (!own)
        return is_function(t, name) || token_is_any(t, name, harmless)
               || (token_is(t, name, "atomicAdd") && adds_number(t, name + 1));
    return was_known_function(c, name, depth);
}

bool cut_is_mathematics(const struct cutter *c, size_t name)
{
    return is_function(c->t, name) && !is_one_of(c->r, &c->r->own_functions, name)
           && !is_one_of(c->r, &c->r->device_functions, name);
}

/* What may stand before a ( */
static bool is_known_bracket(struct cutter *c, size_t open, unsigned depth)
{
    static const char *const casts[] = { "static_cast", "reinterpret_cast", NULL };
    const struct tokens *t = c->t;
    size_t last = token_before(t, open);
    if (token_is_name(t, last))
        return is_harmless_call(c, last, depth);
    if (token_is(t, last, ")")) {
        size_t other = token_open(t, last);
        return other != SIZE_MAX
               && (token_is_any(t, token_before(t, other), controls) || cut_is_cast(c, other));
    }
    if (token_is(t, last, ">")) {
        size_t angle = token_open(t, last);
        size_t before = angle == SIZE_MAX ? t->count : token_before(t, angle);
        if (before == t->count)
            return true;                    /* a comparison */
        return token_is_any(t, before, casts) || !token_is_name(t, before)
               || cut_local_at(c, before) < c->local_count || is_constant(c->r, before);
    }
    return !token_is(t, last, "]");
}

/* { of statements, or of an array's elements. */
static bool is_known_brace(const struct tokens *t, size_t open)
{
    static const char *const before[] = { ";", "{", "}", "else", "do", "=", ":", ",", NULL };
    size_t last = token_before(t, open);
    if (!token_is(t, last, ")"))
        return token_is_any(t, last, before);
    size_t other = token_open(t, last);
    return other != SIZE_MAX && token_is_any(t, token_before(t, other), controls);
}

/* Else a lambda begins. */
static bool is_index(const struct tokens *t, size_t open)
{
    static const char *const words[] = { "return", "case", "else", "do", NULL };
    size_t last = token_before(t, open);
    if (token_is(t, last, ")")) {
        size_t other = token_open(t, last);
        return other != SIZE_MAX && !token_is_any(t, token_before(t, other), controls);
    }
    return token_is(t, last, "]") || (token_is_name(t, last) && !token_is_any(t, last, words));
}

/* ---- words ---- */

/* T &x = … or for (T &x : …), and the cast (T &) */
static bool declares_reference(const struct tokens *t, size_t sign)
{
    size_t name = token_behind(t, sign), next = token_behind(t, name);
    const char *which;
    size_t length = operator_at(t, next, &which);
    if (token_is(t, name, ")") || token_is(t, name, ">"))
        return true;
    return token_is_name(t, name)
           && ((length == 1 && (*which == '=' || *which == ':')) || token_is(t, next, "{"));
}

static bool is_known_marker(const struct tokens *t, size_t token)
{
    return !token_starts(t, token, "#pragma") || token_starts(t, token, "#pragma unroll")
           || token_starts(t, token, "#pragma nounroll");
}

/* Foo x: its constructor is not known. What is shared has none that threads would run. */
static bool is_object(const struct cutter *c, size_t type)
{
    static const char *const words[] = { "const", "constexpr", "return", "else", "case", "do",
                                         "__shared__", "static", "extern", "if", NULL },
                             *const next[] = { "const", "__restrict__", "__restrict", NULL };
    const struct tokens *t = c->t;
    size_t name = token_behind(t, type);
    return token_is_name(t, name) && !token_is_any(t, type, words) && !token_is_any(t, type, next)
           && !cut_is_plain_word(c, type) && !declaration_says(t, type, "__shared__");
}

static bool is_known_word(struct cutter *c, size_t i, unsigned depth)
{
    static const char *const shared[] = { "__shared__", "extern", "static", NULL };
    const struct tokens *t = c->t;
    if (token_is_any(t, i, forbidden) || is_object(c, i) || is_one_of(c->r, &c->r->kernels, i)
        || is_one_of(c->r, &c->r->volatiles, i))
        return false;
    if (depth > 0 && token_is_any(t, i, shared))
        return false;
    if (token_is(t, i, "__syncthreads") && depth > 0)
        return false;
    if (token_is(t, i, "return") && depth == 0)
        c->returns = true;
    return !(token_is(t, i, "return") && depth == 0 && !token_is(t, token_behind(t, i), ";"));
}

static bool is_known_at(struct cutter *c, size_t i, unsigned depth)
{
    const struct tokens *t = c->t;
    if (t->list[i].kind == TOKEN_MARKER)
        return is_known_marker(t, i);
    if (t->list[i].kind == TOKEN_NAME)
        return is_known_word(c, i, depth);
    if (t->list[i].kind != TOKEN_PUNCTUATION)
        return t->list[i].kind == TOKEN_NUMBER || t->text[t->list[i].at] == '\'';
    if (token_is(t, i, "("))
        return is_known_bracket(c, i, depth);
    if (token_is(t, i, "{"))
        return is_known_brace(t, i);
    if (token_is(t, i, "["))
        return is_index(t, i);
    if (token_is(t, i, "::"))
        return token_is(t, token_before(t, i), "std")
               && cut_is_type_word(t, token_behind(t, i));
    if (token_is(t, i, ".") || token_is(t, i, "->"))
        return token_is_name(t, token_behind(t, i));
    if (token_is(t, i, "&"))
        return !declares_reference(t, i);
    if (token_three(t, i, "<"))
        return false;
    return !token_is(t, i, "#") && !token_is(t, i, "@") && !token_is(t, i, "\\");
}

/* Behind the { at `from`, up to its }. */
static bool are_known(struct cutter *c, size_t from, size_t to, unsigned depth)
{
    for (size_t i = from + 1; i < to; i++)
        if (!is_known_at(c, i, depth))
            return false;
    return true;
}

/* extern and static belong to __shared__ alone. */
static bool is_stored_elsewhere(const struct cutter *c)
{
    const struct tokens *t = c->t;
    for (size_t i = c->body; i < c->end; i++) {
        bool word = token_is(t, i, "extern") || token_is(t, i, "static");
        if (word && !declaration_says(t, i, "__shared__"))
            return true;
    }
    return false;
}

bool cut_words_are_known(struct cutter *c)
{
    return are_known(c, c->body, c->end, 0) && !is_stored_elsewhere(c)
           && !goes_in_step(c->r, c->body, c->end);
}

/* ---- break and continue ---- */

bool cut_leaves(const struct tokens *t, size_t from, size_t to)
{
    static const char *const loops[] = { "for", "while", "do", NULL };
    for (size_t i = from; i < to; i++) {
        bool breaks = token_is(t, i, "break"), within = false;
        if (!breaks && !token_is(t, i, "continue"))
            continue;
        for (size_t k = from; k < i && !within; k++)
            within = (token_is_any(t, k, loops) || (breaks && token_is(t, k, "switch")))
                     && i < cut_statement_end(t, k);
        if (!within)
            return true;
    }
    return false;
}
