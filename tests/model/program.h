/* SPDX-License-Identifier: MIT */
/*
 * program.h - random programs, run as the simulator runs them: the turn goes to
 * the host thread with the lowest present, the device is stepped in between,
 * functions that streams call run in a thread of their own and say themselves
 * when they end. What a program did stands in `r.timeline`; at its end all
 * threads have waited for the device.
 */
#ifndef TESTS_PROGRAM_H
#define TESTS_PROGRAM_H

#include "rig.h"

enum { PROGRAM_STREAMS = 6, PROGRAM_EVENTS = 4, PROGRAM_THREADS = 3, PROGRAM_FUNCTIONS = 64 };

static struct rig r;

static uint32_t state_;
static uint32_t dice(uint32_t sides)
{
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 16) % sides;
}

/* The thread for functions: those that have started, in that order. */
static struct {
    uint32_t thread;
    uint32_t node[PROGRAM_FUNCTIONS];
    unsigned first, count;
    bool begun;                 /* the first of them */
    int64_t at;                 /* its present, TIME_NEVER: it has nothing to do */
} functions;

/* ---- what the device asks ---- */

/* Of some kernels: where blocks trigger or wait for the kernel before. */
static enum part_end part_ends(void *context, uint32_t node, unsigned part)
{
    (void)context;
    static const enum part_end ends[6][2] = { { PART_TRIGGERS, PART_SYNCS },
                                              { PART_SYNCS, PART_TRIGGERS }, { PART_SYNCS },
                                              { PART_TRIGGERS } };
    return node % 3 == 0 || part >= 2 ? PART_ENDS_BLOCK : ends[node / 3 % 6][part];
}

static int64_t part_begins(void *context, uint32_t node, unsigned part)
{
    (void)context;
    return 1000 * ((node + 31 * part) % 97);
}

/* What it says of all of them, once. */
static void tell_parts(uint32_t node, int64_t first)
{
    struct call cost = { .kind = CALL_COST, .node = node, .cost = first },
                mark = { .kind = CALL_COST, .node = node, .cost = COST_UNKNOWN };
    model_call(&r.model, &cost);
    for (unsigned part = 0; part_ends(NULL, node, part) != PART_ENDS_BLOCK; part++) {
        mark.flags = part_ends(NULL, node, part) == PART_SYNCS ? COST_SYNCS : COST_TRIGGERS;
        model_call(&r.model, &mark);
        cost.cost = part_begins(NULL, node, part + 1);
        model_call(&r.model, &cost);
    }
}

/* A kernel says what it costs when it starts. */
static int64_t start(void *context, uint32_t node)
{
    (void)context;
    int64_t cost = 1000 * (1 + node % 97);
    if (r.timeline.spans[node].engine == ENGINE_HOST_FUNC) {
        functions.node[(functions.first + functions.count++) % PROGRAM_FUNCTIONS] = node;
        if (functions.at == TIME_NEVER)
            functions.at = r.timeline.spans[node].start;
        return COST_OPEN;
    }
    if (node % 3 == 0 || r.timeline.spans[node].engine != ENGINE_KERNEL)
        return COST_UNKNOWN;
    tell_parts(node, cost);
    return cost;
}

/* Its pages move when it has ended, and make it last longer. */
static int64_t end(void *context, uint32_t node)
{
    (void)context;
    if (node % 11 != 0 || r.timeline.spans[node].engine != ENGINE_KERNEL)
        return 0;
    struct call c = { .kind = CALL_MIGRATE, .node = node, .bytes = 65536, .dst_kind = MEM_DEVICE,
                      .flags = MIGRATE_FAULT };
    model_call(&r.model, &c);
    return model_migration_time(r.model.card, &c);
}

/* ---- turns ---- */

static void function_goes_on(void)
{
    struct call c = { .kind = CALL_FUNCTION_BEGIN, .thread = functions.thread,
                      .node = functions.node[functions.first % PROGRAM_FUNCTIONS] };
    if (functions.begun) {
        c.kind = dice(3) ? CALL_FUNCTION_END : CALL_FUNCTION_WORK;
        c.cost = c.kind == CALL_FUNCTION_WORK
                     ? 100 * dice(300)
                     : model_now(&r.model, c.thread) - r.timeline.spans[c.node].start;
    }
    functions.begun = c.kind != CALL_FUNCTION_END;
    rig_call(&r, c);
    functions.at = model_now(&r.model, c.thread);
    if (functions.begun)
        return;
    functions.first++;
    if (--functions.count == 0)
        functions.at = TIME_NEVER;
}

/* The thread whose turn it is, of those in the mask: the one that can go on and is furthest behind,
 * once the device has got there. NO_NODE: none can ever go on. */
static uint32_t whose_turn(uint32_t mask)
{
    for (;;) {
        uint32_t turn = NO_NODE;
        int64_t at = functions.at;
        for (uint32_t i = 0; i < PROGRAM_THREADS; i++)
            if (mask >> i & 1 && !model_waits(&r.model, i) && model_now(&r.model, i) < at) {
                turn = i;
                at = model_now(&r.model, i);
            }
        bool steps =
            model_next(&r.model) != TIME_NEVER
            && (at == TIME_NEVER || (model_waiting(&r.model) && model_next(&r.model) < at));
        if (steps)
            model_step(&r.model);
        else if (turn != NO_NODE || at == TIME_NEVER)
            return turn;
        else
            function_goes_on();
    }
}

/* ---- calls ---- */

static void set_copy(struct call *c)
{
    static const uint32_t kinds[][2] = { { MEM_PINNED, MEM_DEVICE },   { MEM_PINNED, MEM_DEVICE },
                                         { MEM_DEVICE, MEM_PINNED },   { MEM_DEVICE, MEM_PINNED },
                                         { MEM_PAGEABLE, MEM_DEVICE }, { MEM_DEVICE, MEM_DEVICE },
                                         { MEM_DEVICE, MEM_PAGEABLE } };
    uint32_t kind = dice(7);
    c->kind = CALL_COPY;
    c->flags |= CALL_ASYNC;
    c->bytes = 1 + (dice(2) ? dice(20000) : dice(2000) * 1000);
    c->src_kind = kinds[kind][0];
    c->dst_kind = kinds[kind][1];
    if (r.model.card->devices > 1 && c->src_kind == MEM_DEVICE && c->dst_kind == MEM_DEVICE) {
        c->dst_device = dice(2);
        c->flags |= dice(2) ? COPY_DIRECT : 0;
    }
}

static void set_kernel(struct call *c)
{
    c->kind = CALL_LAUNCH;
    c->grid[0] = 1 + dice(400);
    c->block[0] = 128;
}

static void set_memset(struct call *c)
{
    c->kind = CALL_SET;
    c->bytes = 10000;
    c->dst_kind = MEM_DEVICE;
    c->flags |= CALL_ASYNC;
}

static void graph(uint32_t thread, uint32_t stream)
{
    struct call launch = { .kind = CALL_GRAPH_LAUNCH, .thread = thread, .stream = stream };
    rig_call(&r, launch);
    uint32_t nodes = 1 + dice(7);
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t from = 0; from < i; from++)
            if (dice(3) == 0) {
                struct call edge = { .kind = CALL_GRAPH_EDGE, .thread = thread, .stream = stream,
                                     .src = from, .flags = dice(2) ? LAUNCH_DEPENDENT : 0 };
                if (edge.flags && dice(2))
                    edge.flags |= EDGE_AT_LAUNCH;
                rig_call(&r, edge);
            }
        struct call node = {
            .kind = CALL_GRAPH_EMPTY, .thread = thread, .stream = stream, .flags = GRAPH_NODE
        };
        switch (dice(6)) {
        case 0: case 1: set_kernel(&node), node.flags |= dice(2) ? LAUNCH_DEPENDENT : 0; break;
        case 2: case 3: set_copy(&node); break;
        case 4: set_memset(&node); break;
        default: node.kind = dice(2) ? CALL_HOST_FUNC : CALL_GRAPH_EMPTY;
        }
        rig_call(&r, node);
    }
    launch.kind = CALL_GRAPH_END;
    rig_call(&r, launch);
}

static void one_call(uint32_t thread, uint32_t threads)
{
    struct call c = { .thread = thread,
                      .stream = dice(PROGRAM_STREAMS),
                      .event = dice(PROGRAM_EVENTS) };
    switch (dice(12)) {
    case 0: case 1: case 2: set_kernel(&c), c.flags |= dice(2) ? LAUNCH_DEPENDENT : 0; break;
    case 3: case 4: set_copy(&c); break;
    case 5: set_memset(&c); break;
    case 6:
        c.kind = CALL_EVENT_RECORD, c.flags |= dice(3) ? 0 : EVENT_NO_TIMING | EVENT_AT_LAUNCH;
        break;
    case 7: c.kind = CALL_STREAM_WAIT; break;
    case 8: c.kind = dice(3) ? CALL_HOST_WORK : CALL_STREAM_SYNC, c.cost = dice(100000); break;
    case 9: c.kind = dice(3) ? CALL_EVENT_SYNC : CALL_HOST_FUNC; break;
    case 10:
        if (dice(3) == 0)
            graph(thread, c.stream);
        return;
    default:
        switch (dice(20)) {
        case 0: c.kind = CALL_DEVICE_SYNC; break;
        case 1: c.kind = CALL_MALLOC, c.dst_kind = MEM_DEVICE; break;
        case 2: c.kind = CALL_FREE, c.dst_kind = MEM_DEVICE; break;
        case 3: c.kind = CALL_OTHER, c.flags = CALL_CACHE_CONFIG; break;
        case 4: /* another is woken, as if it had waited for that */
            c.kind = CALL_THREAD_WAKE, c.src = thread, c.thread = dice(threads), c.node = NO_NODE;
            if (model_waits(&r.model, c.thread)
                || model_now(&r.model, c.thread) >= model_now(&r.model, thread))
                return;
            break;
        default: c.kind = CALL_OTHER;
        }
    }
    rig_call(&r, c);
}

/* Now and then, all threads wait until nothing is under way: by the device, or stream by stream. */
static void rest(uint32_t threads)
{
    bool by_stream = dice(2);
    uint32_t waits[PROGRAM_THREADS] = { 0 },
             most = by_stream ? PROGRAM_STREAMS : (uint32_t)r.model.card->devices;
    for (uint32_t mask = (1u << threads) - 1; mask != 0;) {
        uint32_t turn = whose_turn(mask), number = waits[turn]++;
        struct call c = { .kind = by_stream ? CALL_STREAM_SYNC : CALL_DEVICE_SYNC,
                          .thread = turn,
                          .stream = number,
                          .device = by_stream ? 0 : number };
        if (number == most) {
            c.kind = CALL_OTHER;
            mask &= ~(1u << turn);
        }
        rig_call(&r, c);
    }
}

static void program(const char *card, uint32_t seed, uint32_t threads, int calls)
{
    rig_start(&r, card, 0, 1000);
    r.model.hooks = (struct model_hooks){
        .start = start, .end = end, .part_ends = part_ends, .part_begins = part_begins
    };
    state_ = seed;
    for (uint32_t i = 1; i < PROGRAM_STREAMS; i++) {
        struct call stream = { .kind = CALL_STREAM_CREATE, .stream = i,
                               .flags = i % 2 ? STREAM_NON_BLOCKING : 0,
                               .priority = -(int32_t)(i % 3), .device = i / 4 };
        if (i == 4 && r.model.card->devices > 1)
            stream.flags = STREAM_LEGACY;
        stream.device = r.model.card->devices > 1 ? stream.device : 0;
        rig_call(&r, stream);
    }
    for (uint32_t i = 0; i < PROGRAM_EVENTS; i++)
        rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = i });
    for (uint32_t i = 1; i <= threads; i++)
        rig_call(&r, (struct call){ .kind = CALL_THREAD_BEGIN, .thread = i, .node = NO_NODE });
    functions.thread = threads;
    functions.first = functions.count = 0;
    functions.begun = false;
    functions.at = TIME_NEVER;
    for (int i = 0; i < calls; i++) {
        one_call(whose_turn((1u << threads) - 1), threads);
        if (i % 500 == 499)
            rest(threads);
    }
    rest(threads);
}

#endif
