/* SPDX-License-Identifier: MIT */
#include "trace/draw/pieces.h"

#include <assert.h>
#include <stdlib.h>

#include "trace/draw/ranges.h"
#include "trace/record/measure.h"
#include "trace/record/memory.h"

static const char *const names[LOOKS] = {
    [LOOK_NONE] = "", [LOOK_H2D] = "H2D", [LOOK_KERNEL] = "kernel", [LOOK_D2H] = "D2H",
    [LOOK_D2D] = "D2D",
    [LOOK_PEER] = "peer",
    [LOOK_MEMSET] = "memset", [LOOK_HOST_FUNC] = "host function",
    [LOOK_RECORD] = "event", [LOOK_STREAM_WAIT] = "waits for event",
    [LOOK_MEMORY] = "takes or gives memory",
    [LOOK_PAGES_IN] = "pages in", [LOOK_PAGES_OUT] = "pages out",
    [LOOK_QUEUE] = "queues", [LOOK_WAIT] = "waits", [LOOK_WORK] = "works",
    [LOOK_OTHER] = "other call",
    [LOOK_RANGE] = "range", [LOOK_MARK] = "mark",
};

static const uint8_t look_of_engine[ENGINE_KINDS] = {
    [ENGINE_KERNEL] = LOOK_KERNEL, [ENGINE_H2D] = LOOK_H2D, [ENGINE_D2H] = LOOK_D2H,
    [ENGINE_D2D] = LOOK_D2D,
    [ENGINE_PEER] = LOOK_PEER,
    [ENGINE_MEMSET] = LOOK_MEMSET, [ENGINE_HOST_FUNC] = LOOK_HOST_FUNC, [ENGINE_WAIT] = LOOK_WAIT,
};

static const uint8_t look_of_call[CALL_KINDS] = {
    [CALL_LAUNCH] = LOOK_QUEUE, [CALL_COPY] = LOOK_QUEUE, [CALL_SET] = LOOK_QUEUE,
    [CALL_PREFETCH] = LOOK_QUEUE,
    [CALL_HOST_FUNC] = LOOK_QUEUE, [CALL_EVENT_RECORD] = LOOK_QUEUE,
    [CALL_STREAM_WAIT] = LOOK_QUEUE,
    [CALL_GRAPH_LAUNCH] = LOOK_QUEUE,
    [CALL_STREAM_SYNC] = LOOK_OTHER, [CALL_DEVICE_SYNC] = LOOK_OTHER,
    [CALL_EVENT_SYNC] = LOOK_OTHER,
    [CALL_STREAM_QUERY] = LOOK_OTHER, [CALL_EVENT_QUERY] = LOOK_OTHER,
    [CALL_STREAM_CREATE] = LOOK_OTHER, [CALL_STREAM_DESTROY] = LOOK_OTHER,
    [CALL_EVENT_CREATE] = LOOK_OTHER,
    [CALL_EVENT_DESTROY] = LOOK_OTHER, [CALL_MALLOC] = LOOK_OTHER, [CALL_FREE] = LOOK_OTHER,
    [CALL_REGISTER] = LOOK_OTHER, [CALL_UNREGISTER] = LOOK_OTHER, [CALL_OTHER] = LOOK_OTHER,
    [CALL_HOST_WORK] = LOOK_WORK, [CALL_MIGRATE] = LOOK_PAGES_OUT,
};

const char *look_name(enum look look)
{
    return names[look];
}

bool look_is_instant(enum look look)
{
    return look == LOOK_RECORD || look == LOOK_STREAM_WAIT || look == LOOK_MEMORY
           || look == LOOK_MARK;
}

bool look_is_of_pages(enum look look)
{
    return look == LOOK_PAGES_IN || look == LOOK_PAGES_OUT;
}

bool lane_is_of_host(uint32_t lane_kind)
{
    return lane_kind == LANE_HOST || lane_kind == LANE_RANGE;
}

int32_t piece_color(const struct piece *p, const struct timeline *t)
{
    uint64_t color = t->calls[p->call].bytes;
    return p->lane_kind == LANE_RANGE && color & RANGE_COLORED ? (int32_t)(color & 0xffffff) : -1;
}

static void add_piece(struct pieces *l, struct piece piece)
{
    l->list = memory_grow(l->list, l->count, &l->capacity, sizeof *l->list);
    l->list[l->count++] = piece;
}

/* Makes the window hold [start, end] if that is work. */
static void widen(struct pieces *l, int64_t start, int64_t end)
{
    if (start == TIME_NEVER)
        return;
    if (end == TIME_NEVER)
        end = start;
    if (l->from > start)
        l->from = start;
    if (l->to < end)
        l->to = end;
}

static uint8_t look_of_span(const struct timeline *t, const struct span *span)
{
    if (span->engine != ENGINE_NONE)
        return look_of_engine[span->engine];
    uint32_t kind = t->calls[span->call].kind;
    if (kind == CALL_GRAPH_EMPTY || kind == CALL_GRAPH_END || kind == CALL_LAUNCH)
        return LOOK_NONE;
    return kind == CALL_STREAM_WAIT                   ? LOOK_STREAM_WAIT
           : kind == CALL_MALLOC || kind == CALL_FREE ? LOOK_MEMORY
                                                      : LOOK_RECORD;
}

static void add_call(struct pieces *l, const struct timeline *t, uint32_t number)
{
    const struct call *call = &t->calls[number];
    uint8_t look = call->kind < CALL_KINDS ? look_of_call[call->kind] : LOOK_NONE;
    if (look == LOOK_NONE || (call->flags & GRAPH_NODE)
        || (call->kind == CALL_MIGRATE && call->node != NO_NODE))
        return;
    add_piece(l, (struct piece){ .lane_kind = LANE_HOST, .look = look, .mark = ' ',
                                 .number = call->thread, .call = number, .span = ANY,
                                 .start = call->begin, .end = call->end });
    if (look != LOOK_OTHER)
        widen(l, call->begin, call->end);
}

static void add_span(struct pieces *l, const struct timeline *t, uint32_t number)
{
    const struct span *span = &t->spans[number];
    struct piece piece = { .look = look_of_span(t, span), .mark = ' ', .device = span->device,
                           .call = span->call, .span = number, .start = span->start,
                           .end = span->end };
    if (piece.look == LOOK_NONE)
        return;
    if (span->engine == ENGINE_WAIT) {
        if (span->start == TIME_NEVER || span->start == span->end)
            return;
        piece.lane_kind = LANE_HOST;
        piece.device = 0;
        piece.number = t->calls[span->call].thread;
        add_piece(l, piece);
    } else {
        piece.lane_kind = LANE_STREAM;
        piece.number = span->stream;
        add_piece(l, piece);
        piece.lane_kind = LANE_ENGINE;
        piece.number = piece.look;
        if (span->start != TIME_NEVER && span->engine != ENGINE_NONE)
            add_piece(l, piece);
    }
    widen(l, span->start, span->end);
}

/* Those of one kernel that follow each other at once are one piece. */
static void add_migration(struct pieces *l, const struct timeline *t, const struct migration *m)
{
    uint8_t look = m->to_host ? LOOK_PAGES_OUT : LOOK_PAGES_IN;
    struct piece *last = l->count > 0 ? &l->list[l->count - 1] : NULL;
    if (last && last->lane_kind == LANE_ENGINE && last->look == look && last->span == m->node
        && last->end == m->start)
        last->end = m->end;
    else
        add_piece(l, (struct piece){ .lane_kind = LANE_ENGINE, .look = look, .mark = ' ',
                                     .device = m->device, .number = look,
                                     .call = t->spans[m->node].call, .span = m->node,
                                     .start = m->start, .end = m->end });
}

static void add_ranges(struct pieces *l, const struct timeline *t, size_t first_call,
                       size_t end_call)
{
    struct ranges ranges;
    ranges_init(&ranges, t, first_call, end_call);
    for (size_t i = 0; i < ranges.count; i++) {
        uint32_t number = ranges.list[i].call;
        const struct call *call = &t->calls[number];
        uint8_t look = call->flags & RANGE_MARK ? LOOK_MARK : LOOK_RANGE;
        add_piece(l, (struct piece){ .lane_kind = LANE_RANGE, .look = look, .mark = ' ',
                                     .number = call->thread, .call = number, .span = ANY,
                                     .start = call->begin, .end = ranges.list[i].end });
    }
    ranges_fini(&ranges);
}

static void collect_pieces(struct pieces *l, const struct timeline *t, size_t first_call,
                           size_t end_call)
{
    l->from = INT64_MAX;
    l->to = INT64_MIN;
    for (size_t i = first_call; i < end_call; i++)
        add_call(l, t, (uint32_t)i);
    for (size_t i = 0; i < t->span_count; i++) {
        assert(t->spans[i].call < t->call_count && t->spans[i].engine < ENGINE_KINDS);
        if (t->spans[i].call >= first_call && t->spans[i].call < end_call)
            add_span(l, t, (uint32_t)i);
    }
    for (size_t i = 0; i < t->migration_count; i++) {
        const struct migration *m = &t->migrations[i];
        if (m->node < t->span_count && m->start != TIME_NEVER && m->end > m->start
            && t->spans[m->node].call >= first_call && t->spans[m->node].call < end_call)
            add_migration(l, t, m);
    }
    add_ranges(l, t, first_call, end_call);
    if (l->from > l->to)        /* no work at all: the calls, then */
        for (size_t i = 0; i < l->count; i++)
            widen(l, l->list[i].start, l->list[i].end);
    if (l->from > l->to)
        l->from = l->to = 0;
    if (l->from == l->to && l->count)
        l->to++;
}

/* Drops calls outside the window and cuts off what sticks out. */
static void clip(struct pieces *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        struct piece p = l->list[i];
        bool edge = p.look == LOOK_OTHER || p.look == LOOK_RANGE;   /* at the very edge: outside */
        p.whole_end = p.end;
        if (p.start != TIME_NEVER && (p.start + edge > l->to || p.end < l->from + edge))
            continue;
        if (p.start < l->from)
            p.start = l->from;
        if (p.end > l->to && p.end != TIME_NEVER)
            p.end = l->to;
        l->list[kept++] = p;
    }
    l->count = kept;
}

int piece_compare_lanes(const struct piece *a, const struct piece *b)
{
    bool a_is_of_host = lane_is_of_host(a->lane_kind), b_is_of_host = lane_is_of_host(b->lane_kind);
    if (a->lane_kind != b->lane_kind && !(a_is_of_host && b_is_of_host))
        return a_is_of_host || (!b_is_of_host && a->lane_kind < b->lane_kind) ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->lane_kind == b->lane_kind ? 0 : a->lane_kind == LANE_RANGE ? -1 : 1;
}

static int compare_pieces(const void *one, const void *other)
{
    const struct piece *a = one, *b = other;
    int by_lane = piece_compare_lanes(a, b);
    if (by_lane)
        return by_lane;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    bool a_is_call = a->span == ANY, b_is_call = b->span == ANY;
    if (a_is_call != b_is_call)
        return a_is_call ? -1 : 1;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return a->span < b->span ? -1 : a->span > b->span;
}

/* Drops calls that did little more than wait: the wait is what is to be seen. The list is sorted.
 */
static void drop_covered(struct pieces *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct piece *p = &l->list[i], *wait = p + 1;
        bool covered = p->look == LOOK_OTHER && i + 1 < l->count && wait->look == LOOK_WAIT
                       && wait->call == p->call && wait->start - p->start <= (l->to - l->from) / 100
                       && p->end - wait->end <= (l->to - l->from) / 100;
        if (!covered)
            l->list[kept++] = *p;
    }
    l->count = kept;
}

void pieces_init(struct pieces *l, const struct timeline *t, size_t first_call, size_t end_call)
{
    *l = (struct pieces){ .list = NULL };
    collect_pieces(l, t, first_call, end_call);
    clip(l);
    if (l->count)
        qsort(l->list, l->count, sizeof *l->list, compare_pieces);
    drop_covered(l);
}

void pieces_fini(struct pieces *l)
{
    memory_resize(l->list, 0);
    *l = (struct pieces){ .list = NULL };
}
