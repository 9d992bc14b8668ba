/* SPDX-License-Identifier: MIT */
/* What the parts share: what begins when, what it takes, and what a hazard is about. */
#include "judges.h"

#include <stdlib.h>
#include <string.h>

/* When the last block of kernel `node` lets the next one begin, from its beginning: -1 if it never
 * says so. */
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
    { "layer", "load apply" }, { "sense", "collect" }, { "mix", "tune weigh blend" },
    { "settle", "tune recall mark finish" },
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

/* What is queued between two kernels in the stream of the second, and is no kernel; ANY for
 * nothing. */
static uint32_t stands_between(const struct view *v, uint32_t one, uint32_t two)
{
    const struct span *spans = v->timeline->spans;
    for (uint32_t node = one + 1; node < two; node++)
        if (spans[node].device == spans[two].device && spans[node].stream == spans[two].stream
            && spans[node].engine != ENGINE_NONE && spans[node].engine != ENGINE_KERNEL
            && spans[node].engine != ENGINE_WAIT)
            return node;
    return ANY;
}

/* A wait for an event that is queued between two kernels in the stream of the second; ANY for none.
 */
static uint32_t waits_between(const struct view *v, uint32_t one, uint32_t two)
{
    const struct span *spans = v->timeline->spans;
    for (size_t i = spans[one].call; i < spans[two].call; i++)
        if (v->timeline->calls[i].kind == CALL_STREAM_WAIT
            && v->timeline->calls[i].stream == spans[two].stream)
            return (uint32_t)i;
    return ANY;
}

bool begins_beneath(const struct view *v, struct finding *f, uint32_t one, uint32_t two)
{
    const struct span *first = &v->timeline->spans[one], *then = &v->timeline->spans[two];
    const char *name = timeline_string(v->timeline, first->name);
    if (then->start < first->end)
        return true;
    f->call = then->call;
    seen(f, "%s() began when the one before it had ended",
         timeline_string(v->timeline, then->name));
    if (!is_dependent(v, two)) {
        seen(f,
             "%s() was launched like any other kernel, and began when the one before it had ended",
             timeline_string(v->timeline, then->name));
        const char *reason = timeline_string(v->timeline, v->timeline->calls[f->call].message);
        if (reason[0] != '\0')
            return why(f,
                       "An ordinary launch waits until the kernel before it has ended, and this one is ordinary: %s. It needs "
                       "cudaLaunchAttributeProgrammaticStreamSerialization with programmaticStreamSerializationAllowed = 1, and numAttrs = 1.",
                       reason);
        return why(f,
                   "An ordinary launch waits until the kernel before it has ended. <<<...>>> and cudaGraphAddKernelNode() make only "
                   "ordinary launches, and so does cudaLaunchKernelEx() where numAttrs is 0, the attribute is another one, or its value is 0. Give the launch "
                   "cudaLaunchAttributeProgrammaticStreamSerialization with programmaticStreamSerializationAllowed = 1, and numAttrs = 1.");
    }
    uint32_t other = stands_between(v, one, two);
    if (other != ANY) {
        f->call = v->timeline->spans[other].call;
        return why(f,
                   "The launch may begin early, but %s() is queued between %s() and this launch. The attribute concerns only what is just ahead "
                   "in the stream, and only if that is a kernel. Queue nothing between the two.",
                   timeline_string(v->timeline, v->timeline->spans[other].name), name);
    }
    if (first->stream != then->stream)
        return why(f,
                   "The launch may begin early, but the kernel before it, %s(), is in another stream, and the attribute concerns only what is just ahead "
                   "in the same stream. An event of the other stream has come when the kernel before it has ended, whenever that triggers. Launch the kernels "
                   "in one stream.",
                   name);
    uint32_t wait = waits_between(v, one, two);
    if (wait != ANY) {
        f->call = wait;
        return why(f,
                   "The launch may begin early, but this wait is queued between %s() and the launch. An event that is recorded after %s() "
                   "has come when that kernel has ended, whenever it triggers. A stream keeps the order of its kernels without events.",
                   name, name);
    }
    if (rest_of(v, two) == two)
        return why(f,
                   "The launch may begin early, but what is right ahead of it in its stream is not a kernel, or it waits for more than one. The "
                   "attribute does not reach past anything: what stands between %s() and this launch?",
                   name);
    int64_t at = trigger_of(v, one);
    blame_in(f, name, "cudaTriggerProgrammaticLaunchCompletion");
    if (at < 0)
        return why(f,
                   "The launch may begin early, but %s(), the kernel before it, does not say that it may, or not in all of its blocks. "
                   "So it begins when that kernel has ended. Each block has to call cudaTriggerProgrammaticLaunchCompletion().",
                   name);
    return why(f,
               "The kernel before it, %s(), says so only when it has done its work, %lld us after its beginning. A trigger orders no memory, "
               "so it need not come after anything. Put it first.",
               name, (long long)at / 1000);
}

/* A kernel that leaves out a piece is fast, too, and so is one that calls a piece twice where the
 * kernel ahead hides that. How the pieces' times add up may differ by where its threads wait. */
static bool has_its_pieces(const struct view *v, const struct view *r, struct finding *f,
                           const char *part)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)),
                     theirs = in_part(r, part, ENGINE_BIT(ENGINE_KERNEL));
    EACH_SPAN(node, v, s) {
        const char *name = timeline_string(v->timeline, v->timeline->spans[node].name);
        int64_t wanted = declared_cost(r, next_kernel(r, theirs, name, 0)),
                cost = declared_cost(v, node);
        if (wanted < 0 || (cost * 1000 >= wanted * 950 && cost * 1000 <= wanted * 1050))
            continue;
        blame_pieces(f, name);
        f->call = v->timeline->spans[node].call;
        f->sure = true;
        expected(f, "a block of %s() is busy for %lld ns: the time of its pieces", name,
                 (long long)wanted);
        seen(f, "%lld ns", (long long)(cost < 0 ? 0 : cost));
        return why(f,
                   "How long the pieces of lesson.h take is part of the task. Each thread calls each piece of its kernel once. %s",
                   cost > wanted
                       ? "Is one called twice, or one of another kernel, or is there other work?"
                       : "Is one left out, or called by other threads alone?");
    }
    return true;
}

void blame_short(const struct evidence *e, struct finding *f, const char *part)
{
    struct finding found = { .call = ANY };
    if (!e->reference || has_its_pieces(&e->yours[0], &e->reference[0], &found, part))
        return;
    const struct view *v = &e->yours[0];
    for (uint32_t node = 0; node < v->timeline->span_count; node++)
        if (v->timeline->spans[node].call == found.call)
            blame_pieces(f, timeline_string(v->timeline, v->timeline->spans[node].name));
}

bool as_fast(const struct evidence *e, struct finding *f, const char *part, int permille,
             const char *what, size_t *view)
{
    for (size_t i = 0; i < e->views; i++) {
        f->view = *view = i;
        if (!has_its_pieces(&e->yours[i], &e->reference[i], f, part))
            return false;
        int64_t mine = part_makespan(&e->yours[i], part),
                best = part_makespan(&e->reference[i], part);
        if (mine * 1000 <= best * permille)
            continue;
        expected(f, "%s at most %d.%02d times as long as in the reference solution: %lld us", what,
                 permille / 1000, permille % 1000 / 10, (long long)(best * permille / 1000000));
        seen(f, "%lld us", (long long)mine / 1000);
        return false;
    }
    f->view = 0;
    return true;
}

bool only_queued(const struct evidence *e, struct finding *f, const char *part,
                 const char *function)
{
    const struct view *v = &e->yours[0];
    uint32_t call = first_standstill(v, in_part(v, part, 0));
    if (call == ANY)
        return true;
    f->call = call;
    expected(f, "%s() queues everything and returns: the host never waits", function);
    seen(f, "the host is held up here, or polls");
    return why(f,
               "The stream orders the kernels, and what its caller queues comes after them, dependent launches or not. While the host waits, "
               "nothing is queued that could begin early.");
}

struct selection run_of(const struct view *v, const char *part, int64_t k)
{
    return label_calls(v, in_part(v, part, ENGINE_BIT(ENGINE_KERNEL)), RUN, k);
}

/* Does the host call the runtime here? What belongs to a graph's launch is one call. */
static bool is_call(const struct call *c)
{
    return c->kind >= CALL_LAUNCH && c->kind <= CALL_OTHER && c->kind != CALL_HOST_WORK
           && c->kind != CALL_GRAPH_EDGE && c->kind != CALL_GRAPH_EMPTY && c->kind != CALL_GRAPH_END
           && !(c->flags & GRAPH_NODE);
}

bool few_calls(const struct evidence *e, struct finding *f, const char *part, int64_t runs,
               const char *function, const char *reason)
{
    const struct view *v = &e->yours[0];
    for (int64_t k = 0; k < runs; k++) {
        struct selection run = run_of(v, part, k);
        size_t calls = 0;
        uint32_t wait = first_standstill(v, run);
        for (size_t i = run.first_call; i < run.end_call && calls <= 2; i++)
            if (is_call(&v->timeline->calls[i]) && ++calls > 2)
                f->call = (uint32_t)i;
        if (calls <= 2 && wait == ANY)
            continue;
        f->call = wait != ANY ? wait : f->call;
        expected(f, "%s() queues a run with two calls at most, and does not wait", function);
        seen(f,
             wait != ANY ? "in run %lld the host is held up here, or polls"
                         : "run %lld has more: this is the third",
             (long long)k);
        if (wait != ANY && calls <= 2)
            return why(f,
                       "The stream orders what its caller queues after the run, so the host need not wait for it. %s() is one cudaGraphLaunch().",
                       function);
        return why(f, "%s", reason);
    }
    f->call = ANY;
    return true;
}

bool has_all_threads(const struct view *v, struct finding *f, struct selection s,
                     const char *kernel, int64_t n)
{
    long long blocks = (n + BLOCK - 1) / BLOCK;
    EACH_KERNEL(node, v, s, kernel) {
        if (!has_threads_for(v, f, node, (uint64_t)n)) {
            expected(f, "%s() has a thread for each of %lld elements: %lld blocks of %d", kernel,
                     (long long)n, blocks, BLOCK);
            return seen(f, "%u %s of %u", v->timeline->spans[node].blocks,
                        v->timeline->spans[node].blocks == 1 ? "block" : "blocks",
                        call_of_node(v, node)->block[0]);
        }
        if (v->timeline->spans[node].blocks <= blocks)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "%s() has BLOCKS(n) blocks: %lld for %lld elements", kernel, blocks,
                 (long long)n);
        seen(f, "%u", v->timeline->spans[node].blocks);
        return why(f,
                   "A grid is counted in blocks, not in threads. Extra blocks find no element, but take places on the device all the same.");
    }
    return true;
}

bool has_launches(const struct view *v, struct finding *f, const char *part, const char *kernel,
                  int64_t count, int64_t n, const char *function)
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

/* ---- hazards ---- */

/* The driver's memory of a part, in the order in which it is made, and the pieces that touch it, by
 * kernel. */
static const struct { const char *part, *memory; const char *touched[4]; } touches[] = {
    { "a", "weights", { "load" } }, { "a", "x", { "apply" } },
    { "b", "table", { NULL, NULL, "tune", "tune" } },
    { "b", "seen", { NULL, "collect", "blend", "mark" } },
    { "b", "in", { NULL, "collect", "weigh", "mark" } },
    { "b", "a", { NULL, "collect", "blend", "recall" } },
    { "b", "b", { NULL, NULL, "blend", "finish" } }, { "b", "out", { NULL, NULL, NULL, "finish" } },
    { "c", "weights", { "load" } }, { "c", "x", { "apply" } },
};
enum { TOUCHES = sizeof touches / sizeof *touches };

/* The row of that table which is about memory at `at` of the part, and where that memory begins;
 * TOUCHES: none. */
static size_t memory_at(const struct timeline *t, size_t first_call, const char *part, uint64_t at,
                        uint64_t *begin)
{
    size_t row = TOUCHES, rows = 0;
    for (size_t i = TOUCHES; i-- > 0;)
        if (strcmp(touches[i].part, part) == 0)
            row = i, rows = rows == 0 ? i + 1 : rows;
    for (size_t i = first_call; i-- > 0 && t->calls[i].kind != CALL_PART;)
        first_call = i;
    for (size_t i = first_call; i < t->call_count && row < rows && t->calls[i].kind != CALL_PART;
         i++)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].dst_kind == MEM_DEVICE
            && is_in_driver(t, &t->calls[i]) && at - t->calls[i].dst < t->calls[i].bytes) {
            *begin = t->calls[i].dst;
            return row;
        } else
            row += t->calls[i].kind == CALL_MALLOC && t->calls[i].dst_kind == MEM_DEVICE
                   && is_in_driver(t, &t->calls[i]);
    return TOUCHES;
}

const char *memory_name(const struct view *v, const char *part, uint64_t at, uint64_t *begin)
{
    size_t row = memory_at(v->timeline, in_part(v, part, 0).first_call, part, at, begin);
    return row < TOUCHES ? touches[row].memory : NULL;
}

/* Does audit() meet a layer in another row than the one that it is to read? Then it has the wrong
 * number, and no wait would help. */
static bool says_other_row(const struct evidence *e, const struct view *v, const char *part,
                           struct finding *f)
{
    const struct timeline *t = v->timeline;
    const struct settings *s = settings_of(e);
    struct selection whole = in_part(v, part, 0);
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *h = &t->calls[i];
        if (h->kind != CALL_HAZARD || h->node >= t->span_count || h->src >= t->span_count
            || t->spans[h->node].call < whole.first_call
            || t->spans[h->node].call >= whole.end_call)
            continue;
        bool second = strcmp(timeline_string(t, t->spans[h->node].name), "audit") == 0;
        uint32_t audit = second ? h->node : (uint32_t)h->src;
        uint64_t begin = 0;
        const char *name = memory_name(v, part, h->dst, &begin);
        int64_t row = name ? (int64_t)((h->dst - begin) / sizeof(uint32_t)) / s->n : 0;
        if (strcmp(timeline_string(t, t->spans[audit].name), "audit") != 0 || !name
            || strcmp(name, "x") != 0 || row == s->tap + 1)
            continue;
        f->call = t->spans[audit].call;
        why(f,
            "audit() touches row %lld of `x` here, which layer %lld makes, and nothing orders the two. audit(*net, tap, tally) is for the "
            "row that layer `tap` makes: here tap is %lld, and the row %lld.",
            (long long)row, (long long)row - 1, (long long)s->tap, (long long)s->tap + 1);
        return true;
    }
    return false;
}

/* A kernel that touches something too early is at fault, and not the line that launches it, which
 * launches all: the piece that touches those bytes is where it has not waited. */
void explain_hazard(const struct evidence *e, const struct check *c, struct finding *f)
{
    const struct view *v = &e->yours[f->view];
    const struct timeline *t = v->timeline;
    if (c->kind == HAZARD && strcmp(c->part, "c") == 0 && says_other_row(e, v, c->part, f))
        return;
    if (c->kind != HAZARD || f->call >= t->call_count
        || !(t->calls[f->call].flags & LAUNCH_DEPENDENT))
        return;
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *h = &t->calls[i];
        if (h->kind != CALL_HAZARD || h->node >= t->span_count || t->spans[h->node].call != f->call)
            continue;
        const char *kernel = timeline_string(t, t->spans[h->node].name);
        uint64_t begin;
        size_t row = memory_at(t, in_part(v, c->part, 0).first_call, c->part, h->dst, &begin),
               k = 0;
        while (k < MADE_OF && strcmp(kernel, made_of[k].name) != 0)
            k++;
        if (k < MADE_OF && row < TOUCHES && touches[row].touched[k]) {
            char was[sizeof f->why];
            memcpy(was, f->why, sizeof was);
            why(f, "Those bytes are `%s`, which %s() touches in %s(). %.800s", touches[row].memory,
                touches[row].touched[k], kernel, was);
            blame_in(f, kernel, touches[row].touched[k]);
        }
        if (strcmp(kernel, "audit") == 0)       /* lesson.h's: no learner can let it wait */
            why(f,
                "audit() was launched with the attribute, and begins before what is ahead of it has ended. It calls no "
                "cudaGridDependencySynchronize(), and is not yours to change: launch it without the attribute, with <<<...>>>.");
        return;
    }
}

bool nothing_else_runs(const struct view *v, struct finding *f, const char *part, size_t kernels,
                       const char *function)
{
    struct selection whole = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    size_t count = 0;
    EACH_SPAN(node, v, whole)
        count++;
    if (count <= kernels)
        return true;
    f->call = v->timeline->spans[next_span(v, whole, 0)].call;
    expected(f, "nothing runs but the runs that are asked for");
    seen(f, "there are more kernels than those");
    return why(f,
               "A capture runs nothing. Is there a launch outside of it, or a launch of the graph in %s()?",
               function);
}
