/* SPDX-License-Identifier: MIT */
#include "simcc/rewrite/edit.h"

/* Does a cast to void * stand before this token: (void *) or reinterpret_cast<const void *>( ? */
static bool is_cast_to_void(const struct tokens *t, size_t token)
{
    size_t i = token;
    if (i > 0 && token_is(t, i - 1, "("))
        i--;
    return i > 3 && (token_is(t, i - 1, ")") || token_is(t, i - 1, ">")) && token_is(t, i - 2, "*")
           && (token_is(t, i - 3, "void") || token_is(t, i - 3, "const"));
}

void address_kernel(struct rewriter *r, size_t name)
{
    const struct tokens *t = &r->tokens;
    size_t first = name, last = name;
    while (first > 1 && token_is(t, first - 1, "::") && token_is_name(t, first - 2))
        first -= 2;
    if (first > 0 && (token_is(t, first - 1, "::") || token_is(t, first - 1, "&")))
        first--;
    if (!is_cast_to_void(t, first))
        return;
    if (token_is(t, name + 1, "<")) {
        size_t depth = 0;
        do {
            last++;
            depth += token_is(t, last, "<") - token_is(t, last, ">");
        } while (depth > 0 && last < t->count && !token_is(t, last, ";"));
    }
    if (last >= t->count || token_is(t, last, ";") || token_is(t, last + 1, "("))
        return;
    edit(r, start_of(r, first), 0, "::__sim::__address(");
    edit(r, end_of(r, last), 0, ")");
}

/* The cast value that stands from `value` to before `end`; kernels' names are address_kernel's. */
static void address_value(struct rewriter *r, size_t value, size_t end)
{
    const struct tokens *t = &r->tokens;
    if (value >= end || !is_cast_to_void(t, value) || !token_is_name(t, value) || is_one_of(r, &r->kernels, value))
        return;
    edit(r, start_of(r, value), 0, "::__sim::__address(");
    edit(r, end_of(r, end - 1), 0, ")");
}

/* The first token from `i` on that ends an expression: outside of brackets, `most` at the latest. */
static size_t end_of_value(const struct tokens *t, size_t i, size_t most)
{
    for (; i < most && !token_is(t, i, ",") && !token_is(t, i, ";") && !token_is(t, i, "}") && !token_is(t, i, ")"); i++)
        if (token_is(t, i, "(") || token_is(t, i, "[") || token_is(t, i, "{"))
            i = token_close(t, i);
    return i < most ? i : most;
}

void address_in_field(struct rewriter *r, size_t field)
{
    const struct tokens *t = &r->tokens;
    bool assigned = field > 0 && (token_is(t, field - 1, ".") || token_is(t, field - 1, "->")) && token_is(t, field + 1, "=");
    size_t value = field + 2;
    if (!assigned || token_is(t, value, "="))
        return;
    if (token_is(t, value, "reinterpret_cast")) {
        while (value < t->count && !token_is(t, value, "(") && !token_is(t, value, ";"))
            value++;
        if (token_is(t, value, "("))
            address_value(r, value + 1, token_close(t, value));
    } else if (token_is(t, value, "(")) {
        value = token_close(t, value) + 1;
        address_value(r, value, end_of_value(t, value, t->count));
    }
}

/* Is it one of the calls that want a kernel? What they are given is known nowhere else. */
static bool takes_kernel(const struct tokens *t, size_t call)
{
    return token_starts(t, call, "cudaLaunch") || token_starts(t, call, "cudaFunc") || token_starts(t, call, "cudaOccupancy");
}

void address_in_call(struct rewriter *r, size_t call)
{
    const struct tokens *t = &r->tokens;
    if (!takes_kernel(t, call))
        return;
    size_t open = call + 1, close = token_close(t, open), end;
    for (size_t i = open; i < close; i = end) {
        end = end_of_value(t, i + 1, close);
        size_t value = token_is(t, i + 1, "(") ? token_close(t, i + 1) + 1 : end;
        address_value(r, value, end);
    }
}
