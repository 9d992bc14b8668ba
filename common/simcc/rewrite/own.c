/* SPDX-License-Identifier: MIT */
/*
 * own.c - which thread it is. The instrumented build would look at each of these as at any other
 * load, two or three times in each thread, and there is nothing to be found. In code of the device
 *
 *   threadIdx.x          becomes  ::__sim::__own(threadIdx.x)
 *
 * (sim_own.h), and so for blockIdx, blockDim and gridDim. A variable of the program's that is
 * called so is read as before. What is more than read (&blockDim.x, blockDim.x = 1) is left alone.
 */
#include "simcc/rewrite/edit.h"

static bool adjoin(const struct tokens *t, size_t left)
{
    return t->list[left].at + t->list[left].length == t->list[left + 1].at;
}

/* = but not ==, += and its like, ++, --, a call, a member */
static bool is_more_than_read(const struct tokens *t, size_t next)
{
    static const char *const more[] = { "(", "[", ".", "->", "::", NULL },
                             *const signs[] = { "+", "-", "*", "/", "%", "&", "|", "^", "<", ">",
                                                NULL };
    if (token_is_any(t, next, more))
        return true;
    if (token_is(t, next, "="))
        return !token_is(t, next + 1, "=") || !adjoin(t, next);
    if (!token_is_any(t, next, signs) || next + 1 >= t->count || !adjoin(t, next))
        return false;
    bool comparison = token_is(t, next, "<") || token_is(t, next, ">");
    return (token_is(t, next + 1, "=") && !comparison)
           || (token_is(t, next + 1, "+") && token_is(t, next, "+"))
           || (token_is(t, next + 1, "-") && token_is(t, next, "-"));
}

/* A member of something, an address, ++. */
static bool belongs_to(const struct tokens *t, size_t before)
{
    static const char *const owners[] = { ".", "->", "::", NULL };
    bool twice = token_is(t, before - 1, "&") && adjoin(t, before - 1);
    return token_is_any(t, before, owners) || (token_is(t, before, "&") && !twice)
           || (adjoin(t, before - 1)
               && ((token_is(t, before, "+") && token_is(t, before - 1, "+"))
                   || (token_is(t, before, "-") && token_is(t, before - 1, "-"))));
}

void own_number(struct rewriter *r, size_t token)
{
    static const char *const numbers[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", NULL },
                             *const members[] = { "x", "y", "z", NULL };
    const struct tokens *t = &r->tokens;
    if (token <= r->computes_from + 1 || token >= r->computes_until
        || !token_is_any(t, token, numbers) || !token_is(t, token + 1, ".")
        || !token_is_any(t, token + 2, members) || belongs_to(t, token - 1)
        || is_more_than_read(t, token + 3))
        return;
    char member[3] = { t->text[start_of(r, token + 2)], ')', '\0' };
    edit(r, start_of(r, token), 0, "::__sim::__own(");
    drop(r, token + 2, member);
}
