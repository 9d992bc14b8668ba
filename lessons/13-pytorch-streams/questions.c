/* SPDX-License-Identifier: MIT */
/* What the parts ask of a run: who waits for whom, and what runs beside what. */
#include <stdio.h>
#include <string.h>

#include "judges.h"

#define BESIDE_PERMILLE 800     /* of the reference's, on the same card */

struct selection in_label(const struct view *v, const char *what, int number, uint32_t engines)
{
    struct selection s = { engines, ANY, ANY, 0, 0 };
    char label[32];
    snprintf(label, sizeof label, number < 0 ? "%s" : "%s%d", what, number);
    measure_label(v->timeline, label, &s.first_call, &s.end_call);
    return s;
}

uint32_t legacy_stream(const struct view *v)
{
    const struct timeline *t = v->timeline;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && (t->calls[i].flags & STREAM_LEGACY))
            return t->calls[i].stream;
    return ANY;
}

static bool is(const struct view *v, const struct span *span, struct which w)
{
    return span->engine == w.engine && span->end != TIME_NEVER
           && (!w.name || strcmp(timeline_string(v->timeline, span->name), w.name) == 0);
}

/* How much of the time of those of `a` passed beside one of `b`, in thousandths. */
static unsigned share_beside(const struct view *v, struct selection s, struct which a,
                             struct which b)
{
    const struct span *spans = v->timeline->spans;
    int64_t all = 0, beside = 0;
    s.engines = ENGINE_BIT(a.engine) | ENGINE_BIT(b.engine);
    EACH_SPAN(i, v, s) {
        if (!is(v, &spans[i], a))
            continue;
        int64_t mine = 0, length = spans[i].end - spans[i].start;
        EACH_SPAN(k, v, s) {
            if (!is(v, &spans[k], b))
                continue;
            int64_t from = spans[i].start > spans[k].start ? spans[i].start : spans[k].start;
            int64_t to = spans[i].end < spans[k].end ? spans[i].end : spans[k].end;
            mine += to > from ? to - from : 0;
        }
        all += length;
        beside += mine < length ? mine : length;
    }
    return all ? (unsigned)(beside * 1000 / all) : 0;
}

bool beside_as_reference(const struct evidence *e, struct finding *f, const char *part,
                         struct which a, struct which b, const char *what)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view], *r = &e->reference[view];
        unsigned mine = share_beside(v, in_part(v, part, 0), a, b),
                 theirs = share_beside(r, in_part(r, part, 0), a, b);
        if (mine * 1000 >= theirs * share_asked(v, BESIDE_PERMILLE))
            continue;
        f->view = view;
        return seen(f, "%u %% of the time of %s passed beside it (%u %% in the reference solution)",
                    mine / 10, what, theirs / 10);
    }
    return true;
}

/* The last wait between two streams that is queued into `stream` in these calls, before call `end`.
 */
uint32_t last_stream_wait(const struct view *v, struct selection s, uint32_t stream, uint32_t end)
{
    const struct timeline *t = v->timeline;
    for (size_t i = end < s.end_call ? end : s.end_call; i-- > s.first_call;)
        if (t->calls[i].kind == CALL_STREAM_WAIT && t->calls[i].status == 0
            && t->calls[i].stream == stream)
            return (uint32_t)i;
    return ANY;
}

uint32_t blocking_stream(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE
            && !(t->calls[i].flags & (STREAM_NON_BLOCKING | STREAM_LEGACY | STREAM_PER_THREAD)))
            return (uint32_t)i;
    return ANY;
}

const char *current_of_other(int run)
{
    static const char *const names[OTHER_RUNS] = { "a stream that is not the default stream",
                                                   "stream 0", "the legacy default stream" };
    return names[run];
}

bool seen_in_other(struct finding *f, int run)
{
    char what[sizeof f->seen];
    snprintf(what, sizeof what, "%s", f->seen);
    return seen(f, "with %s as `current`: %s", current_of_other(run), what);
}

bool in_given_stream(const struct view *v, struct finding *f, const char *what, const char *name,
                     const char *mark, const char *parameter)
{
    for (int run = 0; run < OTHER_RUNS; run++) {
        struct selection s = in_label(v, what, run, 0);
        uint32_t given = next_kernel(v, s, mark, 0);
        EACH_KERNEL(node, v, s, name) {
            if (given == ANY || v->timeline->spans[node].stream == v->timeline->spans[given].stream)
                continue;
            f->call = v->timeline->spans[node].call;
            expected(f, "%s() runs in `%s`, whichever stream `current` is", name, parameter);
            seen(f, "`current` was %s, and this kernel is in another stream than `%s`",
                 current_of_other(run), parameter);
            return why(f,
                       "The stream is the fourth parameter of a launch: the parameter `%s`, and no other.",
                       parameter);
        }
    }
    return true;
}

/* Is the query of call `at` asked again before anything else is called in its thread? */
static bool asked_again(const struct timeline *t, struct selection s, uint32_t at)
{
    for (size_t i = at + 1; i < s.end_call; i++)
        if (t->calls[i].thread == t->calls[at].thread)
            return t->calls[i].kind == CALL_STREAM_QUERY || t->calls[i].kind == CALL_EVENT_QUERY;
    return false;
}

uint32_t standstill(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    uint32_t call;
    while ((call = first_standstill(v, s)) != ANY
           && (t->calls[call].kind == CALL_STREAM_QUERY || t->calls[call].kind == CALL_EVENT_QUERY)
           && !asked_again(t, s, call))
        s.first_call = call + 1;
    return call;
}

bool only_queues(const struct view *v, struct selection s, struct finding *f, const char *function)
{
    uint32_t call = standstill(v, s);
    if (call == ANY)
        return true;
    f->call = call;
    expected(f, "%s queues its work and returns", function);
    seen(f, "this holds the host up, or polls");
    if (v->timeline->calls[call].kind == CALL_COPY
        && !(v->timeline->calls[call].flags & CALL_ASYNC))
        return why(f,
                   "This call returns when the copy is done. cudaMemcpyAsync() only queues it, in the stream that is its last argument.");
    return why(f,
               "Streams can wait for each other without the host: an event in one, cudaStreamWaitEvent() in the other. A host that "
               "waits cannot run ahead, and the next step of the program is queued late.");
}

bool why_other_batch(const struct view *v, struct finding *f, struct selection copies, int64_t n,
                     int64_t count)
{
    uint64_t least = UINT64_MAX, bytes = (uint64_t)n * sizeof(uint32_t);
    int64_t k = 0;
    EACH_SPAN(node, v, copies) {
        const struct call *c = call_of_node(v, node);
        if (c->kind != CALL_COPY || c->bytes != bytes)
            return false;
        least = c->src < least ? c->src : least;
        k++;
    }
    if (k != count)
        return false;
    EACH_SPAN(node, v, copies)
        if ((call_of_node(v, node)->src - least) % bytes != 0
            || (call_of_node(v, node)->src - least) / bytes >= (uint64_t)count)
            return false;
    k = 0;
    EACH_SPAN(node, v, copies) {
        uint64_t batch = (call_of_node(v, node)->src - least) / bytes;
        if (batch != (uint64_t)k) {
            f->call = call_number(v, node);
            return !why(f,
                        "The copy for batch %lld is of batch %llu. Batch k is the n elements from k * n on, counted from 0.",
                        (long long)k, (unsigned long long)batch);
        }
        k++;
    }
    return false;
}
