/* SPDX-License-Identifier: MIT */
/* Judges of part (b): A, then B and C at once, then D, and the host does not wait. */
#include "judges.h"

#define SHARE 900               /* of the reference's, in thousandths */

enum { A, B, C, D, STAGES };
static const char *const kernel_name[STAGES] = { "stage_a", "stage_b", "stage_c", "stage_d" };
static const char *const stage_name[STAGES] = { "A", "B", "C", "D" };

/* Spans; ANY for none. The copies are the caller's, in stream `one` before and after the part. */
struct scene { uint32_t stage[STAGES], before, after; size_t launches[STAGES]; };

static struct scene scene_of(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINES_DEVICE), copies = s;
    struct scene scene = { .before = ANY };
    for (int i = A; i < STAGES; i++)
        scene.stage[i] = kernel_named(v, s, kernel_name[i], &scene.launches[i]);
    copies = (struct selection){ ENGINE_BIT(ENGINE_H2D), ANY, ANY, 0, s.first_call };
    EACH_SPAN(node, v, copies)
        scene.before = node;
    copies =
        (struct selection){ ENGINE_BIT(ENGINE_D2H), ANY, ANY, s.end_call, v->timeline->call_count };
    scene.after = next_span(v, copies, 0);
    return scene;
}

bool diamond_work(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct scene s = scene_of(v, part);
    for (int i = A; i < STAGES; i++) {
        if (s.launches[i] == 1)
            continue;
        expected(f, "each of stage_a, stage_b, stage_c and stage_d is launched once");
        seen(f, "%s was launched %zu times", kernel_name[i], s.launches[i]);
        f->call = s.stage[i] == ANY ? ANY : v->timeline->spans[s.stage[i]].call;
        return why(
            f, s.launches[i] == 0
                   ? "A diamond has four corners. If you launch this one, was the launch refused? "
                     "CHECK(cudaGetLastError()) after it would tell."
                   : "Each stage is one piece of work: launch it once, over all n elements.");
    }
    return true;
}

/* Is `then` bound to wait for `first`? Says why not; `otherwise`, which may be NULL, where nothing
 * was tried. */
static bool bound(const struct view *v, struct finding *f, uint32_t first, const char *first_name,
                  uint32_t then, const char *then_name, const char *otherwise)
{
    if (first == ANY || then == ANY || hb_before(v->order, first, then, GUARANTEED))
        return true;
    seen(f, "nothing makes %s wait for %s", then_name, first_name);
    return otherwise ? why_unordered(v, f, first, first_name, then, then_name, "%s", otherwise)
                             : why_unordered(v, f, first, first_name, then, then_name, NULL);
}

/* Is the stage in a graph that is launched into another stream than the caller's copy is in? */
static bool graph_elsewhere(const struct view *v, struct finding *f, uint32_t stage,
                            const char *stage_is, uint32_t copy)
{
    const struct timeline *t = v->timeline;
    uint32_t launch = t->spans[stage].call;
    if (copy == ANY || !(t->calls[launch].flags & GRAPH_NODE)
        || t->spans[stage].stream == t->spans[copy].stream)
        return false;
    while (launch > 0 && t->calls[launch].kind != CALL_GRAPH_LAUNCH)
        launch--;
    f->call = launch;
    why(f,
        "%s is in a graph, and the graph is launched into another stream than `one`. Where it was captured does not count: the stream of "
        "its launch orders it. Launch it into `one`.",
        stage_is);
    return true;
}

bool diamond_fork(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct scene s = scene_of(v, part);
    expected(f, "A waits for what its caller has put into `one` before; B and C wait for A");
    f->call = v->timeline->spans[s.stage[A]].call;
    if (s.before != ANY && !hb_before(v->order, s.before, s.stage[A], GUARANTEED)
        && graph_elsewhere(v, f, s.stage[A], "A", s.before))
        return seen(f, "nothing makes A wait for the caller's copy");
    return bound(
               v, f, s.before, "the caller's copy", s.stage[A], "A",
               "A is not in `one` and does not wait for it, so A may read its input before the caller's copy has arrived. Launch A into "
               "`one`, or let its stream wait for an event that you record in `one` first.")
           && bound(v, f, s.stage[A], "A", s.stage[B], "B", NULL)
           && bound(v, f, s.stage[A], "A", s.stage[C], "C", NULL);
}

bool diamond_join(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct scene s = scene_of(v, part);
    expected(f, "D waits for B and for C; what its caller puts into `one` afterwards waits for D");
    f->call = v->timeline->spans[s.stage[D]].call;
    if (s.after != ANY && !hb_before(v->order, s.stage[D], s.after, GUARANTEED)
        && graph_elsewhere(v, f, s.stage[D], "D", s.after))
        return seen(f, "nothing makes the caller's next copy wait for D");
    return bound(v, f, s.stage[B], "B", s.stage[D], "D", NULL)
           && bound(v, f, s.stage[C], "C", s.stage[D], "D", NULL)
           && bound(
               v, f, s.stage[D], "D", s.after, "the caller's next copy",
               "D is not in `one`, and `one` does not wait for it. The caller's next work in `one` would read D's result too early. "
               "Launch D into `one`, or let `one` wait for an event recorded after D.");
}

bool diamond_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    uint32_t call = first_standstill(v, in_part(v, part, 0));
    if (call == ANY)
        return true;
    f->call = call;
    expected(f, "the function queues and returns: the host neither waits nor asks");
    bool asks = t->calls[call].kind == CALL_STREAM_QUERY || t->calls[call].kind == CALL_EVENT_QUERY;
    seen(f, "it %s %s", asks ? "asks with" : "stops in", timeline_string(t, t->calls[call].name));
    switch (t->calls[call].kind) {
    case CALL_STREAM_QUERY: case CALL_EVENT_QUERY:
        return why(f,
                   "One question orders nothing, and asking until the answer is yes is a wait. Let the streams wait for one another with cudaStreamWaitEvent(). "
                   "The host takes no part in it.");
    case CALL_HOST_WORK:
        return why(f,
                   "Elapsed time is no order: a sleep that is long enough here is too short elsewhere. Let the streams wait for one "
                   "another with cudaStreamWaitEvent().");
    default:
        return why(f,
                   "The order is right, but the host pays for it: it can neither queue what comes next nor do anything else. With "
                   "cudaStreamWaitEvent() a stream waits on the device, and the caller waits when it has to.");
    }
}

/* What A, B and C have read and written is still there afterwards. */
static bool stages_left(const struct evidence *e, struct finding *f)
{
    static const char *const name[] = { "in", "a", "b", "c" };
    const uint32_t *in = exchange_input(e->exchange, 2, NULL),
                   *out = exchange_output(e->exchange, 5, NULL);
    int64_t n = task_of(e)->b_n;
    for (int64_t i = 0; i < n; i++) {
        uint32_t a = 3u * in[i] + 1u, wanted[] = { in[i], a, 5u * a + 7u, a ^ (a >> 5) };
        for (int k = 0; k < 4; k++)
            if (out[k * n + i] != wanted[k]) {
                f->function = "diamond";
                f->word = name[k];
                expected(f, "element %lld of `%s` is %u afterwards", (long long)i, name[k],
                         wanted[k]);
                seen(f, "%u", out[k * n + i]);
                return why(f,
                           "All of x is the caller's, and `d` is right: something else writes to `%s`. Only the stage that is said to "
                           "write an array does.",
                           name[k]);
            }
    }
    return true;
}

static bool diamond_again(const struct evidence *e, struct finding *f)
{
    const struct task *task = task_of(e);
    const uint32_t *in = exchange_input(e->exchange, 2, NULL),
                   *out = exchange_output(e->exchange, 7, NULL);
    in += task->b_n - task->again_n;
    bool ran = part_ran(&e->yours[0], AGAIN "b");
    for (int64_t i = 0; ran && i < task->again_n; i++) {
        uint32_t a = 3u * in[i] + 1u, d = 9u * (5u * a + 7u) + (a ^ (a >> 5));
        if (out[i] != d) {
            f->function = "diamond";
            f->word = "static";
            expected(f, "called again with another x, element %lld of its `d` is %u", (long long)i,
                     d);
            seen(f, "%u", out[i]);
            return why(f, SECOND_CALL);
        }
    }
    return grids_again(&e->yours[0], f, AGAIN "b", task->again_n);
}

bool diamond_output(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct scene s = scene_of(v, part);
    const uint32_t *in = exchange_input(e->exchange, 2, NULL),
                   *out = exchange_output(e->exchange, 2, NULL);
    int64_t n = task_of(e)->b_n, wrong = 0, first = 0;
    for (int64_t i = n; i-- > 0;) {
        uint32_t a = 3u * in[i] + 1u, b = 5u * a + 7u, c = a ^ (a >> 5);
        if (out[i] != 9u * b + c) {
            wrong++;
            first = i;
        }
    }
    for (int stage = A; wrong == 0 && stage <= D; stage++)
        if (!fits_elements(v, f, s.stage[stage], (uint64_t)n, THREADS_OF_A_BLOCK))
            return false;
    if (wrong == 0)
        return stages_left(e, f) && diamond_again(e, f);
    f->call = v->timeline->spans[s.stage[D]].call;
    expected(f, "d holds what A, B, C and D make of `in`, in all %lld elements", (long long)n);
    seen(f, "%lld %s wrong, the first is element %lld", (long long)wrong, wrong == 1 ? "is" : "are",
         (long long)first);
    for (int stage = A; stage <= D; stage++)
        if (!has_threads_for(v, f, s.stage[stage], (uint64_t)n))
            return false;
    return why(
        f, "Each stage takes *x unchanged, and all elements: blocks_for(x->n) blocks of THREADS.");
}

/* How much of the shorter of B and C runs while the other does, in thousandths. */
static unsigned shared_time(const struct view *v, const char *part)
{
    struct scene s = scene_of(v, part);
    int64_t length[2];
    struct selection one[2];
    for (int i = 0; i < 2; i++) {
        uint32_t call = v->timeline->spans[s.stage[B + i]].call;
        one[i] = (struct selection){ ENGINE_BIT(ENGINE_KERNEL), ANY, ANY, call, call + 1 };
        length[i] = measure_busy(v->timeline, one[i]);
    }
    int64_t shorter = length[0] < length[1] ? length[0] : length[1];
    return shorter > 0 ? (unsigned)(measure_overlap(v->timeline, one[0], one[1]) * 1000 / shorter)
                       : 0;
}

bool diamond_overlap(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t i = 0; i < e->views; i++) {
        const struct view *v = &e->yours[i];
        unsigned mine = shared_time(v, part), theirs = shared_time(&e->reference[i], part);
        if (mine * 1000 >= theirs * SHARE)
            continue;
        struct scene s = scene_of(v, part);
        const struct span *b = &v->timeline->spans[s.stage[B]],
                          *c = &v->timeline->spans[s.stage[C]];
        f->view = i;
        expected(f,
                 "at least %u %% of the shorter of B and C runs while the other does (the reference solution: %u %%)",
                 theirs * SHARE / 10000, theirs / 10);
        seen(f, "%u %%", mine / 10);
        bool b_first = hb_before(v->order, s.stage[B], s.stage[C], GUARANTEED);
        bool c_first = hb_before(v->order, s.stage[C], s.stage[B], GUARANTEED);
        f->call = b_first || b->call < c->call ? c->call : b->call;
        if (b->stream == c->stream)
            return why(f,
                       "B and C are in the same stream, and a stream does one thing after another. Put one of them "
                       "into `two`.");
        uint32_t later = s.stage[b_first ? C : B], sooner = s.stage[b_first ? B : C];
        uint32_t wait =
            b_first || c_first ? stream_wait_between(v, in_part(v, part, 0), sooner, later) : ANY;
        bool joins = wait != ANY
                     && v->timeline->calls[wait].stream == v->timeline->spans[s.stage[D]].stream
                     && v->timeline->spans[sooner].stream != v->timeline->spans[s.stage[A]].stream;
        if (joins) {
            f->call = wait;
            return why(f,
                       "This wait makes the stream of %s wait for %s, and D needs that, not %s: queue %s before the wait.",
                       stage_name[b_first ? C : B], stage_name[b_first ? B : C],
                       stage_name[b_first ? C : B], stage_name[b_first ? C : B]);
        }
        if (b_first || c_first)
            return why(f,
                       "%s is bound to wait for %s. An event stands for everything before it in its stream: record the one that %s waits "
                       "for right after A, before %s is queued.",
                       stage_name[b_first ? C : B], stage_name[b_first ? B : C],
                       stage_name[b_first ? C : B], stage_name[b_first ? B : C]);
        return why(f,
                   "Nothing is bound to keep them apart but the order in which they were queued. Launch C right after B, with nothing "
                   "that waits in between.");
    }
    return true;
}
