/* SPDX-License-Identifier: MIT */
/* Judges of part (a): one kernel is timed, and the copies round it are not. */
#include <string.h>

#include "judges.h"

#define TOLERANCE 0.02          /* of the kernel's length */
#define ALIKE 0.05              /* two times that are meant to be the same */

struct timing_scene {
    const struct timeline *t;
    struct selection part;      /* all engines of the device */
    uint32_t in, kernel, out;   /* spans: first copy in, the kernel, last copy out; ANY for none */
    size_t kernels;
};

static struct timing_scene timing_scene_in(const struct view *v, struct selection calls)
{
    struct timing_scene s = { .t = v->timeline, .part = calls, .out = ANY };
    calls.engines = ENGINE_BIT(ENGINE_H2D);
    s.in = next_span(v, calls, 0);
    s.kernel = kernel_named(v, s.part, "scramble", &s.kernels);
    calls.engines = ENGINE_BIT(ENGINE_D2H);
    EACH_SPAN(node, v, calls)
        s.out = node;
    return s;
}

static struct timing_scene timing_scene_of(const struct evidence *e, const char *part)
{
    return timing_scene_in(&e->yours[0], in_part(&e->yours[0], part, ENGINES_DEVICE));
}

/* What comes after what the caller has put into `stream`? */
static bool follows_caller(const struct view *v, struct finding *f, const struct timing_scene *s)
{
    struct selection sets = { ENGINE_BIT(ENGINE_MEMSET), ANY, ANY, 0, s->part.first_call };
    uint32_t before = ANY;
    EACH_SPAN(node, v, sets)
        before = node;
    if (before == ANY || hb_before(v->order, before, s->in, GUARANTEED))
        return true;
    seen(f, "nothing makes the copy to the device wait for what its caller has put into `stream`");
    f->call = s->t->spans[s->in].call;
    return why_unordered(
        v, f, before, "the caller's memset", s->in, "the copy",
        "The copy is not in `stream`. What the caller has queued there may still use `data`. Queue all three in the stream that you "
        "are given.");
}

/* The first launch is not bound to come after this copy in, or before this copy back. */
static bool launched_again(const struct view *v, struct finding *f, const struct timing_scene *s,
                           uint32_t copy, bool in)
{
    f->call = s->t->spans[s->kernel].call;
    expected(f, "scramble is launched once: after the copy in, before the copy out");
    seen(f,
         in ? "%zu launches, and nothing makes the first wait for %s"
            : "%zu launches, and the first is not one for which %s has to wait",
         s->kernels, node_name(v, copy).text);
    return why(
        f,
        "One launch belongs here, over all n elements, after the copy in. A launch to warm up is one too many: over elements it changes them, "
        "because the kernel works in place, and over none it is still a second launch. Time the one that the contract asks for.");
}

bool timing_order(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct timing_scene s = timing_scene_of(e, part);
    expected(f, "copy in, kernel and copy out, each bound to wait for the one before");
    if (s.in == ANY || s.kernel == ANY || s.out == ANY) {
        seen(f, "no %s in part %s",
             s.in == ANY       ? "copy to the device"
             : s.kernel == ANY ? "scramble"
                               : "copy back",
             part);
        return why(f,
                   "The work is in the contract, lesson.h: copy (cudaMemcpyAsync), kernel, copy, all into `stream`.");
    }
    EACH_SPAN(node, v, s.part) {
        bool in = s.t->spans[node].engine == ENGINE_H2D,
             out = s.t->spans[node].engine == ENGINE_D2H;
        if ((in && !hb_before(v->order, node, s.kernel, GUARANTEED))
            || (out && !hb_before(v->order, s.kernel, node, GUARANTEED))) {
            if (s.kernels > 1)
                return launched_again(v, f, &s, node, in);
            seen(f, "nothing makes %s wait for %s", in ? "the kernel" : "the copy back",
                 in ? "the copy to the device" : "the kernel");
            return in ? why_unordered(v, f, node, "the copy", s.kernel, "the kernel", NULL)
                      : why_unordered(v, f, s.kernel, "the kernel", node, "the copy", NULL);
        }
    }
    return follows_caller(v, f, &s);
}

bool timing_wait(const struct evidence *e, struct finding *f, const char *part)
{
    struct timing_scene s = timing_scene_of(e, part);
    uint32_t left = never_waited_for(&e->yours[0], s.part);
    if (left == ANY)
        return true;
    if (!hb_before_call(e->yours[0].order, s.out, s.t->calls, s.part.end_call, GUARANTEED))
        left = s.out;
    expected(f, "when the function returns everything is done, because it has waited for it");
    f->call = s.t->spans[left].call;
    seen(f, "nothing waits for %s",
         left == s.kernel ? "the kernel"
         : left == s.in   ? "the copy to the device"
         : left == s.out  ? "the copy back"
                          : node_name(&e->yours[0], left).text);
    return why_unwaited(&e->yours[0], f, left, s.part.end_call,
                        "%s only queues the work. Wait for the stream with "
                        "cudaStreamSynchronize() when all is queued.",
                        s.t->calls[f->call].kind == CALL_LAUNCH
                            ? "A launch"
                            : timeline_string(s.t, s.t->calls[f->call].name));
}

static bool leaves_input(const struct evidence *e, struct finding *f)
{
    if (answer_of(e)->a_changed == 0)
        return true;
    f->call = ANY;
    f->function = "time_kernel";
    f->word = "in";
    expected(f, "`in` holds afterwards what it held before");
    seen(f, "%lld of its elements are different ones", (long long)answer_of(e)->a_changed);
    return why(
        f, "`in` is the caller's, and const: copy from it, and write to `data` and `out` alone.");
}

/* Is it one of lesson.h's? Others are the learner's own, with blocks as they like. */
static bool is_of_lesson(const struct view *v, uint32_t node)
{
    static const char *const names[] = { "scramble", "clear", "stage_a", "stage_b", "stage_c",
                                         "stage_d" };
    const char *name = timeline_string(v->timeline, v->timeline->spans[node].name);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool grids_again(const struct view *v, struct finding *f, const char *part, int64_t n)
{
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_KERNEL));
    bool ran = part_ran(v, part);
    EACH_SPAN(node, v, s)
        if (ran && is_of_lesson(v, node)
            && !fits_elements(v, f, node, (uint64_t)n, THREADS_OF_A_BLOCK))
            return false;
    return true;
}

static bool timing_again(const struct evidence *e, struct finding *f)
{
    const struct task *task = task_of(e);
    const uint32_t *in = exchange_input(e->exchange, 1, NULL),
                   *out = exchange_output(e->exchange, 6, NULL);
    in += task->a_n - task->a_again_n;
    bool ran = part_ran(&e->yours[0], AGAIN "a");
    for (int64_t i = 0; ran && i < task->a_again_n; i++)
        if (out[i] != scrambled(in[i])) {
            f->call = ANY;
            f->function = "time_kernel";
            f->word = "static";
            expected(f, "called again with other elements, element %lld is %u", (long long)i,
                     scrambled(in[i]));
            seen(f, "%u", out[i]);
            return why(f, SECOND_CALL);
        }
    return grids_again(&e->yours[0], f, AGAIN "a", task->a_again_n);
}

/* Several launches, between the copies. `wrong`: elements that came back wrong; `twice`: the first
 * of those went through the kernel twice. */
static bool launched_often(const struct view *v, struct finding *f, const struct timing_scene *s,
                           int64_t n, int64_t wrong, bool twice)
{
    uint32_t part = ANY,
             whole = ANY; /* the first with fewer threads than elements, and with enough */
    EACH_KERNEL(node, v, s->part, "scramble") {
        const struct call *c = call_of_node(v, node);
        uint64_t threads = (uint64_t)c->block[0] * c->block[1] * c->block[2]
                           * v->timeline->spans[node].blocks;
        uint32_t *which = threads < (uint64_t)n ? &part : &whole;
        *which = *which == ANY ? node : *which;
    }
    expected(f, "scramble is launched once, over all %lld elements", (long long)n);
    seen(f, "%zu launches%s", s->kernels,
         wrong != 0     ? ""
         : whole == ANY ? ", which together cover all of them"
                        : ", after which all of them are right");
    if (whole != ANY && part != ANY)
        f->call = s->t->spans[part].call;
    if (wrong == 0 && whole == ANY)
        return why(f,
                   "One grid may have as many blocks as the elements need. The contract asks how long one launch over all elements takes, "
                   "and several launches do not tell that.");
    if (wrong == 0)
        return why(f,
                   "The contract asks how long one launch over all elements takes. Another one does not belong here, to warm up or for a part "
                   "of the elements, even if it changes nothing.");
    if (twice)
        return why(f,
                   "The kernel works in place, so a launch to warm up changes the data. Time the one launch that the contract asks "
                   "for.");
    return why(f, "Launch it once, over all n elements of `data`, between the two copies.");
}

bool timing_output(const struct evidence *e, struct finding *f, const char *part)
{
    struct timing_scene s = timing_scene_of(e, part);
    const uint32_t *in = exchange_input(e->exchange, 1, NULL),
                   *out = exchange_output(e->exchange, 1, NULL);
    int64_t n = task_of(e)->a_n, wrong = 0, first = 0;
    for (int64_t i = n; i-- > 0;)
        if (out[i] != scrambled(in[i])) {
            wrong++;
            first = i;
        }
    f->call = s.t->spans[s.kernel].call;
    if (s.kernels != 1)
        return launched_often(&e->yours[0], f, &s, n, wrong,
                              out[first] == scrambled(scrambled(in[first])));
    if (wrong == 0)
        return fits_elements(&e->yours[0], f, s.kernel, (uint64_t)n, THREADS_OF_A_BLOCK)
               && costs_as_given(&e->yours[0], f, s.kernel, task_of(e)->kernel_ns, "kernel_ns")
               && leaves_input(e, f) && timing_again(e, f);
    expected(f, "each of the %lld elements went in, through scramble once, and out again",
             (long long)n);
    seen(f, "%lld %s not, the first is element %lld", (long long)wrong, wrong == 1 ? "has" : "have",
         (long long)first);
    if (first == 0)
        return why(f, "From `in` to `data`, scramble on `data`, from `data` to `out`.");
    if (out[first] == in[first])
        return has_threads_for(&e->yours[0], f, s.kernel, (uint64_t)n)
               && why(f,
                      "This one came back as it went in: the kernel did not change it. Take blocks_for(n) blocks, and n elements.");
    if (why_short_copy(&e->yours[0], f, in_part(&e->yours[0], part, 0),
                       (uint64_t)n * sizeof(uint32_t)))
        return false;
    f->call = s.t->spans[s.out].call;
    return why(f, "Copy all n elements, in and out: n * sizeof(unsigned) bytes.");
}

bool timing_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct timing_scene s = timing_scene_of(e, part);
    struct selection queueing = s.part;
    queueing.end_call = s.t->spans[s.out].call;
    uint32_t call = first_standstill(v, queueing);
    if (call == ANY)
        return true;
    f->call = call;
    expected(f, "the host waits when copy, kernel and copy are queued, and not before");
    seen(f, "it stops in %s before the copy back is queued",
         timeline_string(s.t, s.t->calls[call].name));
    return why(f,
               "This way of measuring changes what is measured: the device runs out of work at each stop, and the host's round trip "
               "counts as the kernel's time. An event takes the time on the device, and the host need not wait.");
}

/* ---- the time ---- */

static double distance(double a, double b)
{
    return a > b ? a - b : b - a;
}

static bool alike(double a, double b)
{
    return distance(a, b) <= ALIKE * b;
}

static bool is_called(const struct timing_scene *s, size_t call, const char *name)
{
    return strcmp(timeline_string(s->t, s->t->calls[call].name), name) == 0;
}

/* The events that were recorded in the part, and who asked for the time between them. Calls, ANY
 * for none. */
struct marks { uint32_t elapsed, first, last, astray, untimed; };

static struct marks marks_of(const struct timing_scene *s)
{
    struct marks m = { ANY, ANY, ANY, ANY, ANY };
    for (size_t i = s->part.first_call; i < s->part.end_call; i++) {
        const struct call *c = &s->t->calls[i];
        if (is_called(s, i, "cudaEventElapsedTime"))
            m.elapsed = (uint32_t)i;
        if (c->kind != CALL_EVENT_RECORD || c->status != 0)
            continue;
        m.first = m.first == ANY ? (uint32_t)i : m.first;
        m.last = (uint32_t)i;
        if (m.astray == ANY && c->stream != s->t->spans[s->kernel].stream)
            m.astray = (uint32_t)i;
        for (size_t k = 0; k < i && m.untimed == ANY; k++)
            if (s->t->calls[k].kind == CALL_EVENT_CREATE && s->t->calls[k].event == c->event
                && (s->t->calls[k].flags & EVENT_NO_TIMING))
                m.untimed = (uint32_t)k;
    }
    return m;
}

/* cudaEventElapsedTime() was asked and answered with an error. */
static bool blame_answer(const struct timing_scene *s, const struct marks *m, struct finding *f)
{
    f->call = m->elapsed;
    if (s->t->calls[m->elapsed].status == 600)
        return why(f,
                   "cudaEventElapsedTime() answered cudaErrorNotReady: the device had not reached the second event yet. Wait for it "
                   "first, and check what each call returns: CHECK() would have told you.");
    if (m->untimed != ANY) {
        f->call = m->untimed;
        return why(f,
                   "cudaEventElapsedTime() answered with an error: an event made with cudaEventDisableTiming takes no time. Make "
                   "this one with cudaEventCreate().");
    }
    return why(f,
               "cudaEventElapsedTime() answered with an error, and there is no time. Record both events, one before and one after the "
               "kernel, and check what each call returns.");
}

/* The host's own clock was read. */
static bool blame_clock(const struct timing_scene *s, const struct marks *m, struct finding *f,
                        double ms, double kernel, int64_t given)
{
    f->call = s->t->spans[s->kernel].call;
    if (m->first == ANY && ms > 0.999 * (double)given / 1e6 && ms < 1.001 * (double)given / 1e6)
        return why(f,
                   "That is kernel_ns, what a block of the kernel is said to take, and no event was recorded. How long the kernel takes differs "
                   "from card to card. Measure it: record an event before the kernel and one after it, and ask cudaEventElapsedTime().");
    if (ms == 0)
        return why(f,
                   "Nothing was measured. Record an event before and one after the kernel, and ask cudaEventElapsedTime() for the "
                   "milliseconds between them.");
    const char *missing =
        m->first == ANY ? "No event was recorded."
                        : "Nothing asks cudaEventElapsedTime() for the time between two events.";
    if (ms < kernel / 20)
        return why(f,
                   "%s A clock that the host reads before and after the launch measures how long the launch call takes. Let the device take "
                   "the time, with two events.",
                   missing);
    return why(f,
               "%s The host can tell when it queued everything and when everything was done, but not how long one kernel in the middle "
               "took. What a block takes is not what the grid takes. Record an event before the kernel and one after it, and ask "
               "cudaEventElapsedTime().",
               missing);
}

/* How long the kernel took. */
static double kernel_ms(const struct timing_scene *s)
{
    const struct span *k = &s->t->spans[s->kernel];
    return (double)(k->end - k->start) / 1e6;
}

static bool is_time_of_kernel(const struct timing_scene *s, double ms)
{
    const struct span *in = &s->t->spans[s->in], *k = &s->t->spans[s->kernel],
                      *out = &s->t->spans[s->out];
    /* Between the events the device may have been idle: a launch takes a while to get there, on a
     * real card too long. */
    double idle = (double)((k->start > in->end ? k->start - in->end : 0)
                           + (out->start > k->end ? out->start - k->end : 0))
                  / 1e6;
    return ms >= kernel_ms(s) * (1 - TOLERANCE) && ms <= kernel_ms(s) * (1 + TOLERANCE) + idle;
}

static bool time_again(const struct evidence *e, struct finding *f)
{
    const struct view *v = &e->yours[0];
    struct selection s = { ENGINES_DEVICE, ANY, ANY, 0, 0 };
    if (!part_ran(v, AGAIN "a")
        || !measure_part(v->timeline, AGAIN "a", &s.first_call, &s.end_call))
        return true;
    struct timing_scene scene = timing_scene_in(v, s);
    bool whole = scene.in != ANY && scene.kernel != ANY && scene.out != ANY;
    if (whole && is_time_of_kernel(&scene, answer_of(e)->a_ms_again))
        return true;
    f->function = "time_kernel";
    f->word = "static";
    if (whole)
        expected(f, "called again, with a longer kernel: that kernel's time, %.3f ms, within 2 %%",
                 kernel_ms(&scene));
    else
        expected(f, "called again, with a longer kernel, the function measures that one");
    seen(f, "%.3f ms", answer_of(e)->a_ms_again);
    unsigned asked = 0;
    for (size_t call = s.first_call; call < s.end_call; call++)
        if (is_called(&scene, call, "cudaEventElapsedTime")) {
            f->call = (uint32_t)call;
            asked++;
        }
    if (asked > 1)
        return why(f,
                   "cudaEventElapsedTime() is called more than once here. Is the result computed from several times? Another stream copies to the device meanwhile: from its place in the queue to its end "
                   "the copy in takes longer than the copy back. With one event on the line before the launch and one on the line after it you "
                   "measure the kernel alone.");
    f->call = ANY;
    return why(f, SECOND_CALL);
}

bool timing_time(const struct evidence *e, struct finding *f, const char *part)
{
    struct timing_scene s = timing_scene_of(e, part);
    const struct span *in = &s.t->spans[s.in], *k = &s.t->spans[s.kernel],
                      *out = &s.t->spans[s.out];
    double ms = answer_of(e)->a_ms, kernel = kernel_ms(&s);
    if (is_time_of_kernel(&s, ms))
        return time_again(e, f);
    expected(f, "the kernel's own time, %.3f ms, within 2 %%", kernel);
    seen(f, "%.3f ms", ms);
    struct marks m = marks_of(&s);
    if (m.elapsed != ANY && s.t->calls[m.elapsed].status != 0)
        return blame_answer(&s, &m, f);
    if (alike(ms * 1000, kernel) || alike(ms / 1000, kernel)) {
        f->call = m.elapsed;
        return why(f,
                   "That is the right time in another unit. cudaEventElapsedTime() returns milliseconds, and the contract asks for "
                   "them.");
    }
    if (m.elapsed == ANY || m.first == ANY)
        return blame_clock(&s, &m, f, ms, kernel, task_of(e)->kernel_ns);
    f->call = m.elapsed;
    if (alike(-ms, kernel))
        return why(
            f, "The right time with the wrong sign: the earlier event comes first in the call.");
    if (m.astray != ANY) {
        f->call = m.astray;
        return why(f,
                   "This event was recorded in another stream than the kernel's, so it tells how far that stream has come. Name the "
                   "kernel's stream in the second parameter of cudaEventRecord(): left out, it is the default stream.");
    }
    bool with_in = s.t->calls[m.first].begin < s.t->calls[in->call].begin;
    bool with_out = s.t->calls[m.last].begin > s.t->calls[out->call].begin;
    if ((with_in || with_out) && ms > kernel) {
        f->call = with_in ? m.first : m.last;
        return why(f,
                   "There is more than the kernel between the two events: %s. The first event belongs on the line before the "
                   "launch, the second on the line after it.",
                   with_in && with_out ? "both copies, too"
                   : with_in           ? "the copy in, too"
                                       : "the copy back, too");
    }
    const struct call *asked = &s.t->calls[m.elapsed];
    if (asked->src != 0 && asked->src - 1 == asked->event)
        return why(f,
                   "This asks how much time passed from an event to the same event. Name the two that were recorded before and after the kernel.");
    bool once = m.last < m.elapsed;         /* each recorded, and no event in between */
    for (uint32_t i = m.first + 1; i < m.last; i++)
        once = once && s.t->calls[i].kind != CALL_EVENT_RECORD;
    if (m.first < k->call && m.last > k->call && once
        && s.t->calls[m.first].event == asked->event
        && s.t->calls[m.last].event + 1 == asked->src)
        return why(f,
                   "This gets the two events that stand around the kernel, so its answer is right. What is handed back is another number: what "
                   "happens to the answer after this line?");
    if (m.first < k->call && m.last > k->call)
        return why(f,
                   "The kernel stands between the first event recorded and the last. Does cudaEventElapsedTime() get these two, and is "
                   "its answer what is handed back?");
    f->call = m.last;
    return why(f,
               "The kernel is not between the two events. Record the first on the line before the launch, the second on the line "
               "after it.");
}
