/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * What a kernel costs is said by the program that is judged, and every share of
 * overlap is compared with the reference's. So a kernel must cost what a kernel
 * of its name costs in the reference solution, in the same part (elsewhere, if
 * that launches none there). Kernels that it never launches cost what they like.
 */
#include "grader/judge/costs.h"

#include <string.h>

#include "trace/record/memory.h"

struct price {
    const char *kernel;
    int64_t ns;
    bool inside;                /* in the part */
};

struct prices {
    struct price *list;
    size_t count, capacity;
};

static void add_price(struct prices *p, struct price price)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].ns == price.ns && p->list[i].inside == price.inside
            && strcmp(p->list[i].kernel, price.kernel) == 0)
            return;
    p->list = memory_grow(p->list, p->count, &p->capacity, sizeof *p->list);
    p->list[p->count++] = price;
}

/* What kernels have said in the whole of a run. */
static struct prices prices_of(const struct view *v, const char *part)
{
    struct prices p = { .count = 0 };
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    for (uint32_t node = 0; node < t->span_count; node++)
        if (declared_cost(v, node) >= 0)
            add_price(&p, (struct price){ timeline_string(t, t->spans[node].name),
                                          declared_cost(v, node),
                                          t->spans[node].call >= s.first_call
                                              && t->spans[node].call < s.end_call });
    return p;
}

/* The reference's price for that kernel which is nearest to `ns`; NULL: it has none. */
static const struct price *nearest_price(const struct prices *p, const char *kernel, int64_t ns)
{
    const struct price *best = NULL;
    for (int inside = 1; inside >= 0 && !best; inside--)
        for (size_t i = 0; i < p->count; i++) {
            const struct price *one = &p->list[i];
            int64_t apart = one->ns > ns ? one->ns - ns : ns - one->ns;
            if (one->inside == inside && strcmp(one->kernel, kernel) == 0
                && (!best || apart < (best->ns > ns ? best->ns - ns : ns - best->ns)))
                best = one;
        }
    return best;
}

static bool is_in_list(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* After a fault kernels start and do nothing. */
static bool lost_device(const struct timeline *t)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_FAULT)
            return true;
    return false;
}

static bool same_costs(const struct view *yours, const struct prices *p, const char *divided,
                       struct finding *f, const char *part)
{
    const struct timeline *t = yours->timeline;
    bool same = true, lost = lost_device(t);
    struct selection s = in_part(yours, part, ENGINE_BIT(ENGINE_KERNEL));
    for (uint32_t node = next_span(yours, s, 0); node != ANY && same;
         node = next_span(yours, s, node + 1)) {
        const char *kernel = timeline_string(t, t->spans[node].name);
        int64_t cost = declared_cost(yours, node);
        const struct price *price =
            t->spans[node].start != TIME_NEVER ? nearest_price(p, kernel, cost) : NULL;
        if (!price || cost == price->ns || (cost < 0 && lost)
            || is_in_list(divided, kernel))
            continue;
        same = false;
        f->call = t->spans[node].call;
        f->sure = true;
        expected(f, "each block of %s() takes as long as in the reference solution: %lld ns",
                 kernel, (long long)price->ns);
        if (cost < 0)
            seen(f, "the kernel calls no kernel_cost()");
        else
            seen(f, "%lld ns", (long long)cost);
        why(f,
            "What the lesson's kernels cost is part of the task. Where a launch says how long its blocks take, pass on the time that the "
            "function was given.");
    }
    return same;
}

bool costs_as_reference(const struct evidence *e, const char *divided, struct finding *f,
                        const char *part)
{
    bool same = true;
    for (size_t i = 0; i < e->views && e->reference && same; i++) {
        struct prices p = prices_of(&e->reference[i], part);
        same = same_costs(&e->yours[i], &p, divided, f, part);
        f->view = same ? f->view : i;
        memory_resize(p.list, 0);
    }
    return same;
}
