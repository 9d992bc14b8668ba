/* SPDX-License-Identifier: MIT */
#include "sim/race/updates.h"

#include "sim/call_log.h"
#include "sim/race/access.h"
#include "sim/source_line.h"
#include "trace/record/memory.h"

enum { STORES = 256 };          /* of more the oldest are forgotten */

/* A thread's latest store in a variable. */
static struct last_store {
    uintptr_t from, to;         /* equal: no store */
    uint32_t node;              /* the host function; NO_NODE: the host */
    uint32_t epoch;
    const void *read;           /* as in struct volatile_store */
    struct host_access by;
} latest[STORES];
static size_t store_count, oldest;

/* Are the two instructions of one line? */
static bool one_line(const void *read, const void *write)
{
    static struct known { const void *read, *write; bool one; } *known;
    static size_t count, capacity;
    for (size_t i = 0; i < count; i++)
        if (known[i].read == read && known[i].write == write)
            return known[i].one;
    uint32_t file, line, other_file, other_line;
    bool one = source_line(read, &file, &line) && source_line(write, &other_file, &other_line)
               && file == other_file && line == other_line;
    known = memory_grow(known, count, &capacity, sizeof *known);
    known[count++] = (struct known){ read, write, one };
    return one;
}

static bool is_update(const struct last_store *s)
{
    return s->read && one_line(s->read, s->by.pc);
}

/* Does the present of `then` come after the store `first`, looks at volatiles counted or not? */
static bool is_ordered(struct vector_clocks *clocks, const struct last_store *first,
                       const struct last_store *then, bool looks)
{
    uint32_t thread = then->by.thread;
    if (first->node != NO_NODE && first->node == then->node)
        return true;
    if (looks)
        return (first->node != NO_NODE && vector_clocks_knows(clocks, thread, first->node))
               || vector_clocks_knows_epoch(clocks, thread, first->by.thread, first->epoch);
    return (first->node != NO_NODE && vector_clocks_surely_knows(clocks, thread, first->node))
           || vector_clocks_surely_knows_epoch(clocks, thread, first->by.thread, first->epoch);
}

static void update_meets(struct vector_clocks *clocks, const struct last_store *first,
                         const struct last_store *then)
{
    if (is_ordered(clocks, first, then, false))
        return;
    if (!is_update(then) && (!is_update(first) || is_ordered(clocks, first, then, true)))
        return;
    struct hazard h = { .from = first->from > then->from ? first->from : then->from,
                        .to = first->to < then->to ? first->to : then->to,
                        .first_writes = true, .then_writes = true };
    access_report(&h, first->node, then->node, &first->by, &then->by);
}

void update_met(struct vector_clocks *clocks, const struct volatile_store *store)
{
    struct thread *thread = thread_self();
    uintptr_t at = (uintptr_t)store->at;
    if (thread->in_function && access_own_stack(at))
        return;         /* the next function's variables will lie there, too */
    struct last_store s = { .from = at, .to = at + store->bytes,
                       .node = thread->in_function ? thread->function : NO_NODE,
                       .read = store->read ? source_here(store->read) : NULL,
                       .by = { .what = "writes",
                               .pc = source_here(store->pc),
                               .held = access_held(),
                               .time = model_now(&sim.model, thread->number),
                               .calls = call_log_count(),
                               .made = sim.timeline.call_count,
                               .thread = thread->number,
                               .updates = true } };
    struct last_store *own = NULL;
    thread->locks++;                /* no turn is passed on */
    s.epoch = vector_clocks_epoch(clocks, thread->number);
    for (size_t i = 0; i < store_count; i++) {
        if (latest[i].from == latest[i].to && !own)
            own = &latest[i];
        if (latest[i].from >= s.to || latest[i].to <= s.from)
            continue;
        if (latest[i].by.thread == thread->number && latest[i].from == s.from)
            own = &latest[i];
        update_meets(clocks, &latest[i], &s);
    }
    if (!own && store_count < STORES)
        own = &latest[store_count++];
    else if (!own)
        own = &latest[oldest++ % STORES];
    *own = s;
    thread->locks--;
}

void updates_clear(uintptr_t from, uintptr_t to)
{
    for (size_t i = 0; i < store_count; i++)
        if (latest[i].from < to && latest[i].to > from)
            latest[i].to = latest[i].from;
}
