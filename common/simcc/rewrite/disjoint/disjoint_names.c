/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/disjoint/disjoint.h"

#include <stdlib.h>
#include <string.h>

/* ---- words ---- */

const char *const disjoint_integers[] = { "int",     "unsigned", "long",     "size_t",
                                        "int32_t", "uint32_t", "int64_t", "uint64_t", NULL };
const char *const disjoint_small[] = { "char",    "short",    "bool",   "signed",
                                       "float",   "double",   "int8_t", "uint8_t",
                                       "int16_t", "uint16_t", NULL };

/* Without side effects, for one number or several; with an f behind them as well. */
static const char *const functions[] = {
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "exp2",
    "expm1", "log", "log2", "log10", "log1p", "pow", "sqrt", "rsqrt", "cbrt", "fabs", "floor",
    "ceil", "round", "trunc", "rint", "fmin", "fmax", "fmod", "fma", "hypot", "erf", "erfc", "abs",
    "min", "max", "__exp", "__log", "__sin", "__cos", "__pow", "__fdivide", NULL
};

bool is_function(const struct tokens *t, size_t token)
{
    size_t length = t->list[token].length;
    const char *at = t->text + t->list[token].at;
    for (const char *const *f = functions; *f; f++) {
        size_t n = strlen(*f);
        bool fast = **f == '_';
        if (memcmp(at, *f, n < length ? n : length) == 0
            && ((length == n && !fast) || (length == n + 1 && at[n] == 'f')))
            return true;
    }
    return false;
}

bool is_type(const struct tokens *t, size_t token)
{
    return token_is_any(t, token, disjoint_integers) || token_is_any(t, token, disjoint_small)
           || token_is(t, token, "auto");
}

bool is_number(const struct tokens *t, size_t token, bool *whole)
{
    const char *at = t->text + t->list[token].at, *end = at + t->list[token].length;
    char *behind;
    if (token >= t->count || t->list[token].kind != TOKEN_NUMBER)
        return false;
    char digits[64];
    if (end - at >= (long)sizeof digits)
        return false;
    memcpy(digits, at, (size_t)(end - at));
    digits[end - at] = '\0';
    (void)strtoull(digits, &behind, 0);
    *whole = *behind == '\0' || *behind == 'u' || *behind == 'U' || *behind == 'l'
             || *behind == 'L';
    if (!*whole)
        (void)strtod(digits, &behind);
    static const char *const suffixes[] = { "", "f", "F", "u", "U", "l", "L", "ul", "UL", "ll",
                                            "LL", "ull", "ULL", NULL };
    for (const char *const *s = suffixes; *s; s++)
        if (strcmp(behind, *s) == 0)
            return true;
    return false;
}

/* ---- what the program declares ---- */

bool is_constant(const struct rewriter *r, size_t token)
{
    return token_is_name(&r->tokens, token) && is_one_of(r, &r->constants, token);
}

static void learn_enumerators(struct rewriter *r, size_t word)
{
    const struct tokens *t = &r->tokens;
    size_t open = token_behind(t, word);
    if (token_is(t, open, "class") || token_is(t, open, "struct"))
        return;
    if (token_is_name(t, open))
        open = token_behind(t, open);
    if (!token_is(t, open, "{"))
        return;
    for (size_t i = open, end = token_close(t, open); i < end; i = token_behind(t, i)) {
        size_t name = token_behind(t, i);
        if (i != open && (token_is(t, i, "(") || token_is(t, i, "{") || token_is(t, i, "[")))
            i = token_close(t, i);
        else if ((i == open || token_is(t, i, ",")) && token_is_name(t, name))
            learn_name(r, &r->constants, name);
    }
}

/* const int N = 1 << 20; */
static void learn_const(struct rewriter *r, size_t word)
{
    static const char *const before[] = { ";", "}", "static", "const", "constexpr", NULL };
    const struct tokens *t = &r->tokens;
    size_t i = token_behind(t, word), last = token_before(t, word);
    if (last != t->count && !token_is_any(t, last, before))
        return;
    bool whole, typed = false;
    for (; token_is(t, i, "const") || token_is(t, i, "constexpr")
           || token_is_any(t, i, disjoint_integers);
         i = token_behind(t, i))
        typed |= token_is_any(t, i, disjoint_integers);
    size_t name = i;
    if (!typed || !token_is_name(t, name) || !token_is(t, token_behind(t, name), "="))
        return;
    i = token_behind(t, token_behind(t, name));
    for (; !token_is(t, i, ";"); i = token_behind(t, i)) {
        static const char *const signs[] = { "+", "-", "*", "/", "<", "(", ")", NULL };
        if (i >= t->count
            || !(is_number(t, i, &whole) || is_constant(r, i) || token_is_any(t, i, signs)))
            return;
    }
    learn_name(r, &r->constants, name);
}

void disjoint_token(struct rewriter *r, size_t token)
{
    const struct tokens *t = &r->tokens;
    if (token_is(t, token, "operator")) {
        /* of enumerators, or of numbers that are written there */
        r->own_operators |= r->bodies == 0;
        r->any_operators = true;
        r->own_literals |= t->list[token_behind(t, token)].kind == TOKEN_STRING;
    }
    if (r->bodies > 0 || !token_is_name(t, token))
        return;
    if (is_function(t, token))
        learn_name(r, &r->own_functions, token);
    else if (r->brace_count == 0 && token_is(t, token, "enum"))
        learn_enumerators(r, token);
    else if (r->brace_count == 0
             && (token_is(t, token, "const") || token_is(t, token, "constexpr")))
        learn_const(r, token);
}

/* ---- reading ---- */

void disjoint_no(struct reader *d)
{
    d->ok = false;
}

/* Out of line, as disjoint_expect: every rule of the grammar asks. */
__attribute__((noinline)) bool disjoint_here(const struct reader *d, const char *what)
{
    return token_is(d->t, d->at, what);
}

void disjoint_next(struct reader *d)
{
    static const char pragma[] = "#pragma", unroll[] = "#pragma unroll";
    do {
        d->at++;
        if (d->at < d->t->count && d->t->list[d->at].kind == TOKEN_MARKER
            && token_starts(d->t, d->at, pragma) && !token_starts(d->t, d->at, unroll)
            && !token_starts(d->t, d->at, "#pragma GCC unroll"))
            disjoint_no(d);
    } while (d->at < d->t->count && d->t->list[d->at].kind == TOKEN_MARKER);
}

__attribute__((noinline)) void disjoint_expect(struct reader *d, const char *what)
{
    if (!disjoint_here(d, what))
        disjoint_no(d);
    disjoint_next(d);
}

struct own *own_of(struct reader *d, size_t token)
{
    for (size_t i = 0; token_is_name(d->t, token) && i < d->count; i++)
        if (token_is_same(d->t, d->own[i].name, token))
            return &d->own[i];
    return NULL;
}

struct own *read_name(struct reader *d, size_t name, enum what what, bool integer)
{
    static const char *const taken[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize",
                                         NULL };
    static struct own none;
    if (!token_is_name(d->t, name) || d->count == NAMES || own_of(d, name)
        || is_constant(d->r, name) || is_type(d->t, name) || is_function(d->t, name)
        || token_is_any(d->t, name, taken)) {
        disjoint_no(d);
        return &none;
    }
    d->own[d->count] = (struct own){ .name = name, .what = what, .integer = integer };
    return &d->own[d->count++];
}

void read_assigned(struct reader *d, struct own *o)
{
    if (o->what != NUMBER || o->fixed)
        disjoint_no(d);
    o->assigned = true;
}

bool is_fixed(struct reader *d, size_t token)
{
    struct own *o = own_of(d, token);
    bool whole;
    if (is_number(d->t, token, &whole))
        return whole;
    if (is_constant(d->r, token))
        return true;
    if (!o || o->what != NUMBER || !o->integer || o->assigned
        || o >= d->own + d->parameters)
        return false;
    o->fixed = true;
    return true;
}

/* ---- operators ---- */

size_t operator_at(const struct tokens *t, size_t token, const char **which)
{
    static const char *const all[] = { "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
                                       "|=", "^=", "==", "!=", "<=", ">=", "&&", "||", "<<", ">>",
                                       "+", "-", "*", "/", "%", "<", ">", "!", "~", "&", "|", "^",
                                       "?", ":", ",", "=", "(", ")", NULL };
    for (const char *const *o = all; *o; o++) {
        size_t n = strlen(*o);
        bool is = token + n <= t->count;
        for (size_t i = 0; is && i < n; i++)
            is = t->list[token + i].kind == TOKEN_PUNCTUATION && t->list[token + i].length == 1
                 && t->text[t->list[token + i].at] == (*o)[i]
                 && t->list[token + i].at == t->list[token].at + i;
        if (is) {
            *which = *o;
            return n;
        }
    }
    return 0;
}

bool is_any_of(const char *what, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(what, *list) == 0)
            return true;
    return false;
}

bool assigns(const char *what)
{
    static const char *const list[] = { "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=",
                                        ">>=", NULL };
    return is_any_of(what, list);
}

bool counts(const char *what)
{
    return strcmp(what, "++") == 0 || strcmp(what, "--") == 0;
}

size_t find_outside(const struct tokens *t, size_t from, size_t to, const char *what)
{
    for (size_t i = from; i < to; i = token_behind(t, i)) {
        const char *which;
        size_t n = operator_at(t, i, &which);
        if (token_is(t, i, "(") || token_is(t, i, "["))
            i = token_close(t, i);
        else if (n > 0 ? strcmp(which, what) == 0 : token_is(t, i, what))
            return i;
        else if (n > 1)
            i += n - 1;
    }
    return to;
}
