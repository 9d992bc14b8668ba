/* SPDX-License-Identifier: MIT */
/* (b): what may move. */
#include "judges.h"

#include <stdlib.h>
#include <string.h>

static const char *const kernels[] = { "sense", "mix", "settle" };

bool judge_steps(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int i = 0; i < 3; i++)
        if (!has_launches(v, f, part, kernels[i], settings_of(e)->steps, settings_of(e)->step_n,
                          "all_steps"))
            return false;
    return true;
}

bool judge_step_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    uint32_t one = next_span(v, s, 0), two;
    for (; one != ANY && (two = next_span(v, s, one + 1)) != ANY; one = two) {
        if (is_after(v, one, two))
            continue;
        f->call = v->timeline->spans[two].call;
        struct node_name before = node_name(v, one), after = node_name(v, two);
        expected(f,
                 "copy, three kernels, copy: each comes after what is ahead of it, in an order that is guaranteed");
        seen(f, "nothing makes %s wait for %s", after.text, before.text);
        return why_unordered(v, f, one, before.text, two, after.text,
                             "All of it belongs in the caller's stream. A copy or an event that is "
                             "queued after a dependent launch waits for all of that kernel, and of those before it.");
    }
    return true;
}

bool judge_steps_queue(const struct evidence *e, struct finding *f, const char *part)
{
    return only_queued(e, f, part, "all_steps");
}

static const struct call *next_call(const struct view *v, struct selection s, const char *name,
                                    uint32_t *node)
{
    *node = next_kernel(v, s, name, 0);
    return *node == ANY ? NULL : call_of_node(v, *node);
}

/* Where the first step is as it should be: blames the first later one in which a kernel does not
 * begin early. */
static bool why_later(const struct view *v, struct finding *f, struct selection s)
{
    for (int i = 1; i < 3; i++) {
        uint32_t one = next_kernel(v, s, kernels[i - 1], 0), two = next_kernel(v, s, kernels[i], 0);
        for (int64_t step = 0; one != ANY && two != ANY; step++) {
            struct finding found = { .call = ANY };
            if (!begins_beneath(v, &found, one, two)) {
                f->call = found.call;
                f->function = found.function;
                f->word = found.word;
                return !why(f, "In step %lld %s() begins only when %s() has ended. %s",
                            (long long)step, kernels[i], kernels[i - 1], found.why);
            }
            one = next_kernel(v, s, kernels[i - 1], one + 1);
            two = next_kernel(v, s, kernels[i], two + 1);
        }
    }
    return false;
}

bool judge_step_pace(const struct evidence *e, struct finding *f, const char *part)
{
    size_t view = 0;
    if (as_fast(e, f, part, 1050, "all steps together take", &view))
        return true;
    const struct view *v = &e->yours[view], *r = &e->reference[view];
    if (f->sure)
        return false;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)),
                     theirs = in_part(r, part, ENGINE_BIT(ENGINE_KERNEL));
    for (int i = 1; i < 3; i++) {
        uint32_t one, two, their_one, their_two;
        if (!next_call(v, s, kernels[i - 1], &one) || !next_call(v, s, kernels[i], &two)
            || !next_call(r, theirs, kernels[i - 1], &their_one)
            || !next_call(r, theirs, kernels[i], &their_two))
            continue;
        struct finding found = { .call = ANY };
        if (!begins_beneath(v, &found, one, two)) {
            f->call = found.call;
            f->function = found.function;
            f->word = found.word;
            return why(f, "%s() begins only when %s() has ended. %s", kernels[i], kernels[i - 1],
                       found.why);
        }
        int64_t late = v->timeline->spans[two].start - v->timeline->spans[one].start;
        int64_t best = r->timeline->spans[their_two].start - r->timeline->spans[their_one].start;
        int64_t rest = v->timeline->spans[two].end - v->timeline->spans[one].end;
        int64_t least = r->timeline->spans[their_two].end - r->timeline->spans[their_one].end;
        if (rest <= least + 1000)
            continue;
        if (late > best + 1000)
            blame_in(f, kernels[i - 1], "cudaTriggerProgrammaticLaunchCompletion");
        else
            blame_in(f, kernels[i], "cudaGridDependencySynchronize");
        if (late > best + 1000)
            return why(f,
                       "%s() begins %lld us after %s(), too late for all the pieces that may run early. Let %s() trigger at once: a trigger "
                       "orders no memory, and need not come after anything.",
                       kernels[i], (long long)late / 1000, kernels[i - 1], kernels[i - 1]);
        return why(f,
                   "%s() begins early, but has %lld us of work left when %s() has ended, and %lld would do. Which of its pieces touch nothing that "
                   "sense(), mix() or settle() write? What a copy wrote before sense() began is there for all three.",
                   kernels[i], (long long)rest / 1000, kernels[i - 1], (long long)least / 1000);
    }
    if (why_later(v, f, s))
        return false;
    f->call = ANY;
    f->function = "all_steps";
    return why(
        f, "What stands between the copies and kernels of a step? The stream needs nothing else.");
}

/* The driver's pinned memory of the part, the last but `back`; 0: there is none. */
static uint64_t pinned_before(const struct view *v, const char *part, int back)
{
    const struct timeline *t = v->timeline;
    for (size_t i = in_part(v, part, 0).first_call; i-- > 0 && t->calls[i].kind != CALL_PART;)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].dst_kind == MEM_PINNED
            && is_in_driver(t, &t->calls[i]) && back-- == 0)
            return t->calls[i].dst;
    return 0;
}

/* The result is wrong: blames the first copy that is between other places than those of its step,
 * where each step has one each way. */
static void blame_copy(const struct evidence *e, struct finding *f, const char *part)
{
    static const enum engine way[] = { ENGINE_H2D, ENGINE_D2H };
    const struct view *v = &e->yours[0];
    const struct settings *s = settings_of(e);
    for (int home = 0; home < 2; home++) {
        struct selection copies = in_part(v, part, ENGINE_BIT(way[home]));
        uint64_t begin = 0, host = pinned_before(v, part, home ? 0 : 1),
                 bytes = (uint64_t)s->step_n * sizeof(uint32_t);
        int64_t count = 0, k = 0;
        EACH_SPAN(node, v, copies)
            count++;
        if (count != s->steps || host == 0)
            continue;
        EACH_SPAN(node, v, copies) {
            const struct call *c = call_of_node(v, node);
            const char *name = memory_name(v, part, home ? c->src : c->dst, &begin),
                       *meant = home ? "out" : "in";
            uint64_t at = home ? c->dst : c->src, wanted = host + (uint64_t)k++ * bytes;
            bool other = !name || strcmp(name, meant) != 0;
            if (!other && at == wanted)
                continue;
            f->call = v->timeline->spans[node].call;
            if (other)
                why(f, "Step %lld's copy %s `%s`, and it has to %s `%s`.", (long long)k - 1,
                    home ? "home reads" : "in writes to", name ? name : "other memory",
                    home ? "read" : "write to", meant);
            else
                why(f,
                    "Step %lld's copy %s is of the right memory on the device, and of the wrong place at the host: the step's elements "
                    "begin at %s + %lld * n.",
                    (long long)k - 1, home ? "home" : "in", home ? "to" : "from",
                    (long long)k - 1);
            return;
        }
    }
}

bool judge_outs(const struct evidence *e, struct finding *f, const char *part)
{
    const struct settings *s = settings_of(e);
    size_t bytes;
    const uint32_t *table = exchange_input(e->exchange, IN_TABLE, &bytes),
                   *at_first = exchange_input(e->exchange, IN_SEEN, NULL);
    const uint32_t *in = exchange_input(e->exchange, IN_STEPS, NULL),
                   *got = exchange_output(e->exchange, OUT_STEPS, NULL);
    uint32_t *seen_now = malloc(bytes), *a = malloc(bytes), *b = malloc(bytes);
    if (!seen_now || !a || !b)
        abort();
    memcpy(seen_now, at_first, bytes);
    int64_t n = s->step_n;
    bool good = true;
    for (int64_t k = 0; k < s->steps && good; k++, in += n, got += n) {
        for (int64_t i = 0; i < n; i++)
            a[i] = 3 * in[i] + seen_now[(i + 1) % n];
        for (int64_t i = 0; i < n; i++)
            b[i] = (2654435761u * table[i] + 1) * a[(i + 1) % n] + (in[i] ^ in[(i + 1) % n])
                   + seen_now[i];
        for (int64_t i = 0; i < n && good; i++) {
            uint32_t out = (2654435761u * table[i] + 1) * b[(i + 1) % n] + a[i] + a[n - 1 - i];
            if (got[i] == out)
                continue;
            good = false;
            f->function = "all_steps";
            expected(f, "element %lld of what step %lld brings is %u", (long long)i, (long long)k,
                     out);
            seen(f, "it is %u", got[i]);
            why(f,
                "Does each kernel have all of its pieces, once each, and last the one that reads what the others put into *own: blend(), "
                "finish()? Does step k copy from + k * n in, and `out` to to + k * n?");
            blame_copy(e, f, part);
            blame_short(e, f, part);
        }
        for (int64_t i = 0; i < n; i++)
            seen_now[i] = 5 * seen_now[i] + in[i];
    }
    free(seen_now);
    free(a);
    free(b);
    return good;
}
