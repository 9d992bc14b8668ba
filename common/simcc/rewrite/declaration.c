/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/declaration.h"

bool declaration_is_attribute(const struct tokens *t, size_t i)
{
    return token_is(t, i, "__attribute__") || token_is(t, i, "alignas")
           || token_is(t, i, "decltype") || token_is(t, i, "__align__")
           || token_is(t, i, "__launch_bounds__") || token_is(t, i, "__cluster_dims__")
           || token_is(t, i, "__maxnreg__") || token_is(t, i, "__local_maxnreg__");
}

size_t declaration_angle_end(const struct tokens *t, size_t open)
{
    size_t depth = 0;
    for (size_t i = open; i < t->count && !token_is(t, i, ";"); i++) {
        if (token_opens(t, i))
            i = token_close(t, i);
        else if (token_is(t, i, "<"))
            depth++;
        else if (token_is(t, i, ">") && --depth == 0)
            return i + 1;
    }
    return t->count;
}

/* Behind an initialiser: its , or ; */
static size_t initialiser_end(const struct tokens *t, size_t i)
{
    while (i < t->count && !token_is(t, i, ",") && !token_is(t, i, ";")) {
        bool opens = token_opens(t, i);
        i = opens ? token_close(t, i) + 1 : i + 1;
    }
    return i;
}

static bool ends_declarator(const struct tokens *t, size_t i)
{
    return token_is(t, i, "[") || token_is(t, i, "=") || token_is(t, i, "{") || token_is(t, i, ",")
           || token_is(t, i, ";");
}

/* struct { … } or struct tag { … }: after it; i itself where no body begins. */
static size_t class_end(const struct tokens *t, size_t i)
{
    if (!token_is(t, i, "struct") && !token_is(t, i, "union") && !token_is(t, i, "class")
        && !token_is(t, i, "enum"))
        return i;
    size_t open = i + 1;
    while (declaration_is_attribute(t, open) && token_is(t, open + 1, "("))
        open = token_close(t, open + 1) + 1;
    open += token_is_name(t, open);
    return token_is(t, open, "{") ? token_close(t, open) + 1 : i;
}

bool declaration_read(const struct tokens *t, size_t word, struct declaration *d)
{
    d->count = 0;
    for (size_t i = word + 1; i < t->count;) {
        if (declaration_is_attribute(t, i) && token_is(t, i + 1, "(")) {
            i = token_close(t, i + 1) + 1;
        } else if (token_is(t, i, "<")) {
            i = declaration_angle_end(t, i);
        } else if (class_end(t, i) != i) {
            i = class_end(t, i);
        } else if (ends_declarator(t, i)) {
            if (i == word + 1 || !token_is_name(t, i - 1) || d->count == DECLARATORS)
                return false;
            d->names[d->count++] = i - 1;
            i = initialiser_end(t, i);
            if (token_is(t, i, ";")) {
                d->end = i;
                return true;
            }
            i++;
        } else if (token_is(t, i, "(") || token_is(t, i, ")") || token_is(t, i, "}")) {
            return false;
        } else {
            i++;
        }
    }
    return false;
}

size_t declaration_before(const struct tokens *t, size_t word, const char *what)
{
    for (size_t i = word; i-- > 0;) {
        if (token_is(t, i, ";") || token_is(t, i, "{") || token_is(t, i, "}")
            || t->list[i].kind == TOKEN_MARKER)
            break;
        if (token_is(t, i, what))
            return i;
    }
    return t->count;
}

size_t declaration_specifier(const struct tokens *t, size_t word, const char *what)
{
    for (size_t i = word + 1;
         i < t->count && !ends_declarator(t, i) && !token_is(t, i, "(") && !token_is(t, i, "<");
         i++)
        if (token_is(t, i, what))
            return i;
    return declaration_before(t, word, what);
}

bool declaration_says(const struct tokens *t, size_t word, const char *what)
{
    size_t i = word;
    while (i < t->count && !token_is(t, i, ";") && !token_is(t, i, "=") && !token_is(t, i, "{")) {
        if (token_is(t, i, what))
            return true;
        i++;
    }
    return declaration_before(t, word, what) != t->count;
}

bool declaration_is_outer(const struct tokens *t, size_t open)
{
    if (open > 1 && t->list[open - 1].kind == TOKEN_STRING)
        return token_is(t, open - 2, "extern");
    size_t i = open;
    while (i > 0 && (token_is(t, i - 1, "::") || token_is_name(t, i - 1))) {
        i--;
        if (token_is(t, i, "namespace"))
            return true;
    }
    return false;
}

bool declaration_is_class(const struct tokens *t, size_t open)
{
    bool is = false;
    for (size_t i = open; i-- > 0 && !token_is(t, i, ";") && !token_is(t, i, "{")
                          && !token_is(t, i, "}") && !token_is(t, i, ")") && !token_is(t, i, "=");)
        is |= token_is(t, i, "struct") || token_is(t, i, "class") || token_is(t, i, "union");
    return is;
}

/* ---- functions of the device ---- */

size_t declaration_body(const struct tokens *t, size_t open)
{
    size_t i = token_close(t, open) + 1;
    bool initialises = false;
    for (; i < t->count && !token_is(t, i, ";"); i++) {
        if (token_is(t, i, "{")) {
            size_t last = token_before(t, i);
            bool member = initialises && (token_is_name(t, last) || token_is(t, last, ">"));
            if (!member)
                return i;
            i = token_close(t, i);
        } else if (token_is(t, i, "(")) {
            i = token_close(t, i);
        } else if (token_is(t, i, ":")) {
            initialises = true;
        } else if (token_is(t, i, "=") || token_is(t, i, ",")) {
            if (!initialises)
                return t->count;
        }
    }
    return t->count;
}

/* The ( of the parameters, from a word of the declaration on; t->count: it is no function. */
static size_t parameters_after(const struct tokens *t, size_t word)
{
    for (size_t i = word + 1; i < t->count; i++) {
        if (token_is(t, i, ";") || token_is(t, i, "=") || token_is(t, i, "{") || token_is(t, i, "}")
            || token_is(t, i, "["))
            break;
        if (declaration_is_attribute(t, i) && token_is(t, i + 1, "("))
            i = token_close(t, i + 1);
        else if (token_is(
                     t, i,
                     "operator")) /* (), [], == and so on: its parameters are the ( after them */
            for (i++; i + 1 < t->count && !token_is(t, i + 1, "(");)
                i++;
        else if (token_is(t, i, "("))
            return i;
    }
    return t->count;
}

/* Is `what` among the words before the parameters of the function that this word is of? */
static bool says(const struct tokens *t, size_t word, size_t open, const char *what)
{
    for (size_t i = word; i < open; i++)
        if (token_is(t, i, what))
            return true;
    return declaration_before(t, word, what) != t->count;
}

struct device_function device_function(const struct tokens *t, size_t word)
{
    struct device_function f = { .open = parameters_after(t, word), .body = t->count };
    if (f.open == t->count)
        return f;
    f.body = declaration_body(t, f.open);
    f.for_host = !token_is(t, word, "__global__") && says(t, word, f.open, "__host__");
    f.is_constexpr = says(t, word, f.open, "constexpr");
    return f;
}
