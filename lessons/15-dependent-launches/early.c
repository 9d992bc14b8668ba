/* SPDX-License-Identifier: MIT */
/* (a), (b): what begins when, and in what order. */
#include "judges.h"

#include <stdlib.h>
#include <string.h>

/* ---- both ---- */

/* When the last block of kernel `node` lets the next one begin, from its beginning: -1 if it never says so. */
static int64_t trigger_of(const struct view *v, uint32_t node)
{
    const struct timeline *t = v->timeline;
    int64_t spent = 0;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_COST || c->node != node)
            continue;
        if (c->cost >= 0)
            spent += c->cost;
        if (c->flags & COST_TRIGGERS)
            return spent;
    }
    return -1;
}

/* The learner's kernels, and the pieces that each has. */
static const struct { const char *name, *pieces; } made_of[] = {
    { "layer", "load apply" }, { "sense", "collect" }, { "mix", "tune weigh blend" }, { "settle", "tune recall mark finish" },
};
enum { MADE_OF = sizeof made_of / sizeof *made_of };

void blame_in(struct finding *f, const char *kernel, const char *word)
{
    for (size_t i = 0; i < MADE_OF; i++)
        if (strcmp(kernel, made_of[i].name) == 0) {
            f->call = ANY;
            f->function = made_of[i].name;
            f->word = word;
        }
}

/* A kernel has other pieces than it should. */
static void blame_pieces(struct finding *f, const char *kernel)
{
    blame_in(f, kernel, NULL);
    for (size_t i = 0; i < MADE_OF; i++)
        f->pieces = strcmp(kernel, made_of[i].name) == 0 ? made_of[i].pieces : f->pieces;
}

uint32_t copied_before(const struct view *v, const char *part)
{
    const struct timeline *t = v->timeline;
    for (size_t i = in_part(v, part, 0).first_call; i > 0; i--)
        if (t->calls[i - 1].kind == CALL_COPY)
            return t->calls[i - 1].node;
    return ANY;
}

uint32_t copied_after(const struct view *v, const char *part)
{
    const struct timeline *t = v->timeline;
    for (size_t i = in_part(v, part, 0).end_call; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_COPY)
            return t->calls[i].node;
    return ANY;
}

/* What is queued between two kernels in the stream of the second, and is no kernel; ANY for nothing. */
static uint32_t stands_between(const struct view *v, uint32_t one, uint32_t two)
{
    const struct span *spans = v->timeline->spans;
    for (uint32_t node = one + 1; node < two; node++)
        if (spans[node].device == spans[two].device && spans[node].stream == spans[two].stream && spans[node].engine != ENGINE_NONE
            && spans[node].engine != ENGINE_KERNEL && spans[node].engine != ENGINE_WAIT)
            return node;
    return ANY;
}

bool begins_beneath(const struct view *v, struct finding *f, uint32_t one, uint32_t two)
{
    const struct span *first = &v->timeline->spans[one], *then = &v->timeline->spans[two];
    const char *name = timeline_string(v->timeline, first->name);
    if (then->start < first->end)
        return true;
    f->call = then->call;
    seen(f, "%s() began when the one before it had ended", timeline_string(v->timeline, then->name));
    if (!is_dependent(v, two)) {
        seen(f, "%s() was launched like any other kernel, and began when the one before it had ended", timeline_string(v->timeline, then->name));
        return why(f, "An ordinary launch waits until the kernel before it has ended. Say that it may begin early: an attribute of the "
                   "launch, programmatic stream serialization, whose value allows it. <<<...>>> takes no attributes.");
    }
    uint32_t other = stands_between(v, one, two);
    if (other != ANY) {
        f->call = v->timeline->spans[other].call;
        return why(f, "The launch may begin early, but %s() is queued between %s() and this launch. The attribute concerns only what is just ahead "
                   "in the stream, and only if that is a kernel. Queue nothing between the two.",
                   timeline_string(v->timeline, v->timeline->spans[other].name), name);
    }
    if (rest_of(v, two) == two)
        return why(f, "The launch may begin early, but what is right ahead of it in its stream is no kernel, or it waits for more than one. The attribute "
                   "reaches over nothing: what stands between %s() and this launch?", name);
    int64_t at = trigger_of(v, one);
    blame_in(f, name, "cudaTriggerProgrammaticLaunchCompletion");
    if (at < 0)
        return why(f, "The launch may begin early, but %s(), the kernel before it, does not say that it may, or not in all of its blocks. "
                   "So it begins when that kernel has ended. Each block has to call cudaTriggerProgrammaticLaunchCompletion().", name);
    return why(f, "The kernel before it, %s(), says so only when it has done its work, %lld us after its beginning. A trigger orders no memory, "
               "so it need not come after anything. Put it first.", name, (long long)at / 1000);
}

/* A kernel that leaves out a piece is fast, too. How the pieces' times add up may differ by where its threads wait. */
static bool costs_enough(const struct view *v, const struct view *r, struct finding *f, const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), theirs = in_part(r, part, ENGINE_BIT(ENGINE_KERNEL));
    for (uint32_t node = next_span(v, s, 0); node != ANY; node = next_span(v, s, node + 1)) {
        const char *name = timeline_string(v->timeline, v->timeline->spans[node].name);
        int64_t wanted = declared_cost(r, next_kernel(r, theirs, name, 0)), cost = declared_cost(v, node);
        if (wanted < 0 || cost * 1000 >= wanted * 950)
            continue;
        blame_pieces(f, name);
        f->call = v->timeline->spans[node].call;
        f->sure = true;
        expected(f, "a block of %s() is busy for %lld ns: the time of its pieces", name, (long long)wanted);
        seen(f, "%lld ns", (long long)(cost < 0 ? 0 : cost));
        return why(f, "What the pieces of lesson.h take is part of the task. Each thread calls each of them once.");
    }
    return true;
}

/* The result is wrong: blames a kernel that leaves out a piece, if one does. */
static void blame_short(const struct evidence *e, struct finding *f, const char *part)
{
    struct finding found = { .call = ANY };
    if (!e->reference || costs_enough(&e->yours[0], &e->reference[0], &found, part))
        return;
    const struct view *v = &e->yours[0];
    for (uint32_t node = 0; node < v->timeline->span_count; node++)
        if (v->timeline->spans[node].call == found.call)
            blame_pieces(f, timeline_string(v->timeline, v->timeline->spans[node].name));
}

/* Is a block of one of these kernels busy for longer than all of its pieces take? Blames the kernel, and says why. */
static bool costs_more(const struct view *v, const struct view *r, struct finding *f, const char *part, const char *const *names, size_t count)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), theirs = in_part(r, part, ENGINE_BIT(ENGINE_KERNEL));
    for (size_t i = 0; i < count; i++) {
        int64_t wanted = declared_cost(r, next_kernel(r, theirs, names[i], 0)), cost = declared_cost(v, next_kernel(v, s, names[i], 0));
        if (wanted < 0 || cost * 1000 <= wanted * 1050)
            continue;
        blame_pieces(f, names[i]);
        f->sure = true;
        why(f, "A block of %s() is busy for %lld ns, and its pieces take %lld: does each thread call each of them once?", names[i],
            (long long)cost, (long long)wanted);
        return true;
    }
    return false;
}

bool as_fast(const struct evidence *e, struct finding *f, const char *part, int permille, const char *what, size_t *view)
{
    for (size_t i = 0; i < e->views; i++) {
        f->view = *view = i;
        if (!costs_enough(&e->yours[i], &e->reference[i], f, part))
            return false;
        int64_t mine = part_makespan(&e->yours[i], part), best = part_makespan(&e->reference[i], part);
        if (mine * 1000 <= best * permille)
            continue;
        expected(f, "%s at most %d.%02d times as long as in the reference solution: %lld us", what, permille / 1000, permille % 1000 / 10,
                 (long long)(best * permille / 1000000));
        seen(f, "%lld us", (long long)mine / 1000);
        return false;
    }
    f->view = 0;
    return true;
}

bool only_queued(const struct evidence *e, struct finding *f, const char *part, const char *function)
{
    const struct view *v = &e->yours[0];
    uint32_t call = first_standstill(v, in_part(v, part, 0));
    if (call == ANY)
        return true;
    f->call = call;
    expected(f, "%s() queues everything and returns: the host never waits", function);
    seen(f, "the host is held up here, or polls");
    return why(f, "The stream orders the kernels, and what its caller queues comes after them, dependent launches or not. While the host waits, "
               "nothing is queued that could begin early.");
}

bool has_all_threads(const struct view *v, struct finding *f, struct selection s, const char *kernel, int64_t n)
{
    long long blocks = (n + BLOCK - 1) / BLOCK;
    for (uint32_t node = next_kernel(v, s, kernel, 0); node != ANY; node = next_kernel(v, s, kernel, node + 1)) {
        if (!has_threads_for(v, f, node, (uint64_t)n))
            return false;
        if (v->timeline->spans[node].blocks <= blocks)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "%s() has BLOCKS(n) blocks: %lld for %lld elements", kernel, blocks, (long long)n);
        seen(f, "%u", v->timeline->spans[node].blocks);
        return why(f, "A grid is counted in blocks, not in threads. Blocks that are too many find no element, but take their places on the device "
                   "all the same.");
    }
    return true;
}

/* Are there `count` kernels of that name, with a thread for each of n elements? */
static bool counts(const struct view *v, struct finding *f, const char *part, const char *kernel, int64_t count, int64_t n,
                   const char *function)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    size_t many;
    kernel_named(v, s, kernel, &many);
    if ((int64_t)many == count)
        return has_all_threads(v, f, s, kernel, n);
    expected(f, "%s() is launched %lld times", kernel, (long long)count);
    seen(f, "%zu times", many);
    blame_count(v, f, s, kernel, function);
    return why(f, "Each of them is one launch of %s(), with BLOCKS(n) blocks.", kernel);
}

/* ---- (a) ---- */

bool judge_layers(const struct evidence *e, struct finding *f, const char *part)
{
    return counts(&e->yours[0], f, part, "layer", settings_of(e)->layers, settings_of(e)->n, "forward");
}

bool judge_in_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    uint32_t one = next_span(v, s, 0), two = ANY;
    for (int64_t k = 1; one != ANY && (two = next_span(v, s, one + 1)) != ANY; one = two, k++) {
        if (is_after(v, one, two))
            continue;
        f->call = v->timeline->spans[two].call;
        expected(f, "each layer comes after the one before it, in an order that is guaranteed");
        seen(f, "nothing makes layer %lld wait for layer %lld", (long long)k, (long long)k - 1);
        return why_unordered(v, f, one, "the layer before", two, "this layer",
                             "All layers belong into one stream, the caller's. It orders them, and a dependent launch keeps that order from its "
                             "wait on.");
    }
    uint32_t row = copied_before(v, part), first = next_span(v, s, 0);
    if (row != ANY && first != ANY && !hb_before(v->order, row, first, GUARANTEED)) {
        f->call = v->timeline->spans[first].call;
        expected(f, "layer 0 comes after what the caller had queued in `stream`: a copy, which makes row 0");
        seen(f, "nothing makes layer 0 wait for that copy");
        return why(f, "The kernels are in another stream than the one that forward() is given, and that stream waits for nothing in the "
                   "caller's.");
    }
    uint32_t home = copied_after(v, part);
    if (home == ANY || one == ANY || hb_before(v->order, one, home, GUARANTEED))
        return true;
    f->call = v->timeline->spans[one].call;
    expected(f, "the last row is complete when the caller's stream has done what was queued in it");
    seen(f, "the caller's copy of it does not wait for the last layer");
    return why(f, "The kernels are in another stream than the one that forward() is given.");
}

bool judge_forward_queues(const struct evidence *e, struct finding *f, const char *part)
{
    return only_queued(e, f, part, "forward");
}

bool judge_beneath(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
        uint32_t one = next_span(v, s, 0), two;
        for (; one != ANY && (two = next_span(v, s, one + 1)) != ANY; one = two) {
            if (begins_beneath(v, f, one, two))
                continue;
            f->view = view;
            return expected(f, "a layer begins before the one ahead of it has ended");
        }
    }
    return true;
}

bool judge_chain_pace(const struct evidence *e, struct finding *f, const char *part)
{
    size_t view = 0;
    if (as_fast(e, f, part, 1060, "the chain takes", &view))
        return true;
    if (f->sure || costs_more(&e->yours[view], &e->reference[view], f, part, (const char *const[]){ "layer" }, 1))
        return false;
    blame_in(f, "layer", "cudaGridDependencySynchronize");
    return why(f, "Each layer begins early, but waits in cudaGridDependencySynchronize() before its load() is done, or it is allowed to begin too "
               "late for all of its load(). load() reads nothing that another layer writes: let it come before the wait, and the trigger "
               "before load().");
}

bool judge_last_row(const struct evidence *e, struct finding *f, const char *part)
{
    const struct settings *s = settings_of(e);
    size_t bytes;
    const uint32_t *in = exchange_input(e->exchange, IN_X, &bytes), *weights = exchange_input(e->exchange, IN_WEIGHTS, NULL);
    const uint32_t *got = exchange_output(e->exchange, part[0] == 'a' ? OUT_X : OUT_REPLAY, NULL);
    uint32_t *x = malloc(bytes), *next = malloc(bytes);
    if (!x || !next)
        abort();
    memcpy(x, in, bytes);
    int64_t i = 0, n = s->n;
    for (int64_t k = 0; k < s->layers; k++) {
        for (i = 0; i < n; i++)
            next[i] = weights[k * n + i] * x[i] + x[(i + 1) % n];
        memcpy(x, next, bytes);
    }
    for (i = 0; i < n && got[i] == x[i]; i++)
        ;
    if (i < n) {
        expected(f, "element %lld of the last row is %u", (long long)i, x[i]);
        seen(f, "it is %u", got[i]);
        f->function = part[0] == 'a' ? "layer" : "replay_open";
        why(f, "Layer k takes load(own, net, k) and apply(net, k, own), once each, for k from 0 to net->layers - 1.");
        blame_short(e, f, part);
    }
    free(x);
    free(next);
    return i == n;
}

/* ---- (b) ---- */

static const char *const kernels[] = { "sense", "mix", "settle" };

bool judge_steps(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    for (int i = 0; i < 3; i++)
        if (!counts(v, f, part, kernels[i], settings_of(e)->steps, settings_of(e)->step_n, "all_steps"))
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
        expected(f, "copy, three kernels, copy: each comes after what is ahead of it, in an order that is guaranteed");
        seen(f, "nothing makes %s wait for %s", after.text, before.text);
        return why_unordered(v, f, one, before.text, two, after.text, "All of it belongs into the caller's stream. A copy or an event that is "
                             "queued after a dependent launch waits for all of that kernel, and of those before it.");
    }
    return true;
}

bool judge_steps_queue(const struct evidence *e, struct finding *f, const char *part)
{
    return only_queued(e, f, part, "all_steps");
}

static const struct call *next_call(const struct view *v, struct selection s, const char *name, uint32_t *node)
{
    *node = next_kernel(v, s, name, 0);
    return *node == ANY ? NULL : call_of_node(v, *node);
}

bool judge_step_pace(const struct evidence *e, struct finding *f, const char *part)
{
    size_t view = 0;
    if (as_fast(e, f, part, 1050, "all steps together take", &view))
        return true;
    const struct view *v = &e->yours[view], *r = &e->reference[view];
    if (f->sure || costs_more(v, r, f, part, kernels, 3))
        return false;
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), theirs = in_part(r, part, ENGINE_BIT(ENGINE_KERNEL));
    for (int i = 1; i < 3; i++) {
        uint32_t one, two, their_one, their_two;
        if (!next_call(v, s, kernels[i - 1], &one) || !next_call(v, s, kernels[i], &two) || !next_call(r, theirs, kernels[i - 1], &their_one)
            || !next_call(r, theirs, kernels[i], &their_two))
            continue;
        struct finding found = { .call = ANY };
        if (!begins_beneath(v, &found, one, two)) {
            f->call = found.call;
            f->function = found.function;
            f->word = found.word;
            return why(f, "%s() begins only when %s() has ended. %s", kernels[i], kernels[i - 1], found.why);
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
            return why(f, "%s() begins %lld us after %s(), too late for all the pieces that may run early. Let %s() trigger at once: a trigger "
                       "orders no memory, and need not come after anything.", kernels[i], (long long)late / 1000, kernels[i - 1], kernels[i - 1]);
        return why(f, "%s() begins early, but has %lld us of work left when %s() has ended, and %lld would do. Which of its pieces touch nothing that "
                   "sense(), mix() or settle() write? What a copy wrote before sense() began is there for all three.", kernels[i],
                   (long long)rest / 1000, kernels[i - 1], (long long)least / 1000);
    }
    f->call = ANY;
    f->function = "all_steps";
    return why(f, "What stands between the copies and kernels of a step? The stream needs nothing else.");
}

bool judge_outs(const struct evidence *e, struct finding *f, const char *part)
{
    const struct settings *s = settings_of(e);
    size_t bytes;
    const uint32_t *table = exchange_input(e->exchange, IN_TABLE, &bytes), *at_first = exchange_input(e->exchange, IN_SEEN, NULL);
    const uint32_t *in = exchange_input(e->exchange, IN_STEPS, NULL), *got = exchange_output(e->exchange, OUT_STEPS, NULL);
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
            b[i] = (2654435761u * table[i] + 1) * a[(i + 1) % n] + (in[i] ^ in[(i + 1) % n]) + seen_now[i];
        for (int64_t i = 0; i < n && good; i++) {
            uint32_t out = (2654435761u * table[i] + 1) * b[(i + 1) % n] + a[i] + a[n - 1 - i];
            if (got[i] == out)
                continue;
            good = false;
            f->function = "all_steps";
            expected(f, "element %lld of what step %lld brings is %u", (long long)i, (long long)k, out);
            seen(f, "it is %u", got[i]);
            why(f, "Does each kernel have all of its pieces, once each, and does step k copy from + k * n in, and `out` to to + k * n?");
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

/* ---- hazards ---- */

/* The driver's memory of a part, in the order in which it is made, and the pieces that touch it, by kernel. */
static const struct { const char *part, *memory; const char *touched[4]; } touches[] = {
    { "a", "weights", { "load" } }, { "a", "x", { "apply" } },
    { "b", "table", { NULL, NULL, "tune", "tune" } }, { "b", "seen", { NULL, "collect", "blend", "mark" } },
    { "b", "in", { NULL, "collect", "weigh", "mark" } }, { "b", "a", { NULL, "collect", "blend", "recall" } },
    { "b", "b", { NULL, NULL, "blend", "finish" } }, { "b", "out", { NULL, NULL, NULL, "finish" } },
    { "c", "weights", { "load" } }, { "c", "x", { "apply" } },
};
enum { TOUCHES = sizeof touches / sizeof *touches };

/* The row of that table which is about memory at `at` of the part; TOUCHES: none. */
static size_t memory_at(const struct timeline *t, size_t first_call, const char *part, uint64_t at)
{
    size_t row = TOUCHES, rows = TOUCHES;
    for (size_t i = TOUCHES; i-- > 0;)
        if (strcmp(touches[i].part, part) == 0)
            row = i, rows = rows == TOUCHES ? i + 1 : rows;
    for (size_t i = first_call; i-- > 0 && t->calls[i].kind != CALL_PART;)
        first_call = i;
    for (size_t i = first_call; i < t->call_count && row < rows && t->calls[i].kind != CALL_PART; i++)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].dst_kind == MEM_DEVICE && is_in_driver(t, &t->calls[i])
            && at - t->calls[i].dst < t->calls[i].bytes)
            return row;
        else
            row += t->calls[i].kind == CALL_MALLOC && t->calls[i].dst_kind == MEM_DEVICE && is_in_driver(t, &t->calls[i]);
    return TOUCHES;
}

/* A kernel that touches something too early is at fault, and not the line that launches it, which launches all: the piece that
 * touches those bytes is where it has not waited. */
void explain_hazard(const struct evidence *e, const struct check *c, struct finding *f)
{
    const struct view *v = &e->yours[f->view];
    const struct timeline *t = v->timeline;
    if (c->kind != HAZARD || f->call >= t->call_count || !(t->calls[f->call].flags & LAUNCH_DEPENDENT))
        return;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *h = &t->calls[i];
        if (h->kind != CALL_HAZARD || h->node >= t->span_count || t->spans[h->node].call != f->call)
            continue;
        const char *kernel = timeline_string(t, t->spans[h->node].name);
        size_t row = memory_at(t, in_part(v, c->part, 0).first_call, c->part, h->dst), k = 0;
        while (k < MADE_OF && strcmp(kernel, made_of[k].name) != 0)
            k++;
        if (k < MADE_OF && row < TOUCHES && touches[row].touched[k]) {
            char was[sizeof f->why];
            memcpy(was, f->why, sizeof was);
            why(f, "Those bytes are `%s`, which %s() touches in %s(). %.800s", touches[row].memory, touches[row].touched[k], kernel, was);
            blame_in(f, kernel, touches[row].touched[k]);
        }
        return;
    }
}
