/* SPDX-License-Identifier: MIT */
/* Of second calls, with other sizes than the first ones had. */
#include "grader/check.h"

bool comes_to_its_end(const struct view *v, struct finding *f, const char *again,
                      const char *function, const char *word, const char *reason)
{
    size_t first, end;
    if (part_ran(v, again) || !measure_part(v->timeline, again, &first, &end))
        return true;
    f->call = ANY;
    f->function = function;
    f->word = word;
    expected(f, "%s(), called again with other sizes, comes to its end", function);
    seen(f, "the program ended in it");
    return why(f, "%s", reason);
}

bool comes_through(const struct evidence *e, struct finding *f, const char *part, const char *again,
                   const char *function, const char *word, const char *reason)
{
    struct finding other = { .call = ANY };
    if (!judge_hazards(e, &other, part))
        return true;
    return judge_hazards(e, f, again)
           && comes_to_its_end(&e->yours[0], f, again, function, word, reason);
}

bool takes_what_is_asked(const struct view *v, struct finding *f, struct selection s,
                         uint64_t bytes)
{
    enum { ROUNDED = 4096 };
    const struct timeline *t = v->timeline;
    for (size_t call = s.first_call; call < s.end_call; call++) {
        const struct call *c = &t->calls[call];
        if (c->kind != CALL_MALLOC || c->status != 0 || c->flags & POOL_GROWS || is_in_driver(t, c)
            || c->bytes <= 2 * bytes + ROUNDED)
            continue;
        f->call = (uint32_t)call;
        expected(f, "a call with few elements takes memory for those: %llu bytes",
                 (unsigned long long)bytes);
        seen(f, "this takes %llu bytes", (unsigned long long)c->bytes);
        return why(f,
                   "That size does not come from how many elements there are: it is far more than this call needs, and a call with enough elements runs past its "
                   "end. Compute it from the number of elements of this call.");
    }
    return true;
}
