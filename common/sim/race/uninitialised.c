/* SPDX-License-Identifier: MIT */
/*
 * Reads of memory that nobody has written.
 *
 * Where the writer merely comes too late there is a hazard, and one line about
 * it is enough: so nothing is said until no operation is left that could turn
 * out to be that writer.
 */
#include "sim/race/uninitialised.h"

#include <stdio.h>

#include "sim/race/access.h"
#include "sim/race/seen/initialised.h"
#include "trace/order/hazard_calls.h"
#include "trace/record/memory.h"

static struct {
    struct pending_read {
        uint32_t node;
        const void *pc;             /* NULL: a copy */
        uint64_t from, to;
        size_t calls;               /* that had been made */
    } *list;
    size_t count, capacity;
    struct said { const void *pc; uint32_t file, line; } *said;  /* whose memory it was */
    size_t said_count, said_capacity;
} pending;

bool uninitialised_pending(void)
{
    return pending.count > 0;
}

static void add_read(struct pending_read f)
{
    f.calls = sim.timeline.call_count;
    pending.list =
        memory_grow(pending.list, pending.count, &pending.capacity, sizeof *pending.list);
    pending.list[pending.count++] = f;
}

void uninitialised_load(uint32_t node, const struct access_run *run)
{
    add_read(
        (struct pending_read){ .node = node, .pc = run->pc, .from = run->from, .to = run->to });
}

/* ---- copies and memsets ---- */

static uint64_t row_bytes(const struct call *c)
{
    return c->bytes / call_rows(c);
}

static bool reads_something(const struct call *c)
{
    for (uint32_t row = 0; row < call_rows(c); row++)
        if (initialised_any(c->src + call_src_row(c, row), row_bytes(c)))
            return true;
    return false;
}

void uninitialised_operation(uint32_t node, const struct call *c)
{
    access_check_anew();
    if (c->kind == CALL_MALLOC)
        initialised_new(c->dst, c->bytes);
    if (c->kind != CALL_COPY && c->kind != CALL_SET)
        return;
    bool copies = c->kind == CALL_COPY && c->src_kind == MEM_DEVICE,
         something = !copies || reads_something(c);
    if (!something)
        add_read((struct pending_read){ .node = node, .from = c->src, .to = c->src + c->bytes });
    for (uint32_t row = 0; row < call_rows(c); row++) {
        uint64_t dst = c->dst + call_dst_row(c, row);
        if (copies && something)
            initialised_copy(dst, c->src + call_src_row(c, row), row_bytes(c));
        else
            initialised_mark(dst, row_bytes(c));        /* what it copied there has been told of */
    }
}

/* ---- telling ---- */

void uninitialised_drop(uint64_t from, uint64_t to)
{
    size_t kept = 0;
    for (size_t i = 0; i < pending.count; i++)
        if (pending.list[i].to <= from || pending.list[i].from >= to)
            pending.list[kept++] = pending.list[i];
    pending.count = kept;
}

/* Once for each instruction (NULL: the copies) and line of memory. */
static bool said_before(const void *pc, const struct call *memory)
{
    for (size_t i = 0; i < pending.said_count; i++) {
        const struct said *s = &pending.said[i];
        if (s->pc == pc && s->file == memory->file && s->line == memory->line)
            return true;
    }
    pending.said =
        memory_grow(pending.said, pending.said_count, &pending.said_capacity, sizeof *pending.said);
    pending.said[pending.said_count++] = (struct said){ pc, memory->file, memory->line };
    return false;
}

/* Is it of a graph that was launched before that, too? */
static bool is_of_older_graph(const struct call *node)
{
    const struct call *first = sim.timeline.calls, *launch = node;
    if (!(node->flags & GRAPH_NODE))
        return false;
    while (launch > first && launch->kind != CALL_GRAPH_LAUNCH)
        launch--;
    for (const struct call *c = first; c < launch && launch->src != 0; c++)
        if (c->kind == CALL_GRAPH_LAUNCH && c->src == launch->src)
            return true;
    return false;
}

static void tell_read(const struct pending_read *f)
{
    struct hazard_scene scene = { .timeline = &sim.timeline,
                                  .order = &sim.order,
                                  .calls = f->calls };
    const struct call *origin = hazard_origin(&scene, f->from);
    const struct call *reader = &sim.timeline.calls[sim.timeline.spans[f->node].call];
    const struct call *location = origin && origin->line != 0 ? origin : reader;
    if (said_before(f->pc, location))
        return;
    struct hazard_line l = { .used = 0 };
    struct call c = { .dst = f->from, .bytes = f->to - f->from, .flags = HAZARD_UNWRITTEN };
    if (!f->pc || !source_line(f->pc, &c.file, &c.line)) {
        const struct call *queued = &sim.timeline.calls[sim.timeline.spans[f->node].call];
        c.file = queued->file;
        c.line = queued->line;
    }
    access_say_who(&l, &c, f->node);
    hazard_say(&l, " reads ");
    hazard_say_bytes(&l, &scene, f->from, f->to);
    hazard_say(
        &l,
        ", which nothing has written: fresh memory of the device holds whatever was there before. ");
    const struct call *short_of = hazard_short_of(&scene, f->from, reader->file);
    if (short_of) {
        hazard_say(&l, "The ");
        hazard_say_operation(&l, scene.timeline, short_of);
        hazard_say_line(&l, scene.timeline, short_of);
        hazard_say(
            &l, " writes the %llu bytes before these, and no more. %s",
            (unsigned long long)short_of->bytes,
            is_of_older_graph(short_of)
                ? "Its graph was launched before, and copies as many bytes each time, until cudaGraphExecUpdate gives it other parameters"
                : "A size is in bytes, n * sizeof of an element");
        access_tell(c, NO_NODE, f->node, l.text);
        return;
    }
    hazard_say(
        &l,
        f->pc
            ? "Copy into it (cudaMemcpy, cudaMemcpyAsync), or set it (cudaMemset, cudaMemsetAsync), before a kernel reads it"
            : "Was the kernel that is to fill it launched (cudaGetLastError), and with this pointer?");
    access_tell(c, NO_NODE, f->node, l.text);
}

void uninitialised_tell(void)
{
    for (size_t i = 0; i < pending.count; i++)
        tell_read(&pending.list[i]);
    pending.count = 0;
}
