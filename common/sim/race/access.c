/* SPDX-License-Identifier: MIT */
#include "sim/race/access.h"

#include <stdlib.h>
#include <string.h>

#include "sim/call_log.h"
#include "sim/memory/allocation.h"
#include "sim/memory/because.h"
#include "sim/race/access_place.h"
#include "sim/race/flags.h"
#include "sim/race/seen/access_seen.h"
#include "sim/race/seen/initialised.h"
#include "sim/race/uninitialised.h"
#include "sim/race/updates.h"
#include "trace/order/hazard_calls.h"
#include "trace/record/memory.h"

static struct {
    bool on;
    struct vector_clocks clocks;
    struct hazards hazards;
    struct hazard_ranges ranges;    /* of the operation that is being told of */
    struct host_access *hosts;      /* by point; other operations than host functions have none */
    size_t host_count, host_capacity;
    struct operation_access {
        bool ended;
        bool reported;              /* of what it touched, before its end */
        struct hazard_range *ranges;    /* what was seen of it so far */
        size_t count;
    } *nodes;
    size_t node_count, node_capacity;
    size_t pending;                 /* operations that have not ended */
} seen;

/* NULL: no host function is that operation. `h`: what is asked where it touched it. */
static const struct host_access *host_of(const struct hazard *h, uint32_t point, bool writes)
{
    struct host_access *host = point < seen.host_count ? &seen.hosts[point] : NULL;
    if (hazards_node(&seen.hazards, point) == NO_NODE || !host)
        return host;
    host->pc = NULL;
    for (const struct access_run *r = host->runs; r < host->runs + host->run_count; r++)
        if (r->write == writes && h->from >= r->from && h->from < r->to)
            host->pc = r->pc;
    return host->pc ? host : NULL;
}

static void report(void *context, const struct hazard *h)
{
    (void)context;
    uninitialised_drop(h->from, h->to);
    access_report(h, hazards_node(&seen.hazards, h->first), hazards_node(&seen.hazards, h->then),
                  host_of(h, h->first, h->first_writes), host_of(h, h->then, h->then_writes));
}

static void hears_flag(const volatile void *at);
static bool block_freed(uintptr_t block, size_t bytes);
static void block_allocated(uintptr_t block, size_t bytes);

bool access_wanted(void)
{
    const char *text = getenv("SIM_HAZARDS");
    return !text || strcmp(text, "0") != 0;
}

void access_begin(void)
{
    seen.on = access_wanted();
    if (!seen.on)
        return;
    vector_clocks_init(&seen.clocks, &sim.order);
    seen.clocks.apart = true;
    access_threads_begin(&seen.clocks, access_up_to_now, update_met);
    hazards_init(&seen.hazards, &seen.clocks, report, NULL);
    access_freeing = block_freed;
    access_allocated = block_allocated;
    access_overran = access_report_overrun;
    words_heap_maker = access_heap_maker;
    access_flags = (struct access_meetings){ .tells = access_tells_flag, .hears = hears_flag };
    uintptr_t managed;
    size_t bytes;
    managed_variables(&managed, &bytes);
    if (bytes > 0)
        access_variables(managed, bytes);
}

/* Takes in what the order has made since the last time. */
static void follow(void)
{
    vector_clocks_made(&seen.clocks);
    while (seen.node_count < sim.order.node_count) {
        uint32_t node = (uint32_t)seen.node_count;
        bool wait = hb_is_wait(&sim.order, node);
        seen.nodes =
            memory_grow(seen.nodes, seen.node_count, &seen.node_capacity, sizeof *seen.nodes);
        seen.nodes[seen.node_count++] = (struct operation_access){ .ended = wait };
        seen.pending += !wait;
        if (!wait && node < sim.timeline.span_count)
            access_place_read(&sim.timeline.calls[sim.timeline.spans[node].call], node);
    }
}

static void remember(uint32_t point, struct host_access host)
{
    while (seen.host_count <= point) {
        seen.hosts =
            memory_grow(seen.hosts, seen.host_count, &seen.host_capacity, sizeof *seen.hosts);
        seen.hosts[seen.host_count++] = (struct host_access){ 0 };
    }
    seen.hosts[point] = host;
}

/* What an operation does with memory that comes and goes in streams. */
static void tell_freed(uint32_t node, const struct hazard_range *ranges, size_t count)
{
    size_t call = sim.timeline.spans[node].call;
    const struct call *c = &sim.timeline.calls[call];
    if (c->kind == CALL_MALLOC)
        freed_forget(c->dst, c->dst + c->bytes);
    else if (c->kind == CALL_FREE)
        freed_add(call, node);
    else
        freed_meets(node, ranges, count);
}

static void tell_node(uint32_t node)
{
    const struct operation_access *n = &seen.nodes[node];
    const struct call *c = &sim.timeline.calls[sim.timeline.spans[node].call];
    seen.ranges.count = 0;
    if (n->count == 0)
        hazard_ranges_add(&seen.ranges, c);
    if (c->kind == CALL_COPY || c->kind == CALL_SET)
        for (size_t i = 0; i < seen.ranges.count; i++)
            flag_copied(node, &seen.ranges.list[i]);
    const struct hazard_range *ranges = n->count > 0 ? n->ranges : seen.ranges.list;
    size_t count = n->count > 0 ? n->count : seen.ranges.count;
    if (count > 0)
        hazards_touch(&seen.hazards, hazards_operation(&seen.hazards, node), ranges, count);
    tell_freed(node, ranges, count);
}

void access_variables(uint64_t at, uint64_t bytes)
{
    static uint64_t from = UINT64_MAX, to;
    from = at < from ? at : from;
    to = at + bytes > to ? at + bytes : to;
    access_watch_variables(from, to);
}

/* A point of the calling thread. */
static uint32_t host_point(struct host_access host, bool lasting)
{
    uint32_t thread = thread_self()->number, point = hazards_host(&seen.hazards, thread, lasting);
    host.calls = call_log_count();
    host.made = sim.timeline.call_count;
    host.thread = thread;
    remember(point, host);
    return point;
}

/* May operations still meet what the host does now? */
static bool lasts(void)
{
    return seen.pending > 0 || access_many_threads();
}

/* The runs of one instruction of the host. */
static void tell_host(const struct access_run *runs, size_t count, int64_t now)
{
    uint32_t point = host_point((struct host_access){ .what = runs[0].write ? "writes" : "reads",
                                                      .pc = runs[0].pc,
                                                      .held = access_held(),
                                                      .time = now },
                                lasts());
    struct hazard_range *ranges = memory_resize(NULL, count * sizeof *ranges);
    size_t some = 0;
    for (size_t i = 0; i < count; i++)
        some += access_place(&runs[i], NO_NODE, &ranges[some]);
    if (some > 0)
        hazards_touch(&seen.hazards, point, ranges, some);
    memory_resize(ranges, 0);
}

static void flush_host(void)
{
    size_t count, i = 0;
    const struct access_run *runs = access_take(&count);
    if (count == 0)
        return;
    int64_t now = model_now(&sim.model, thread_self()->number);
    follow();
    access_place_report_strays(runs, count, NO_NODE);
    while (i < count) {
        size_t first = i;
        while (i < count && runs[i].pc == runs[first].pc && runs[i].write == runs[first].write)
            i++;
        tell_host(runs + first, i - first, now);
    }
}

void access_before_call(void)
{
    if (seen.on)
        flush_host();
}

void access_after_call(void)
{
    if (!seen.on)
        return;
    follow();
    access_place_watch(&seen.clocks);
    if (seen.pending == 0 && uninitialised_pending())
        uninitialised_tell();
}

void access_enter(void)
{
    if (!seen.on)
        return;
    flush_host();
    access_watch_all(false);        /* what kernels have on their stacks is nobody else's */
}

/* Of a function, which may tell other threads of what it has done: told at once. */
static void tell_function(uint32_t node, const struct access_run *runs, size_t count)
{
    struct hazard_range *ranges = memory_resize(NULL, count * sizeof *ranges);
    struct host_access access = { .runs = memory_resize(NULL, count * sizeof *access.runs),
                                  .held = access_held() };
    for (size_t i = 0; i < count; i++)
        if (access_place(&runs[i], node, &ranges[access.run_count]))
            access.runs[access.run_count++] = runs[i];
    uint32_t point = hazards_function(&seen.hazards, node, thread_self()->number);
    remember(point, access);
    if (access.run_count > 0)
        hazards_touch(&seen.hazards, point, ranges, access.run_count);
    memory_resize(ranges, 0);
}

void access_function_begins(uint32_t node)
{
    if (!seen.on)
        return;
    flush_host();
    follow();
    vector_clocks_function_begins(&seen.clocks, thread_self()->number, node);
}

void access_function_ends(void)
{
    if (seen.on)
        vector_clocks_function_ends(&seen.clocks, thread_self()->number);
}

/* ---- flags: an operation's store is seen by a host that reads the same variable, and the other
 * way round ---- */

void access_hears_writer(const void *at)
{
    struct thread *self = thread_self();
    if (!seen.on)
        return;
    self->locks++;
    access_up_to_now();
    follow();
    uint32_t node = hazards_last_writer(&seen.hazards, (uintptr_t)at);
    if (node != NO_NODE)
        vector_clocks_hear_node(&seen.clocks, self->number, node);
    self->locks--;
}

static void hears_flag(const volatile void *object)
{
    struct thread *self = thread_self();
    if (sim.in_effect || !self->task)
        return;
    uint32_t node = flag_last_stored((uintptr_t)object);
    if (node == NO_NODE || vector_clocks_knows(&seen.clocks, self->number, node))
        return;
    self->locks++;                  /* no turn is passed on */
    access_up_to_now();
    follow();
    vector_clocks_hear_node(&seen.clocks, self->number, node);
    if (!seen.nodes[node].ended && !seen.nodes[node].reported)
        tell_node(node);
    seen.nodes[node].reported = true;
    self->locks--;
}

/* What `node`, a kernel or a host function, has touched since the last time. */
static void take_runs(uint32_t node)
{
    size_t count;
    const struct access_run *runs = access_take(&count);
    if (count == 0)
        return;
    follow();
    access_place_report_strays(runs, count, node);
    for (size_t i = 0; i < count; i++)
        if (runs[i].uninitialised && !access_place_strays(&runs[i], node) && !access_by_host(node))
            uninitialised_load(node, &runs[i]);
    if (access_by_host(node)) {
        tell_function(node, runs, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        flag_met(node, &runs[i]);
    struct operation_access *n = &seen.nodes[node];
    n->ranges = memory_resize(n->ranges, (n->count + count) * sizeof *n->ranges);
    for (int write = 0; write < 2; write++) {
        struct hazard_range *from = n->ranges + n->count;
        size_t some = 0;
        for (size_t i = 0; i < count; i++)
            if (runs[i].write == write)
                some += access_place(&runs[i], node, &from[some]);
        n->count += access_place_merge(from, some);
    }
}

void access_up_to_now(void)
{
    const struct thread *thread = thread_self();
    if (!seen.on)
        return;
    if (thread->in_function)
        take_runs(thread->function);
    else
        flush_host();
}

void access_leave(uint32_t node)
{
    if (!seen.on)
        return;
    take_runs(node);
    access_watch_all(access_many());
}

void access_ended(uint32_t node)
{
    if (!seen.on)
        return;
    follow();
    vector_clocks_ended(&seen.clocks, node);
    seen.nodes[node].ended = true;
    seen.pending--;
    if (sim.sticky == cudaSuccess && access_is_instrumented)
        uninitialised_operation(node, &sim.timeline.calls[sim.timeline.spans[node].call]);
    if (sim.sticky == cudaSuccess && !seen.nodes[node].reported)
        tell_node(node);
    memory_resize(seen.nodes[node].ranges, 0);
    seen.nodes[node].ranges = NULL;
}

/* ---- memory that goes ---- */

static void forget(uint64_t from, uint64_t to)
{
    hazards_clear(&seen.hazards, from, to);
    updates_clear((uintptr_t)from, (uintptr_t)to);
}

void access_given_back(size_t call)
{
    if (!seen.on)
        return;
    const struct call *c = &sim.timeline.calls[call];
    bool at_once = c->flags & CALL_ASYNC; /* a pool's: kernels that are still to run may use it, and
                                             say so when they end */
    struct host_access host = { .what =
                                    c->kind == CALL_FREE ? "gives them back" : "unregisters them",
                                .file = c->file, .line = c->line, .time = c->begin, .frees = true,
                                .at_once = at_once,
                                .waits =
                                    c->kind == CALL_FREE && !at_once && c->dst_kind != MEM_PINNED };
    follow();
    hazards_touch(&seen.hazards, host_point(host, at_once && lasts()),
                  &(struct hazard_range){ .from = c->dst, .to = c->dst + c->bytes, .write = true },
                  1);
    if (at_once)
        freed_add(call, NO_NODE);
    else
        forget(c->dst, c->dst + c->bytes);
}

/* The host's own memory goes, by the caller's doing. */
static void host_gives_up(uintptr_t from, uintptr_t to, const char *what)
{
    struct thread *thread = thread_self();
    struct host_access host = {
        .what = what, .frees = true, .at_once = true, .time = model_now(&sim.model, thread->number)
    };
    host.frames = memory_resize(NULL, sizeof *host.frames);
    *host.frames = source_frames_now();
    access_up_to_now();
    follow();
    uint32_t point = thread->in_function
                         ? hazards_function(&seen.hazards, thread->function, thread->number)
                         : host_point(host, lasts());
    hazards_touch(&seen.hazards, point,
                  &(struct hazard_range){ .from = from, .to = to, .write = true }, 1);
}

/* The program's own memory goes: copies that were not waited for may still be to touch it. */
static bool block_freed(uintptr_t block, size_t bytes)
{
    struct thread *thread = thread_self();
    if (sim.in_effect || !thread->task)
        return false;
    bool queued = access_place_queued(block, block + bytes);
    bool by_runtime =
        thread->locks > 0; /* a launch's arguments, say: whichever thread is there drops them */
    thread->locks++;                            /* no turn is passed on */
    if (queued || (access_many() && !by_runtime))
        host_gives_up(block, block + bytes, "frees them");
    if (!by_runtime)
        access_report_registered(block, bytes);
    thread->locks--;
    return access_many() && !by_runtime;
}

void access_frames_gone(const void *lowest)
{
    enum {
        DEPTH = 32 << 10
    }; /* what functions have for their variables, and no more is looked at */
    struct thread *thread = thread_self();
    uintptr_t from, to, end = (uintptr_t)lowest;
    if (!seen.on || !lasts() || thread->in_function || !thread->task || !access_stack(&from, &to)
        || end - from >= to - from)
        return;
    thread->locks++;
    host_gives_up(end - from > DEPTH ? end - DEPTH : from, end,
                  "returns from the function that has them");
    thread->locks--;
}

/* What others did with memory that was at this place before does not matter to the one who has it
 * now. */
static void block_allocated(uintptr_t block, size_t bytes)
{
    if (access_many() && !sim.in_effect && !access_place_is_read(block, block + bytes))
        forget(block, block + bytes);
}

void access_stack_begins(void)
{
    uintptr_t from, to;
    if (seen.on && access_stack(&from, &to))
        forget(from, to);
}

void access_new(const void *at, uint64_t bytes)
{
    if (!seen.on)
        return;
    access_check_anew();
    initialised_new((uint64_t)(uintptr_t)at, bytes);
}

void access_padding(const void *at, uint64_t bytes)
{
    if (seen.on)
        initialised_mark((uint64_t)(uintptr_t)at, bytes);
}

void access_clear(uint64_t at, uint64_t bytes)
{
    if (!seen.on)
        return;
    forget(at, at + bytes);
    freed_forget(at, at + bytes);
}

static void tell_the_rest(void)
{
    if (!sim.in_effect)
        flush_host();
    follow();
    for (uint32_t node = 0; node < seen.node_count; node++)
        if (!seen.nodes[node].ended) {
            vector_clocks_ended(&seen.clocks, node);
            tell_node(node);
        }
    uninitialised_tell();
}

void access_finish(void)
{
    if (!seen.on)
        return;
    if (sim.sticky == cudaSuccess)
        tell_the_rest();
    access_show_more();
}
