/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * While the first thread is the only one, its waits are over before model_call
 * returns. With others, a wait stays open: its thread is looked at after each
 * step of the device, and goes on when the last of the wait's edges is done.
 *
 * A log replays to the same timeline because the device takes the same steps
 * before the same calls. Whoever runs a program gives the turn to the thread
 * with the lowest present; before that, while some thread waits for the
 * device, the device takes all steps that come before that present. The next
 * call in the log is that thread's: thread_catches_up takes the same steps.
 */
#include "model/state.h"

#include "trace/record/memory.h"

static void add_thread(struct engine_state *e, int64_t now)
{
    MEMORY_GROW(e->threads, e->thread_count, e->thread_capacity);
    e->threads[e->thread_count++] = (struct host_thread){ .now = now, .wait = NO_NODE };
}

/* A thread that appears begins at the present of the one that is furthest: it cannot act in the
 * past. */
struct host_thread *thread_of(struct engine_state *e, uint32_t *number)
{
    if (*number > e->thread_count)
        *number = 0;                /* numbers are dense: this one was made up */
    if (*number == e->thread_count) {
        int64_t present = 0;
        for (size_t i = 0; i < e->thread_count; i++)
            if (e->threads[i].now > present)
                present = e->threads[i].now;
        add_thread(e, present);
    }
    return &e->threads[*number];
}

int64_t model_now(const struct model *m, uint32_t thread)
{
    return thread < m->state->thread_count ? m->state->threads[thread].now : 0;
}

/* ---- waits ---- */

static void wait_is_over(struct model *m, struct host_thread *t)
{
    const struct call *c = &m->timeline->calls[t->call];
    bool query = c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY;
    int64_t done = 0, end = c->end;
    size_t count;
    const struct edge *edges = hb_edges(m->order, t->wait, &count);
    for (size_t i = 0; i < count; i++) {
        const struct span *s = &m->timeline->spans[edges[i].from];
        if (s->engine != ENGINE_WAIT && s->end > done)
            done = s->end;
    }
    int64_t woken = done + (query ? 0 : m->card->wake_ns);
    if (done > c->begin && woken > end)
        end = woken;
    m->timeline->calls[t->call].end = m->timeline->spans[t->wait].end = t->now = end;
    t->wait = NO_NODE;
    m->state->open_waits--;
}

static void look_at_wait(struct model *m, struct host_thread *t)
{
    size_t count;
    const struct edge *edges = hb_edges(m->order, t->wait, &count);
    while (t->edges_done < count && m->state->operations[edges[t->edges_done].from].state == DONE)
        t->edges_done++;
    if (t->edges_done == count)
        wait_is_over(m, t);
}

int64_t model_device_now(const struct model *m)
{
    return m->state->now;
}

int64_t model_next(const struct model *m)
{
    return events_next(&m->state->events);
}

void model_step(struct model *m)
{
    struct engine_state *e = m->state;
    size_t ended = e->ended;
    device_step(m);
    if (e->ended == ended)
        return;
    for (size_t i = 0; e->open_waits > 0 && i < e->thread_count; i++)
        if (e->threads[i].wait != NO_NODE)
            look_at_wait(m, &e->threads[i]);
}

bool model_waiting(const struct model *m)
{
    return m->state->open_waits > 0;
}

bool model_waits(const struct model *m, uint32_t thread)
{
    return thread < m->state->thread_count && m->state->threads[thread].wait != NO_NODE;
}

void thread_waits(struct model *m, uint32_t thread, uint32_t wait, size_t call)
{
    struct engine_state *e = m->state;
    struct host_thread *t = &e->threads[thread];
    e->open_waits += t->wait == NO_NODE;
    t->now = m->timeline->calls[call].end;
    t->wait = wait;
    t->call = (uint32_t)call;
    t->edges_done = 0;
    look_at_wait(m, t);
    while (e->threads_beside == 0 && model_waits(m, thread) && model_next(m) != TIME_NEVER)
        model_step(m);
}

/* ---- threads that come and go, functions ---- */

/* The function that the call names; NULL if that is none. */
static struct operation *function_of(struct model *m, const struct call *c)
{
    bool one = c->node < m->state->operation_count
               && m->timeline->spans[c->node].engine == ENGINE_HOST_FUNC;
    return one ? operation(m, c->node) : NULL;
}

/* Of a graph's launch: between its calls nothing else happens. */
static bool is_inside_graph(const struct call *c)
{
    return c->flags & GRAPH_NODE || c->kind == CALL_GRAPH_EDGE || c->kind == CALL_GRAPH_END;
}

void thread_catches_up(struct model *m, const struct call *c)
{
    /* Who is woken may be ahead of who wakes him (or begins him), and the device must not: the end
     * of a function would come late. */
    bool wakes = c->kind == CALL_THREAD_WAKE || c->kind == CALL_THREAD_BEGIN;
    uint32_t thread = wakes ? (uint32_t)c->src : c->thread;
    if (is_inside_graph(c))
        return;
    while (model_waits(m, thread) && model_next(m) != TIME_NEVER)
        model_step(m);
    const struct operation *function = c->kind == CALL_FUNCTION_BEGIN ? function_of(m, c) : NULL;
    while (function && function->state < RUNNING && model_next(m) != TIME_NEVER) {
        model_step(m);
        function = function_of(m, c);
    }
    while (!function && model_waiting(m) && model_next(m) < model_now(m, thread))
        model_step(m);
}

void thread_changes(struct model *m, struct call *c)
{
    struct engine_state *e = m->state;
    struct operation *function;
    switch (c->kind) {
    case CALL_THREAD_BEGIN:
        e->threads_beside++;
        c->begin = c->end = model_now(m, (uint32_t)c->src);
        break;
    case CALL_THREAD_WAKE:
        if (model_now(m, (uint32_t)c->src) > c->end)
            c->end = model_now(m, (uint32_t)c->src);
        break;
    case CALL_THREAD_END:
        e->threads_beside -= e->threads_beside > 0;
        break;
    case CALL_FUNCTION_BEGIN: /* on another card, its thread may be in one that the log has first */
        if (function_of(m, c) && m->timeline->spans[c->node].start != TIME_NEVER
            && m->timeline->spans[c->node].start > c->begin)
            c->begin = c->end = m->timeline->spans[c->node].start;
        break;
    case CALL_FUNCTION_END:
        function = function_of(m, c);
        if (!function || !function->open || function->state != RUNNING)
            break;
        function->open = false;
        events_push(&e->events, c->begin > e->now ? c->begin : e->now, FUNCTION_ENDS, c->node, 0);
        break;
    default:
        break;
    }
}
