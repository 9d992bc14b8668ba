/* SPDX-License-Identifier: MIT */
/* blocks.c - variables of a block inside a function that others may use when it has been left. */
#include "simcc/rewrite/declaration.h"
#include "simcc/rewrite/edit.h"

/* The { around the token; t->count: it stands in none. */
static size_t brace_around(const struct tokens *t, size_t token)
{
    for (size_t i = token, depth = 0; i-- > 0;)
        if (token_is(t, i, "}"))
            depth++;
        else if (token_is(t, i, "{") && depth-- == 0)
            return i;
    return t->count;
}

/* sim/host/signal.c is told when the block is left. What a function has itself goes with its frame,
 * which is looked at there. */
void semaphore_of_block(struct rewriter *r, size_t i)
{
    static const char *const before[] = { ";", "{", "}", NULL },
                             *const behind[] = { ";", "=", ",", "{", NULL };
    const struct tokens *t = &r->tokens;
    if (token_is(t, i, "sem_t") && r->bodies > 1 && token_is_any(t, token_before(t, i), before)
        && token_is_name(t, i + 1) && token_is_any(t, i + 2, behind)
        && !declaration_is_class(t, brace_around(t, i)))
        edit(r, start_of(r, i), 0, "__attribute__((cleanup(sim_semaphore_left))) ");
}
