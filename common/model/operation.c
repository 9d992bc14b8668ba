/* SPDX-License-Identifier: MIT */
#include "model/state.h"

#include "trace/record/memory.h"

/* False: it is done. */
static bool depend_on(struct model *m, uint32_t node, uint32_t from, enum strength strength)
{
    struct engine_state *e = m->state;
    e->operations[from].followed |= strength < OBSERVED;
    if (e->operations[from].state == DONE
        || (strength == TRIGGERED && e->operations[from].blocks_untriggered == 0)
        || (strength == BEGUN && e->operations[from].blocks_waiting == 0))
        return false;
    MEMORY_GROW(e->links, e->link_count, e->link_capacity);
    struct operation *op = &e->operations[from];
    uint32_t link = (uint32_t)e->link_count++;
    e->links[link] = (struct link){ node, NO_NODE, strength };
    if (op->first_dependent == NO_NODE)
        op->first_dependent = link;
    else
        e->links[op->last_dependent].next = link;
    op->last_dependent = link;
    e->operations[node].missing++;
    return true;
}

/* Is the edge from another stream, or from what goes through no hardware queue? */
static bool comes_from_outside(const struct model *m, uint32_t from, uint32_t node)
{
    const struct span *before = &m->timeline->spans[from], *after = &m->timeline->spans[node];
    return before->stream != after->stream || operation(m, from)->by_engine;
}

/* An edge that is not done. */
static void counts_outside(struct model *m, uint32_t from, uint32_t node)
{
    struct operation *op = operation(m, node);
    const struct operation *before = operation(m, from);
    if (comes_from_outside(m, from, node)) {
        operation(m, op->outside_at)->outside++;
    } else if (m->timeline->spans[from].engine == ENGINE_NONE && op->outside_at == node) {
        operation(m, before->outside_at)->outside += op->outside;
        op->outside_at = before->outside_at;
    }
}

void operation_depends(struct model *m, uint32_t node)
{
    struct operation *op = operation(m, node);
    op->outside_at = node;
    size_t count;
    const struct edge *edges = hb_edges(m->order, node, &count);
    for (size_t i = 0; i < count; i++) {
        uint32_t from = edges[i].from, engine = m->timeline->spans[from].engine;
        enum strength strength = (enum strength)edges[i].strength;
        if (depend_on(m, node, from, strength) && strength >= OBSERVED)
            counts_outside(m, from, node);
        if (engine == ENGINE_KERNEL || (engine == ENGINE_NONE && operation(m, from)->after_kernel))
            op->after_kernel = true;
    }
}

bool operation_is_free(const struct model *m, uint32_t node, int64_t time)
{
    size_t count;
    const struct edge *edges = hb_edges(m->order, node, &count);
    for (size_t i = 0; i < count; i++) {
        const struct operation *from = operation(m, edges[i].from);
        const struct span *s = &m->timeline->spans[edges[i].from];
        if (s->engine != ENGINE_WAIT && (from->state == DONE ? s->end : from->over) > time)
            return false;
    }
    return true;
}

static bool is_prefetch(const struct model *m, uint32_t node)
{
    return m->timeline->calls[m->timeline->spans[node].call].kind == CALL_PREFETCH;
}

int64_t operation_begins(struct model *m, uint32_t node)
{
    struct span *s = &m->timeline->spans[node];
    operation(m, node)->state = RUNNING;
    s->start = m->state->now;
    bool moves = is_prefetch(m, node);
    bool asks = s->engine == ENGINE_KERNEL || s->engine == ENGINE_HOST_FUNC || moves;
    int64_t cost = asks && m->hooks.start ? m->hooks.start(m->hooks.context, node) : COST_UNKNOWN;
    if (moves && cost >= 0)
        m->timeline->spans[node].bytes = (uint64_t)cost;
    const int64_t most = INT64_C(1000000000000);
    return cost < most ? cost : most;
}

/* Kernels of a graph that are ready together begin one after the other: four 1.1 us apart,
 * sixteen 1.0 to 1.8 [M], about what kernels in a row have between them. */
static int64_t after_branches(const struct model *m, struct device *d, int64_t time)
{
    if (d->branch_time != time) {
        d->branch_time = time;
        d->branches = 0;
    }
    return m->card->kernel_ns * d->branches++;
}

/* How much later a prefetch begins whose stream is free at that time. */
static int64_t lateness(struct model *m, uint32_t node, int64_t time)
{
    const struct span *s = &m->timeline->spans[node];
    bool home = m->timeline->calls[s->call].dst_kind != MEM_DEVICE;
    struct operation *op = operation(m, node);
    op->late = time - s->queued > (home ? m->card->prefetch_home : 0);
    if (!op->late)
        return 0;
    bool awake = time <= m->state->streams[s->stream].awake;
    return m->card->prefetch_late + (awake ? 0 : m->card->prefetch_wake);
}

void operation_proceeds(struct model *m, uint32_t node)
{
    struct operation *op = operation(m, node);
    const struct span *s = &m->timeline->spans[node];
    if (!op->arrived || op->missing > 0)
        return;
    int64_t time = op->ready > m->state->now ? op->ready : m->state->now;
    if (is_prefetch(m, node))
        time += lateness(m, node, time);
    if (s->engine == ENGINE_KERNEL && op->in_graph)
        time += after_branches(m, &m->state->devices[s->device], time);
    events_push(&m->state->events, time, BECOMES_READY, node, 0);
}

/* One after the other, from where the kernel would have ended. */
static void place_migration(struct model *m, struct operation *op, struct migration *move)
{
    move->start = op->pages_at;
    op->pages_at = move->end = move->start + move->end;
    if (move->fault && !move->to_host)
        thrash_to_device(m, move->address, move->start);
}

void operation_moves_pages(struct model *m, uint32_t node, size_t migration)
{
    struct operation *op = operation(m, node);
    if (op->pages_at != TIME_NEVER)
        place_migration(m, op, &m->timeline->migrations[migration]);
    else if (op->first_migration == NO_NODE)
        op->first_migration = (uint32_t)migration;
}

bool operation_lasts(struct model *m, uint32_t node)
{
    struct operation *op = operation(m, node);
    if (op->lasts || !op->touches_pages)
        return false;
    op->lasts = true;
    m->timeline->spans[node].end = m->state->now;
    int64_t longer = m->hooks.end ? m->hooks.end(m->hooks.context, node) : 0;
    struct timeline *t = m->timeline;
    operation(m, node)->pages_at = m->state->now;
    for (size_t i = operation(m, node)->first_migration; i < t->migration_count; i++)
        if (t->migrations[i].node == node)
            place_migration(m, operation(m, node), &t->migrations[i]);
    if (longer <= 0)
        return false;
    t->spans[node].end = TIME_NEVER;
    events_push(&m->state->events, m->state->now + longer, OPERATION_ENDS, node, 0);
    return true;
}

bool model_is_dependent(const struct model *m, uint32_t kernel)
{
    return operation(m, kernel)->dependent;
}

bool model_is_synced(const struct model *m, uint32_t kernel)
{
    return !operation(m, kernel)->dependent || operation(m, kernel + 1)->missing <= 1;
}

static bool is_of_front_end(uint8_t kind)
{
    return kind == KIND_COMPUTE || kind == KIND_COMMAND;
}

static bool is_other_kind(uint8_t one, uint8_t other)
{
    return one != other && !(is_of_front_end(one) && is_of_front_end(other));
}

static bool is_quick(uint8_t kind)
{
    return kind == KIND_COMMAND || kind == KIND_UP || kind == KIND_DOWN;
}

/* How much later it begins, since it waits for `before`, which is of another kind and ends now. A
 * copy is kept by its engine instead while it gets to know, but not where all streams share one
 * queue [M].
 */
static int64_t waits_for_other_kind(struct model *m, uint32_t node, uint32_t before)
{
    const struct card *card = m->card;
    const struct span *s = &m->timeline->spans[node];
    struct operation *op = operation(m, node);
    bool quick = card->quick_depend_ns > 0 && m->timeline->spans[before].engine != ENGINE_NONE
                 && is_quick(operation(m, before)->kind) && is_quick(op->kind);
    int64_t takes = quick ? card->quick_depend_ns : card->depend_ns;
    op->waited = s->engine == ENGINE_HOST_FUNC;
    if (!op->by_engine || m->state->devices[s->device].queue_count == 1)
        return takes;
    op->hold = takes > op->hold ? takes : op->hold;
    return 0;
}

/* How much later `next` begins if `node` is an event with a time, which the device takes. Where it
 * was not measured: as after an operation of another kind, and marks follow at once. */
static int64_t time_for_time(struct model *m, uint32_t node, uint32_t next)
{
    if (!is_timed_event(m, node))
        return 0;
    if (m->card->record_ns > 0)
        return m->card->record_ns;
    return m->timeline->spans[next].engine != ENGINE_NONE
                   && !is_other_kind(operation(m, next)->kind, operation(m, node)->kind)
               ? waits_for_other_kind(m, next, node)
               : 0;
}

/* One less is missing. */
static void goes_on(struct model *m, uint32_t node)
{
    struct operation *op = operation(m, node);
    op->missing--;
    if (op->is_rest && op->missing == 1)
        events_push(&m->state->events, m->state->now, SYNCED, node - 1, 0);
    operation_proceeds(m, node);
}

int64_t dependent_time(const struct card *card)
{
    return card->dependent_ns > 0 ? card->dependent_ns : card->kernel_ns;
}

void operation_lets(struct model *m, uint32_t node, enum strength what)
{
    struct engine_state *e = m->state;
    for (uint32_t at = operation(m, node)->first_dependent; at != NO_NODE; at = e->links[at].next) {
        struct operation *op = operation(m, e->links[at].node);
        if (e->links[at].strength != what)
            continue;
        bool mark = m->timeline->spans[e->links[at].node].engine == ENGINE_NONE;
        int64_t ready = e->now + (mark ? 0 : dependent_time(m->card));
        op->ready = ready > op->ready ? ready : op->ready;
        goes_on(m, e->links[at].node);
    }
}

/* Those who waited for it together have been in each other's way until now. */
static void is_no_longer_outside(struct model *m, uint32_t node)
{
    const struct engine_state *e = m->state;
    for (uint32_t at = operation(m, node)->first_dependent; at != NO_NODE; at = e->links[at].next) {
        uint32_t next = e->links[at].node;
        if (e->links[at].strength >= OBSERVED && comes_from_outside(m, node, next))
            operation(m, operation(m, next)->outside_at)->outside--;
    }
}

void operation_ends(struct model *m, uint32_t node)
{
    struct engine_state *e = m->state;
    m->timeline->spans[node].end = e->now;
    operation(m, node)->state = DONE;
    if (operation(m, node)->late)
        e->streams[m->timeline->spans[node].stream].awake = e->now + m->card->prefetch_awake;
    e->ended++;
    if (m->hooks.end && !operation(m, node)->lasts)
        m->hooks.end(m->hooks.context, node);
    for (uint32_t at = operation(m, node)->first_dependent; at != NO_NODE; at = e->links[at].next) {
        uint32_t next = e->links[at].node;
        struct operation *op = operation(m, next);
        if (e->links[at].strength < OBSERVED)
            continue;
        const struct span *before = &m->timeline->spans[node], *after = &m->timeline->spans[next];
        int64_t ready = e->now + (after->device != before->device ? m->card->peer_depend_ns : 0);
        if (hb_is_of_other(m->order, before->stream) != hb_is_of_other(m->order, after->stream))
            ready += m->card->process_ns;
        if (op->begins_graph)
            ready += m->card->graph_ns;
        if ((after->engine == ENGINE_NONE || op->stands) && comes_from_outside(m, node, next))
            ready += queue_turns(m, next, node);
        uint8_t kind = operation(m, node)->kind;
        if (op->takes_kind)
            op->kind = kind;
        ready += time_for_time(m, node, next);
        if (after->engine != ENGINE_NONE
            && (is_other_kind(op->kind, kind) || after->device != before->device))
            ready += waits_for_other_kind(m, next, node);
        if (ready > op->ready)
            op->ready = ready;
        goes_on(m, next);
    }
    is_no_longer_outside(m, node);
}
