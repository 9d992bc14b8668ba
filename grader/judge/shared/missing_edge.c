/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/check.h"
#include "trace/order/near_miss.h"
#include "trace/record/memory.h"

_Static_assert(ANY == NO_CALL, "a finding blames the call that a near miss names");

/* Says what else is to be said. */
static bool say_otherwise(struct finding *f, const char *otherwise, va_list arguments)
{
    char text[sizeof f->why];
    vsnprintf(text, sizeof text, otherwise, arguments);
    return why(f, "%s", text);
}

/* Was it no mistake of the learner's: was nothing tried, or by the driver alone? */
static bool is_untried(const struct view *v, struct near_miss m)
{
    return m.kind == MISS_NONE
           || (m.call < v->timeline->call_count
               && is_in_driver(v->timeline, &v->timeline->calls[m.call]));
}

/* ---- two operations ---- */

static bool unordered(const struct view *v, struct finding *f, uint32_t before,
                      const char *before_name, uint32_t after, const char *after_name,
                      const char *otherwise, va_list arguments)
{
    struct near_miss m = near_miss_operations(v->timeline, before, after);
    if (otherwise && (is_untried(v, m) || m.kind == MISS_DEFAULT_STREAM))
        return say_otherwise(f, otherwise, arguments);
    struct hazard_line line = { .used = 0 };
    near_miss_say_operations(&line, v->timeline, m, before, before_name, after_name);
    f->call = m.call;
    return why(f, "%s", line.text);
}

bool why_unordered(const struct view *v, struct finding *f, uint32_t before,
                   const char *before_name, uint32_t after, const char *after_name,
                   const char *otherwise, ...)
{
    va_list arguments;
    va_start(arguments, otherwise);
    unordered(v, f, before, before_name, after, after_name, otherwise, arguments);
    va_end(arguments);
    return false;
}

/* The kernel that was meant to stand between the two, of those that were queued between them or,
 * where there are none, of all: one that waits for `before`, the last, else one that `after` waits
 * for, the first, else the first. ANY: there is none. */
static uint32_t meant_between(const struct view *v, const struct chain *kernels, size_t count,
                              uint32_t before, uint32_t after)
{
    for (int all = 0; all < 2; all++) {
        uint32_t waits = ANY, awaited = ANY, near = ANY;
        for (size_t i = 0; i < count; i++) {
            uint32_t node = kernels[i].node;
            if (!all && (node < before || node > after))
                continue;
            if (hb_before(v->order, before, node, GUARANTEED) && (waits == ANY || node > waits))
                waits = node;
            if (hb_before(v->order, node, after, GUARANTEED) && (awaited == ANY || node < awaited))
                awaited = node;
            near = near == ANY || node < near ? node : near;
        }
        if (near != ANY)
            return waits != ANY ? waits : awaited != ANY ? awaited : near;
    }
    return ANY;
}

bool why_unchained(const struct view *v, struct finding *f, const struct chain *kernels,
                   size_t count, uint32_t before, const char *before_name, uint32_t after,
                   const char *after_name, const char *otherwise, ...)
{
    va_list arguments;
    va_start(arguments, otherwise);
    uint32_t kernel = meant_between(v, kernels, count, before, after);
    if (kernel == ANY) {
        say_otherwise(f, otherwise, arguments);
    } else {
        const char *text = timeline_string(v->timeline, v->timeline->spans[kernel].name);
        char *name = text_harmless(text, strlen(text)), called[96];
        snprintf(called, sizeof called, "%s()", name);
        memory_resize(name, 0);
        bool waits = hb_before(v->order, before, kernel, GUARANTEED);
        f->call = v->timeline->spans[waits ? after : kernel].call;
        if (waits)
            unordered(v, f, kernel, called, after, after_name, otherwise, arguments);
        else
            unordered(v, f, before, before_name, kernel, called, otherwise, arguments);
    }
    va_end(arguments);
    return false;
}

/* ---- an operation and the host ---- */

uint32_t unpromised_wait(const struct view *v, uint32_t node, size_t calls)
{
    const struct timeline *t = v->timeline;
    uint32_t thread = t->calls[calls < t->call_count ? calls : t->spans[node].call].thread;
    if (calls >= t->call_count || !hb_before_call(v->order, node, t->calls, calls, OBSERVED))
        return ANY;
    for (size_t i = t->spans[node].call; i < calls; i++)
        if (t->calls[i].thread == thread
            && hb_before_call(v->order, node, t->calls, i + 1, OBSERVED))
            return t->calls[i].line != 0 && !is_in_driver(t, &t->calls[i]) ? (uint32_t)i : ANY;
    return ANY;
}

bool why_unpromised(const struct view *v, struct finding *f, uint32_t node, uint32_t wait)
{
    const struct call *c = &v->timeline->calls[wait];
    f->call = wait;
    return why(f,
               "The host waits for %s only because it makes this call (%s), in which cards wait, though the CUDA reference does not "
               "promise it. Let it wait in a call that promises it: cudaStreamSynchronize(), cudaEventSynchronize() or cudaDeviceSynchronize().",
               node_name(v, node).text, timeline_string(v->timeline, c->name));
}

/* Was what the call gives back taken after the node was queued? Then the node does not use it, and
 * the call is no tidying up after it. */
static bool is_of_later(const struct timeline *t, size_t call, size_t queued)
{
    for (size_t i = queued + 1; i < call; i++)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].dst == t->calls[call].dst)
            return t->calls[call].kind == CALL_FREE;
    return false;
}

/* To what was said: a call that tidies up does wait, as the picture of the run shows. */
static bool add_habit(const struct view *v, struct finding *f, uint32_t habit)
{
    const struct call *c = &v->timeline->calls[habit];
    char said[sizeof f->why];
    snprintf(said, sizeof said, "%s", f->why);
    return why(f,
               "%s%s%s() in line %u does wait on this card, but the CUDA reference does not promise that, and so it does not count.",
               said, said[0] == '\0' ? "" : " ", timeline_string(v->timeline, c->name), c->line);
}

bool why_unwaited(const struct view *v, struct finding *f, uint32_t node, size_t calls,
                  const char *otherwise, ...)
{
    struct hazard_line line = { .used = 0 };
    const struct timeline *t = v->timeline;
    uint32_t thread = t->calls[calls < t->call_count ? calls : t->spans[node].call].thread;
    uint32_t habit = unpromised_wait(v, node, calls);
    /* What is given back at the end waits as well, and is no wait that anyone meant. */
    if (habit != ANY
        && (t->calls[habit].kind == CALL_COPY || t->calls[habit].kind == CALL_SET
            || is_of_later(t, habit, t->spans[node].call)))
        return why_unpromised(v, f, node, habit);
    struct near_miss m = near_miss_host(t, v->order, node, calls, thread, true);
    /* A wait beside it misses nothing of another thread's: that thread may wait for it. */
    bool of_other = m.kind == MISS_SOME_STREAMS && call_of_node(v, node)->thread != thread;
    if (of_other || is_untried(v, m)) {
        va_list arguments;
        va_start(arguments, otherwise);
        say_otherwise(f, otherwise, arguments);
        va_end(arguments);
        return habit == ANY ? false : add_habit(v, f, habit);
    }
    near_miss_say_host(&line, t, m, node, node_name(v, node).text);
    if (m.kind != MISS_WAIT_LATE
        || f->call == ANY)        /* what comes too early has a place of its own */
        f->call = m.call;
    why(f, "%s", line.text);
    return habit == ANY ? false : add_habit(v, f, habit);
}

bool all_waited_for(const struct view *v, struct finding *f, struct selection s, const char *wanted,
                    const char *otherwise)
{
    uint32_t node = never_waited_for(v, s);
    if (node == ANY)
        return true;
    /* What the driver queued is no line of the learner's: the function that should have waited is
     * shown. */
    f->call = f->function && is_in_driver(v->timeline, call_of_node(v, node))
                  ? ANY
                  : v->timeline->spans[node].call;
    expected(f, "%s", wanted);
    seen(f, "nothing waited for %s", node_name(v, node).text);
    return why_unwaited(v, f, node, s.end_call, "%s", otherwise);
}

bool why_returns_early(const struct view *v, struct finding *f, uint32_t node, const char *what,
                       const char *inner, const char *function)
{
    const struct timeline *t = v->timeline;
    const uint32_t wait = f->call, queued = t->spans[node].call;
    for (size_t i = wait == ANY ? 0 : wait; i-- > 0;) {
        if (t->calls[i].thread != t->calls[wait].thread || label_number(v, i, what) < 0)
            continue;
        size_t end = label_end(v, i);
        if (end <= wait || (queued > i && queued < end))
            return false;
        f->call = ANY;
        f->function = function;
        return why(f,
            "%s() returns while %s may still run. %s() waits for its own request, and has to wait for nothing else. Let %s() wait "
            "for the stream of %s, with cudaStreamSynchronize().",
            function, node_name(v, node).text, inner, function, node_name(v, node).text);
    }
    return false;
}

bool why_woken(const struct view *v, struct finding *f)
{
    const struct timeline *t = v->timeline;
    uint32_t wake = f->call, behind = wake < t->call_count ? woken_by_device(v, wake) : ANY;
    if (behind == ANY)
        return false;
    const struct call *w = &t->calls[wake], *c = &t->calls[behind];
    char said[sizeof f->why];
    snprintf(said, sizeof said, "%s", f->why);
    f->call = behind;
    why(f,
        w->node < t->span_count
            ? "%s%sThe host stands still, waiting for %s, until the function that line %u queues has been called."
            : "%s%sThe host stands still, waiting for %s, while another thread waits for the device in line %u.",
        said, said[0] == '\0' ? "" : " ", timeline_string(t, w->name), c->line);
    return true;
}
