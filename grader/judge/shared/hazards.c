/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Hazards of copies, memsets and memory that is given back are found here, from
 * the calls alone. Those of kernels and of host code are the child's to say: it
 * saw the loads and stores, and wrote a CALL_HAZARD for each. Where there are
 * several host threads, host functions among them, all is the child's to say:
 * what a semaphore that nobody had to wait for tells a thread is in no call.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/check.h"
#include "grader/judge/shared/joins.h"
#include "trace/order/hazard_calls.h"
#include "trace/order/near_miss.h"
#include "trace/record/memory.h"

struct search {
    const struct view *view;
    size_t first, end;          /* calls of the part */
    struct finding *finding;
    bool found;
};

static bool is_inside(const struct search *s, uint64_t call)
{
    return call >= s->first && call < s->end;
}

static bool node_inside(const struct search *s, uint64_t node)
{
    const struct timeline *t = s->view->timeline;
    return node < t->span_count && is_inside(s, t->spans[node].call);
}

/* What was tried to bring the two into an order, and failed: fills in `why` and the call to blame.
 * `then` may be NO_NODE: the host, after that many calls, in that thread. */
static bool say_near_miss(struct search *s, uint32_t first, uint32_t then, size_t calls,
                          uint32_t thread)
{
    const struct timeline *t = s->view->timeline;
    struct hazard_line line = { .used = 0 };
    struct near_miss m = { .call = NO_CALL };
    if (first >= t->span_count || (then != NO_NODE && then >= t->span_count))
        return false;
    if (then == NO_NODE) {
        m = near_miss_host(t, s->view->order, first, calls, thread, false);
        near_miss_say_host(&line, t, m, first, node_name(s->view, first).text);
    } else {
        m = near_miss_operations(t, first, then);
        near_miss_say_operations(&line, t, m, first, node_name(s->view, first).text,
                                 node_name(s->view, then).text);
    }
    if (m.kind == MISS_NONE || (m.call < t->call_count && is_in_driver(t, &t->calls[m.call])))
        return false;               /* what the driver does later was not meant for that */
    if (then != NO_NODE
        || m.kind != MISS_WAIT_LATE) /* what the host does too early has a line of its own */
        s->finding->call = m.call;
    why(s->finding, "%s", line.text);
    return true;
}

static bool brings_home(const struct timeline *t, uint32_t node)
{
    const struct call *c = node < t->span_count ? &t->calls[t->spans[node].call] : NULL;
    return c && c->kind == CALL_COPY
           && (c->dst_kind == MEM_PINNED || c->dst_kind == MEM_PAGEABLE);
}

/* Two copies to the same place of the host's memory. No order helps where nothing reads what the
 * first one brought: then it is the place that is wrong. */
static bool say_same_place(struct search *s, uint32_t first, uint32_t then)
{
    const struct timeline *t = s->view->timeline;
    if (!brings_home(t, first) || !brings_home(t, then))
        return false;
    const struct call *a = &t->calls[t->spans[first].call], *b = &t->calls[t->spans[then].call];
    return !why(s->finding,
                "Both bring bytes to %s, and those of one are lost. Is the address right to which each copies? If it is, and something "
                "reads the first one's bytes in between, the second has to wait for that.",
                a->dst == b->dst ? "the same address of the host's memory"
                                 : "places of the host's memory that overlap");
}

/* The later of two operations is the driver's, which the learner cannot change: blames the other.
 */
static void say_driver_follows(struct search *s, uint32_t first, uint32_t then)
{
    const struct timeline *t = s->view->timeline;
    if (first >= t->span_count || then >= t->span_count)
        return;
    uint32_t own = t->spans[first].call;
    const struct call *a = &t->calls[own], *b = &t->calls[t->spans[then].call];
    if (a->line == 0 || is_in_driver(t, a) || !is_in_driver(t, b))
        return;
    s->finding->call = own;
    why(s->finding,
        "Nothing makes one come after the other, and the second is the driver's (line %u there), which you cannot change. Either make the "
        "driver's operation come after this one, through an event that it waits for or through a wait of your own, or do not touch "
        "these bytes.",
        b->line);
}

/* Takes the workbook's own folder out of the names of its files: a lesson's driver, which was
 * compiled there. */
static void shorten(char *text)
{
    char *root = project_path("%s", "");
    size_t length = strlen(root);
    for (char *at = text; length > 1 && (at = strstr(at, root));)
        memmove(at, at + length, strlen(at + length) + 1);
    free(root);
}

/* The first one is told. */
static void tell(struct search *s, uint32_t call, const char *message)
{
    struct finding *f = s->finding;
    s->found = true;
    f->call = call;
    f->hazard.told = true;
    char *harmless = text_harmless(message, strlen(message));
    shorten(harmless);
    const char *cure = hazard_cure(harmless);
    size_t length = strlen(harmless) - strlen(cure);
    expected(f,
             "accesses to the same bytes come in an order that is guaranteed, and each stays in memory that it may touch");
    seen(f, "%.*s", (int)(*cure ? length - 2 : length), harmless);
    why(f, "%c%s%s", toupper((unsigned char)*cure), *cure ? cure + 1 : "",
        *cure ? text_stop(cure) : "");
    memory_resize(harmless, 0);
}

static void met(void *context, const struct hazard_meeting *m)
{
    struct search *s = context;
    if (s->found || (!is_inside(s, m->call[0]) && !is_inside(s, m->call[1])))
        return;
    const struct timeline *t = s->view->timeline;
    int last = m->call[0] > m->call[1] ? 0 : 1;
    uint32_t later = m->call[last], first = m->side[!last].node, then = m->side[last].node;
    struct hazard_scene scene = { .timeline = t, .order = s->view->order, .calls = later };
    struct hazard_side side[2] = { m->side[0], m->side[1] };
    struct hazard_line line = { .used = 0 };
    hazard_describe(&line, &scene, m->from, m->to, side);
    tell(s, later, line.text);
    s->finding->hazard.record = ANY;
    s->finding->hazard.node[0] = first;
    s->finding->hazard.node[1] = then;
    s->finding->hazard.host = first == NO_NODE || then == NO_NODE;
    if (first != NO_NODE && !say_near_miss(s, first, then, later, t->calls[later].thread)
        && !say_same_place(s, first, then))
        say_driver_follows(s, first, then);
}

/* A host function that meets the host in memory that no device reaches: what orders them is between
 * threads, not in streams. */
static bool is_among_threads(const struct timeline *t, const struct call *record)
{
    struct hazard_scene scene = { .timeline = t, .calls = t->call_count };
    uint32_t function = record->src < t->span_count ? (uint32_t)record->src : record->node;
    return function < t->span_count && t->calls[t->spans[function].call].kind == CALL_HOST_FUNC
           && !hazard_origin(&scene, record->dst);
}

/* The thread of the host that touched the bytes: not the one that carried the device forward, and
 * so came upon it. */
static uint32_t thread_that_touched(const struct call *record)
{
    return record->dst_pitch > 0 ? (uint32_t)record->dst_pitch - 1 : record->thread;
}

/* The label of the driver's in which the host's code was that the child has seen, where the
 * learner's code called the driver; `record` itself where that is not known. */
static uint32_t label_of_host(const struct timeline *t, size_t record)
{
    const struct call *c = &t->calls[record];
    int depth = 0;
    for (size_t i = c->cost > 0 && is_in_driver(t, c) ? (size_t)c->cost : 0;
         i-- > 0 && t->calls[i].kind != CALL_PART;)
        if (t->calls[i].kind == CALL_LABEL && t->calls[i].thread == thread_that_touched(c)) {
            depth += t->calls[i].name != 0 ? 1 : -1;
            if (depth > 0)
                return t->calls[i].caller != 0 ? (uint32_t)i : (uint32_t)record;
        }
    return (uint32_t)record;
}

/* Two host threads, and one of them is never waited for: `message` names them. */
static void say_unjoined(struct finding *f, const struct timeline *t, const char *message)
{
    size_t begin = thread_unjoined(t, message), used = strlen(f->why);
    if (begin < t->call_count)
        snprintf(f->why + used, sizeof f->why - used,
                 " Nothing waits for thread %u to end: pthread_join() does.",
                 t->calls[begin].thread);
}

/* An operation and a host thread that the program has begun, and that nothing waits for. */
static bool say_left_alone(struct search *s, size_t record)
{
    const struct timeline *t = s->view->timeline;
    const struct call *c = &t->calls[record];
    uint32_t thread = c->dst_pitch > 1 ? (uint32_t)c->dst_pitch - 1 : 0;
    bool begun = false;
    for (size_t i = 0; i < t->call_count && thread != 0; i++)
        if (t->calls[i].kind == CALL_THREAD_BEGIN && t->calls[i].thread == thread)
            begun = is_inside(s, i);
    if (!begun || thread_is_joined(t, thread))
        return false;
    if (c->line != 0 && !is_in_driver(t, c))
        s->finding->call = (uint32_t)record;
    return !why(s->finding,
                "The host's side is thread %u, which the program has begun, and nothing ever waits for it to end: pthread_join() does, "
                "or join() of a std::thread. What is queued after that comes after all that the thread does.",
                thread);
}

/* What nothing has written follows right on what a copy or memset has: the one that is too short;
 * ANY: there is none. */
static uint32_t short_write(const struct search *s, const struct call *record)
{
    const struct timeline *t = s->view->timeline;
    struct hazard_scene scene = { .timeline = t, .calls = t->call_count };
    if (record->src < t->span_count || record->node >= t->span_count)
        return ANY;
    scene.calls = t->spans[record->node].call;
    const struct call *c = hazard_short_of(&scene, record->dst, t->calls[scene.calls].file);
    return c && !is_in_driver(t, c) ? (uint32_t)(c - t->calls) : ANY;
}

/* What the child has said of the loads and stores that it saw. */
static void tell_record(struct search *s, size_t record)
{
    const struct timeline *t = s->view->timeline;
    const struct call *c = &t->calls[record];
    uint32_t first = (uint32_t)c->src, then = c->node;
    /* What is said of a mutex is in the line that uses it, in a function of a stream, too; of two
     * steps of one conditional node, in the line that put the second into its body. */
    bool in_line = c->bytes == 0 && c->line != 0 && !is_in_driver(t, c),
         in_body = c->bytes > 0 && first < t->span_count && first == then;
    tell(s,
         in_line || in_body     ? (uint32_t)record
         : then < t->span_count ? t->spans[then].call
                                : label_of_host(t, record),
         timeline_string(t, c->message));
    s->finding->hazard.record = (uint32_t)record;
    s->finding->hazard.node[0] = first;
    s->finding->hazard.node[1] = then;
    s->finding->hazard.host = c->dst_pitch > 0 || c->cost > 0;
    uint32_t short_of = short_write(s, c);
    s->finding->call = short_of != ANY ? short_of : s->finding->call;
    if (first < t->span_count
        && then >= t->span_count) /* the learner's function may have returned */
        s->finding->instead = t->spans[first].call;
    if (c->bytes == 0)
        expected(
            s->finding,
            c->flags & HAZARD_JOINED
                ? "each thread is joined once"
            : c->flags & HAZARD_REGISTERED
                ? "memory of the host that is registered goes through cudaHostUnregister() before it is freed"
            : c->flags & HAZARD_LEFT
                ? "what a thread does that the part has begun is waited for before the part ends"
            : c->flags & HAZARD_ENDED
                ? "nothing uses a semaphore any more when sem_destroy() ends it, or its block is left"
            : c->flags & HAZARD_NOT_LOCKED
                ? "a mutex is locked before it is unlocked, by the same thread"
                : "the mutex is locked wherever the condition that a thread waits for is read or changed");
    if (c->src >= t->span_count && then >= t->span_count && !(c->flags & HAZARD_LEFT))
        say_unjoined(s->finding, t, timeline_string(t, c->message));
    if (say_left_alone(s, record))
        return;
    if (c->src >= t->span_count || in_body
        || is_among_threads(
            t, c)) /* the host came first, or there is one side alone, or one operation */
        return;
    if (then < t->span_count && t->spans[first].call > t->spans[then].call) {
        first = then;
        then = (uint32_t)c->src;
    }
    if (!say_near_miss(s, first, then, c->cost > 0 ? (size_t)c->cost : 0,
                       thread_that_touched(c))
        && !say_same_place(s, first, then))
        say_driver_follows(s, first, then);
}

static bool has_threads(const struct timeline *t)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_THREAD_BEGIN)
            return true;
    return false;
}

static bool is_in_any_part(const struct timeline *t, size_t call)
{
    while (call-- > 0)
        if (t->calls[call].kind == CALL_PART)
            return *timeline_string(t, t->calls[call].name) != '\0';
    return false;
}

/* What a thread does that a part has left at work is that part's, whenever it does it. */
static bool is_of_part(const struct search *s, const struct call *c)
{
    const struct timeline *t = s->view->timeline;
    size_t begin = thread_unjoined(t, timeline_string(t, c->message));
    if (begin < t->call_count && is_in_any_part(t, begin))
        return is_inside(s, begin);
    /* The part's own call is there, the one that ends it is not. */
    bool by_host = c->node == NO_NODE && c->cost > (int64_t)s->first && c->cost <= (int64_t)s->end;
    return by_host || node_inside(s, c->node) || node_inside(s, c->src);
}

/* The first of the part's, or of those of a mutex that was not locked. */
static void find_record(struct search *s, bool not_locked)
{
    const struct timeline *t = s->view->timeline;
    for (size_t i = 0; i < t->call_count && !s->found; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_HAZARD || c->flags & (HAZARD_LOST | HAZARD_BY_HOST)
            || (not_locked && !(c->flags & HAZARD_NOT_LOCKED)))
            continue;
        if (is_of_part(s, c))
            tell_record(s, i);
    }
}

static bool has_none(const struct view *v, struct finding *f, const char *part)
{
    struct search s = { .view = v, .finding = f };
    const struct timeline *t = s.view->timeline;
    s.end = t->call_count;
    if (part && !measure_part(t, part, &s.first, &s.end))
        s.first = s.end = 0;
    if (!has_threads(t))
        hazards_of_calls(
            &(struct hazard_scene){ .timeline = t, .order = s.view->order, .calls = t->call_count },
            met, &s);
    find_record(&s, true);      /* which is why the others are there */
    find_record(&s, false);
    return !s.found;
}

/* The copy that is blamed goes the other way than its direction says: that comes first. */
static void say_contrary(const struct timeline *t, struct finding *f)
{
    const struct call *c = f->call == ANY ? NULL : &t->calls[f->call];
    if (c && c->flags & COPY_CONTRARY && !is_in_driver(t, c))
        why(f, "%s: %s. The copy goes by the addresses, from the second argument to the first.",
            timeline_string(t, c->name), timeline_string(t, c->message));
}

bool hazard_has(const struct view *v, const struct finding *f, enum call_kind kind)
{
    for (int side = 0; side < 2 && f->hazard.told; side++)
        if (f->hazard.node[side] < v->timeline->span_count
            && call_of_node(v, f->hazard.node[side])->kind == kind)
            return true;
    return false;
}

bool hazard_is(const struct view *v, const struct finding *f, uint32_t flag)
{
    return f->hazard.told && f->hazard.record != ANY
           && v->timeline->calls[f->hazard.record].flags & flag;
}

bool hazard_in_driver(const struct view *v, const struct finding *f)
{
    return f->hazard.told && f->hazard.host && f->hazard.record != ANY
           && f->hazard.node[1] == NO_NODE
           && is_in_driver(v->timeline, &v->timeline->calls[f->hazard.record]);
}

bool judge_hazards(const struct evidence *e, struct finding *f, const char *part)
{
    size_t i = 0;
    do {
        f->view = i;
        if (!has_none(&e->yours[i], f, part)) {
            say_contrary(e->yours[i].timeline, f);
            return false;
        }
    } while (++i < e->runs);
    f->view = 0;
    return true;
}
