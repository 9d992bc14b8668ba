/* SPDX-License-Identifier: MIT */
#include "model/replay.h"

#include "model/quiescent.h"
#include "model/state.h"
#include "trace/record/log.h"
#include "trace/record/memory.h"

/* What the log says of nodes, from the model's `first` on: kernels' and functions' costs,
 * prefetches' bytes; how much longer pages make kernels last. A function's end is known when it
 * begins: on another card it may begin before one that the log has first, or be needed by what the
 * log has before its end. */
struct cost { int64_t is, longer; size_t parts; };
/* Of a kernel whose blocks trigger or wait for the kernel before: the parts after the first. */
struct parts {
    unsigned count;
    int64_t cost[KERNEL_PARTS];     /* [0] is the cost's own */
    uint8_t end[KERNEL_PARTS];      /* enum part_end */
};
static const size_t ONE_PART = SIZE_MAX;
struct costs {
    size_t first, count, capacity;
    struct cost *of;
    struct parts *parts;
    size_t parts_count, parts_capacity;
};

static const struct cost *cost_of(const void *context, uint32_t node)
{
    static const struct cost unknown = { COST_UNKNOWN, 0, ONE_PART };
    const struct costs *costs = (const struct costs *)context;
    bool known = node >= costs->first && node - costs->first < costs->count;
    return known ? &costs->of[node - costs->first] : &unknown;
}

static int64_t logged_cost(void *context, uint32_t node)
{
    return cost_of(context, node)->is;
}

static int64_t logged_longer(void *context, uint32_t node)
{
    return cost_of(context, node)->longer;
}

static const struct parts *parts_of(void *context, uint32_t node)
{
    size_t number = cost_of(context, node)->parts;
    return number == ONE_PART ? NULL : &((const struct costs *)context)->parts[number];
}

static enum part_end logged_part_end(void *context, uint32_t node, unsigned part)
{
    const struct parts *parts = parts_of(context, node);
    return parts ? (enum part_end)parts->end[part] : PART_ENDS_BLOCK;
}

static int64_t logged_part(void *context, uint32_t node, unsigned part)
{
    const struct parts *parts = parts_of(context, node);
    return parts ? parts->cost[part] : 0;
}

/* A cost is what a part takes; with a flag it is where the part ends, and there is another one. */
static void learn_part(struct costs *costs, struct cost *cost, const struct call *c)
{
    bool ends = c->flags & (COST_TRIGGERS | COST_SYNCS);
    if (!ends && cost->parts == ONE_PART) {
        cost->is = c->cost >= 0 ? c->cost : cost->is;
        return;
    }
    if (cost->parts == ONE_PART) {
        MEMORY_GROW(costs->parts, costs->parts_count, costs->parts_capacity);
        cost->parts = costs->parts_count++;
        costs->parts[cost->parts] = (struct parts){ .count = 0 };
        cost->is = cost->is >= 0 ? cost->is : 0;
    }
    struct parts *parts = &costs->parts[cost->parts];
    if (!ends) {
        parts->cost[parts->count] = c->cost >= 0 ? c->cost : COST_UNKNOWN;
    } else if (parts->count + 1 < KERNEL_PARTS) {
        if (parts->count > 0 && parts->cost[parts->count] < 0)
            parts->cost[parts->count] = 0;
        parts->end[parts->count++] = c->flags & COST_SYNCS ? PART_SYNCS : PART_TRIGGERS;
        parts->cost[parts->count] = COST_UNKNOWN;
    }
}

static void replay_migration(struct cost *cost, const struct card *card, const struct call *c)
{
    const int64_t most = INT64_C(1) << 50;
    if (c->flags & MIGRATE_PREFETCH)
        cost->is = c->bytes < (uint64_t)most ? (int64_t)c->bytes : most;
    else if (cost->longer < most)
        cost->longer += model_migration_time(card, c);
}

/* The call may say something of a node, the log's number `before` + k for the k-th here. */
static void costs_learn(struct costs *costs, const struct card *card, const struct call *c,
                        uint64_t before)
{
    for (int made = 0; made < 2; made++) {          /* a call makes two nodes at most */
        MEMORY_GROW(costs->of, costs->count, costs->capacity);
        costs->of[costs->count++] = (struct cost){ COST_UNKNOWN, 0, ONE_PART };
    }
    if (c->node < before || c->node - before >= costs->count)
        return;
    struct cost *cost = &costs->of[c->node - before];
    if (c->kind == CALL_COST)
        learn_part(costs, cost, c);
    if (c->kind == CALL_FUNCTION_BEGIN)
        cost->is = COST_OPEN;                       /* if the program ended in it */
    if (c->kind == CALL_FUNCTION_END)
        cost->is = c->cost > 0 ? c->cost : 0;
    if (c->kind == CALL_MIGRATE)
        replay_migration(cost, card, c);
}

static struct model_hooks hooks_of(struct costs *costs)
{
    return (struct model_hooks){ logged_cost, logged_longer, costs, logged_part_end, logged_part };
}

/* To the end of the program. */
static void run_out(struct model *m)
{
    int64_t end = 0;
    for (uint32_t thread = 0; thread < m->state->thread_count; thread++)
        if (model_now(m, thread) > end)
            end = model_now(m, thread);
    model_run(m, end);
}

void model_replay(const struct timeline *log, const struct card *card, struct timeline *t,
                  struct happens_before *o)
{
    struct costs costs = { .count = 0 };
    struct model m;
    struct model_hooks hooks = hooks_of(&costs);
    model_init(&m, card, 0, t, o, &hooks);
    timeline_take_strings(t, log);
    for (size_t i = 0; i < log->call_count; i++)
        costs_learn(&costs, card, &log->calls[i], 0);
    for (size_t i = 0; i < log->call_count; i++)
        model_call(&m, &log->calls[i]);
    run_out(&m);
    model_fini(&m);
    memory_resize(costs.of, 0);
    memory_resize(costs.parts, 0);
}

/* ---- in pieces ---- */

static uint32_t number_in_log(const struct replay_piece *p, uint32_t node)
{
    return node == NO_NODE ? NO_NODE : (uint32_t)(node - p->first_span + p->spans_before);
}

void replay_put_together(struct timeline *whole, const struct replay_piece *p)
{
    timeline_take_strings(whole, p->t);
    for (size_t i = 0; i < p->t->call_count; i++) {
        struct call c = p->t->calls[i];
        c.node = number_in_log(p, c.node);
        timeline_add_call(whole, &c);
    }
    for (size_t i = p->first_span; i < p->t->span_count; i++) {
        struct span s = p->t->spans[i];
        s.call += (uint32_t)p->calls_before;
        timeline_add_span(whole, &s);
    }
    for (size_t i = 0; i < p->t->migration_count; i++) {
        struct migration m = p->t->migrations[i];
        m.call += (uint32_t)p->calls_before;
        m.node = number_in_log(p, m.node);
        timeline_add_migration(whole, &m);
    }
}

/* Fewer calls make no piece: letting go takes time for what stays, too. */
enum { FEW = 4096 };
static const size_t BITE = 4096;

struct replay {
    struct log_reader reader;
    struct quiescent quiescent;
    struct timeline log;        /* calls that were read, but not yet given to the model */
    size_t scanned;             /* that many of them have gone through `quiescent` */
    struct model model;
    struct timeline t;
    struct happens_before order;
    struct costs costs;         /* of this piece's nodes */
    struct replay_piece piece;
    size_t enough;              /* calls before a piece may end */
    void (*give)(void *context, const struct replay_piece *p);
    void *context;
};

struct replay *replay_new(const struct card *card,
                          void (*piece)(void *context, const struct replay_piece *p), void *context)
{
    struct replay *r = (struct replay *)memory_resize(NULL, sizeof *r);
    memory_zero(r, sizeof *r);
    log_reader_init(&r->reader);
    quiescent_init(&r->quiescent);
    timeline_init(&r->log);
    timeline_init(&r->t);
    hb_init(&r->order);
    struct model_hooks hooks = hooks_of(&r->costs);
    model_init(&r->model, card, 0, &r->t, &r->order, &hooks);
    r->piece.t = &r->t;
    r->enough = FEW;
    r->give = piece;
    r->context = context;
    return r;
}

/* Of the log's number, the piece's: NO_NODE if it came before. */
static uint32_t number_here(const struct replay *r, uint32_t node)
{
    if (node == NO_NODE || node < r->piece.spans_before)
        return NO_NODE;
    return (uint32_t)(node - r->piece.spans_before + r->piece.first_span);
}

/* Gives the model all calls that have been scanned; their costs are known. */
static void feed(struct replay *r)
{
    struct timeline *log = &r->log;
    timeline_take_strings(&r->t, log);
    for (size_t i = 0; i < r->scanned; i++)
        costs_learn(&r->costs, r->model.card, &log->calls[i], r->piece.spans_before);
    for (size_t i = 0; i < r->scanned; i++) {
        struct call c = log->calls[i];
        c.node = number_here(r, c.node);
        model_call(&r->model, &c);
    }
    for (size_t i = r->scanned; i < log->call_count; i++)
        log->calls[i - r->scanned] = log->calls[i];
    log->call_count -= r->scanned;
    r->scanned = 0;
}

static void give_piece(struct replay *r)
{
    struct replay_piece *p = &r->piece;
    r->give(r->context, p);
    p->calls_before += r->t.call_count;
    p->spans_before += r->t.span_count - p->first_span;
}

/* All before call `next` is quiescent in the log. Is it over here, too? */
static void end_piece(struct replay *r)
{
    struct call next = r->log.calls[r->scanned];
    next.node = number_here(r, next.node);
    feed(r);
    thread_of(r->model.state, &next.thread);
    thread_catches_up(&r->model, &next);
    if (!model_is_idle(&r->model)) {
        r->enough = 2 * r->t.call_count;
        return;
    }
    give_piece(r);
    model_prune(&r->model);
    quiescent_prune(&r->quiescent);
    r->piece.first_span = r->costs.first = r->t.span_count;
    r->costs.count = r->costs.parts_count = 0;
    r->enough = FEW + 2 * r->t.span_count;
}

void replay_read(struct replay *r, const void *bytes, size_t count)
{
    const char *at = (const char *)bytes;
    while (count > 0) {
        size_t bite = count < BITE ? count : BITE;
        log_read(&r->reader, &r->log, at, bite);
        at += bite;
        count -= bite;
        for (; r->scanned < r->log.call_count; r->scanned++) {
            if (quiescent_before(&r->quiescent, &r->log.calls[r->scanned])
                && r->t.call_count + r->scanned >= r->enough)
                end_piece(r);
            quiescent_call(&r->quiescent, &r->log.calls[r->scanned]);
        }
    }
}

const char *replay_end(struct replay *r)
{
    feed(r);
    run_out(&r->model);
    r->piece.last = true;
    give_piece(r);
    const char *error = r->reader.error;
    model_fini(&r->model);
    hb_fini(&r->order);
    quiescent_fini(&r->quiescent);
    timeline_fini(&r->t);
    timeline_fini(&r->log);
    log_reader_fini(&r->reader);
    memory_resize(r->costs.of, 0);
    memory_resize(r->costs.parts, 0);
    memory_resize(r, 0);
    return error;
}
