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
        for (end = i + 1; end < close && !token_is(t, end, ","); end++)
            if (token_is(t, end, "(") || token_is(t, end, "[") || token_is(t, end, "{"))
                end = token_close(t, end);
        size_t value = token_is(t, i + 1, "(") ? token_close(t, i + 1) + 1 : end;
        if (value >= end || !is_cast_to_void(t, value) || !token_is_name(t, value) || is_one_of(r, &r->kernels, value))
            continue;
        edit(r, start_of(r, value), 0, "::__sim::__address(");
        edit(r, end_of(r, end - 1), 0, ")");
    }
}
