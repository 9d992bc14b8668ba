/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Two kinds of operations have another result on a GPU than on this machine, where C++ leaves the
 * result open: shifts by as many bits as the number has or more [ptx, shl, shr: clamped], and
 * conversions of floating-point numbers to integers that have no room for them [ptx, cvt: clamped;
 * NaN becomes 0]. In code of the device
 *
 *   a << b       becomes  a <<::__sim::__left<< b         precedence and associativity stay what
 * they are a <<= b      becomes  a <<=::__sim::__by= b (int)x       becomes
 * (int)(::__sim::__saturated<int>)x int(x), static_cast<int>(x)   become   ::__sim::__to<int>(x)
 *
 * (sim_arithmetic.h). What is shifted by a small number, or converts a number that is written
 * there, is left alone. Conversions that are implicit cannot be seen in tokens: the compiler's
 * check of them tells of those (sim/host/arithmetic.c).
 */
#include "simcc/rewrite/edit.h"

#include <stdio.h>
#include <stdlib.h>

#include "simcc/rewrite/declaration.h"

void arithmetic_from_word(struct rewriter *r, size_t word)
{
    struct device_function f = device_function(&r->tokens, word);
    if (f.open == r->tokens.count || f.body == r->tokens.count)
        return;
    size_t close = token_close(&r->tokens, f.body);
    if (close > r->computes_until) {
        r->computes_from = f.body;
        r->computes_until = close;
    }
}

static bool touches(const struct tokens *t, size_t token, const char *next)
{
    return token_is(t, token + 1, next)
           && t->list[token].at + t->list[token].length == t->list[token + 1].at;
}

/* ---- shifts ---- */

/* The whole right side is a number below 32. */
static bool is_small_number(const struct tokens *t, size_t token)
{
    if (token >= t->count || t->list[token].kind != TOKEN_NUMBER)
        return false;
    return strtoul(t->text + t->list[token].at, NULL, 0) < 32 && !token_is(t, token + 1, "*")
           && !token_is(t, token + 1, "+");
}

/* May what stands before > be arguments of a template, from its < on: names, numbers, commas,
 * pointers? */
static size_t template_open(const struct tokens *t, size_t close)
{
    static const char *const parts[] = { "::", ",", "*", "&", "const", NULL };
    size_t depth = 1;
    for (size_t i = close; i-- > 0;) {
        if (token_is(t, i, ">"))
            depth++;
        else if (token_is(t, i, "<") && --depth == 0)
            return i > 0 && token_is_name(t, i - 1) ? i : t->count;
        else if (!token_is(t, i, "<") && !token_is_name(t, i) && t->list[i].kind != TOKEN_NUMBER
                 && t->list[i].kind != TOKEN_MARKER && !token_is_any(t, i, parts))
            return t->count;
    }
    return t->count;
}

/* a<b<c>> closes two templates. */
static bool closes_templates(const struct tokens *t, size_t token)
{
    size_t inner = template_open(t, token);
    return inner < t->count && template_open(t, token + 1) < t->count
           && template_open(t, token + 1) < inner;
}

static void shift(struct rewriter *r, size_t token, const char *sign, const char *name)
{
    const struct tokens *t = &r->tokens;
    bool part = token > 0 && token_is(t, token - 1, sign) && touches(t, token - 1, sign);
    if (part || token_is(t, token - 1, "operator") || (touches(t, token + 1, sign))
        || (*sign == '>' && closes_templates(t, token)))
        return;
    bool assigns = touches(t, token + 1, "=");
    size_t right = token + 2 + assigns;
    if (is_small_number(t, token_behind(t, right - 1)))
        return;
    edit(r, end_of(r, right - 1), 0, assigns ? "::__sim::__by=" : "::__sim::%s%s%s", name, sign,
         sign);
}

/* ---- conversions ---- */

static const char *const type_words[] = { "int", "unsigned", "signed", "char", "short", "long",
                                          NULL };
static const char *const type_names[] = { "int8_t",  "int16_t",   "int32_t",  "int64_t",
                                          "uint8_t", "uint16_t",  "uint32_t", "uint64_t",
                                          "size_t",  "uchar",     "ushort",   "uint",
                                          "ulong",   "ptrdiff_t", "intptr_t", "uintptr_t",
                                          NULL };

/* Behind the type of integers that begins at the token; the token itself: none does. */
static size_t type_end(const struct tokens *t, size_t token)
{
    size_t end = token;
    if (token_is(t, end, "std") && token_is(t, end + 1, "::"))
        end += 2;
    if (token_is_any(t, end, type_names))
        return end + 1;
    while (token_is_any(t, token, type_words))
        token++;
    return end > token ? end - 2 : token;
}

/* May an operand begin here that is no number without a point? */
static bool is_operand(const struct tokens *t, size_t token)
{
    static const char *const signs[] = { "(", "-", "+", "*", "~", "!", "::", NULL };
    static const char *const integers[] = { "threadIdx", "blockIdx", "blockDim", "gridDim",
                                            "sizeof", "and", "or", "xor", "const", "noexcept",
                                            "volatile", "mutable", NULL };
    if (token >= t->count)
        return false;
    if (t->list[token].kind == TOKEN_NUMBER) {
        const char *at = t->text + t->list[token].at;
        bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
        for (size_t i = 0; i < t->list[token].length; i++)
            if (at[i] == '.' || (!hex && (at[i] == 'e' || at[i] == 'f')))
                return true;
        return false;
    }
    return token_is_any(t, token, signs)
           || (token_is_name(t, token) && !token_is_any(t, token, integers));
}

/* Does an expression begin after this token, in which a type may convert? */
static bool begins_operand(const struct tokens *t, size_t before)
{
    static const char *const words[] = { "return", "case", "else", "do", "throw", "and", "or",
                                         "not", NULL };
    return token_is_name(t, before)
               ? token_is_any(t, before, words)
               : before < t->count && !token_is(t, before, "]") && !token_is(t, before, "::");
}

static void type_text(const struct rewriter *r, size_t from, size_t end, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = from; i < end && used < room; i++)
        used += (size_t)snprintf(
            out + used, room - used, "%s%.*s",
            i > from && !token_is(&r->tokens, i, "::") && !token_is(&r->tokens, i - 1, "::") ? " "
                                                                                             : "",
            (int)r->tokens.list[i].length, r->tokens.text + r->tokens.list[i].at);
}

/* (int)x */
static void cast(struct rewriter *r, size_t open)
{
    const struct tokens *t = &r->tokens;
    size_t from = open + 1, end = type_end(t, from);
    char type[64];
    if (end == from || !token_is(t, end, ")") || !begins_operand(t, token_before(t, open))
        || !is_operand(t, token_behind(t, end)))
        return;
    type_text(r, from, end, type, sizeof type);
    edit(r, end_of(r, end), 0, "(::__sim::__saturated<%s>)", type);
}

/* static_cast<int>(x) */
static void cast_by_word(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    size_t from = word + 2, end = type_end(t, from);
    if (!token_is(t, word + 1, "<") || end == from || !token_is(t, end, ">")
        || !token_is(t, end + 1, "("))
        return;
    drop(r, word, "::__sim::__to");
}

/* int(x) */
static void cast_by_call(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    size_t before = token_before(t, word), close = token_close(t, word + 1);
    static const char *const no[] = { "<", "::", ";", "{", "}", ">", NULL };
    if (close == t->count || close == word + 2 || token_is_any(t, before, no)
        || !begins_operand(t, before) || !is_operand(t, word + 2) || token_is(t, word + 2, "*")
        || type_end(t, word + 2) != word + 2)
        return;
    char type[64];
    type_text(r, word, word + 1, type, sizeof type);
    char whole[96];
    snprintf(whole, sizeof whole, "::__sim::__to<%s>", type);
    drop(r, word, whole);
}

void arithmetic_token(struct rewriter *r, size_t token)
{
    const struct tokens *t = &r->tokens;
    if (token < r->computes_from || token > r->computes_until || token == 0)
        return;
    if (token_is(t, token, "<") && touches(t, token, "<"))
        shift(r, token, "<", "__left");
    else if (token_is(t, token, ">") && touches(t, token, ">"))
        shift(r, token, ">", "__right");
    else if (token_is(t, token, "("))
        cast(r, token);
    else if (token_is(t, token, "static_cast"))
        cast_by_word(r, token);
    else if (token_is(t, token + 1, "(") && type_end(t, token) == token + 1)
        cast_by_call(r, token);
}
