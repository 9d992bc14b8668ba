/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Every span becomes a piece in its stream's lane and one in its engine's, every
 * call one in its thread's. Sorted by lane and start, the pieces of a lane lie
 * side by side in one array: lanes are cut from it. A wait is inside its call
 * and comes after it, so that it is drawn over it.
 */
#include "trace/lanes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "trace/measure.h"
#include "trace/memory.h"

static const struct { const char *name, *lane; } looks[LOOKS] = {
    [LOOK_NONE] = { "", "" },
    [LOOK_H2D] = { "H2D", "H2D copy" },
    [LOOK_KERNEL] = { "kernel", "kernel" },
    [LOOK_D2H] = { "D2H", "D2H copy" },
    [LOOK_D2D] = { "D2D", "D2D copy" },
    [LOOK_MEMSET] = { "memset", "memset" },
    [LOOK_HOST_FUNC] = { "host function", "host func" },
    [LOOK_RECORD] = { "event", "" },
    [LOOK_STREAM_WAIT] = { "waits for event", "" },
    [LOOK_QUEUE] = { "queues", "" },
    [LOOK_WAIT] = { "waits", "" },
    [LOOK_WORK] = { "works", "" },
    [LOOK_OTHER] = { "other call", "" },
};

static const uint8_t look_of_engine[ENGINE_KINDS] = {
    [ENGINE_KERNEL] = LOOK_KERNEL, [ENGINE_H2D] = LOOK_H2D, [ENGINE_D2H] = LOOK_D2H, [ENGINE_D2D] = LOOK_D2D,
    [ENGINE_MEMSET] = LOOK_MEMSET, [ENGINE_HOST_FUNC] = LOOK_HOST_FUNC, [ENGINE_WAIT] = LOOK_WAIT,
};

static const uint8_t look_of_call[CALL_KINDS] = {
    [CALL_LAUNCH] = LOOK_QUEUE, [CALL_COPY] = LOOK_QUEUE, [CALL_SET] = LOOK_QUEUE, [CALL_PREFETCH] = LOOK_QUEUE,
    [CALL_HOST_FUNC] = LOOK_QUEUE, [CALL_EVENT_RECORD] = LOOK_QUEUE, [CALL_STREAM_WAIT] = LOOK_QUEUE,
    [CALL_STREAM_SYNC] = LOOK_OTHER, [CALL_DEVICE_SYNC] = LOOK_OTHER, [CALL_EVENT_SYNC] = LOOK_OTHER,
    [CALL_STREAM_QUERY] = LOOK_OTHER, [CALL_EVENT_QUERY] = LOOK_OTHER,
    [CALL_STREAM_CREATE] = LOOK_OTHER, [CALL_STREAM_DESTROY] = LOOK_OTHER, [CALL_EVENT_CREATE] = LOOK_OTHER,
    [CALL_EVENT_DESTROY] = LOOK_OTHER, [CALL_MALLOC] = LOOK_OTHER, [CALL_FREE] = LOOK_OTHER,
    [CALL_REGISTER] = LOOK_OTHER, [CALL_UNREGISTER] = LOOK_OTHER, [CALL_OTHER] = LOOK_OTHER,
    [CALL_HOST_WORK] = LOOK_WORK,
};

const char *look_name(enum look look)
{
    return looks[look].name;
}

/* ---- pieces ---- */

static void add_piece(struct lanes *l, struct piece piece)
{
    l->pieces = memory_grow(l->pieces, l->piece_count, &l->piece_capacity, sizeof *l->pieces);
    l->pieces[l->piece_count++] = piece;
}

/* Makes the window hold [start, end] if that is work. */
static void widen(struct lanes *l, int64_t start, int64_t end)
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
    return t->calls[span->call].kind == CALL_STREAM_WAIT ? LOOK_STREAM_WAIT : LOOK_RECORD;
}

static void add_call(struct lanes *l, const struct timeline *t, uint32_t number)
{
    const struct call *call = &t->calls[number];
    uint8_t look = call->kind < CALL_KINDS ? look_of_call[call->kind] : LOOK_NONE;
    if (look == LOOK_NONE)
        return;
    add_piece(l, (struct piece){ .lane_kind = LANE_HOST, .look = look, .mark = ' ', .number = call->thread,
                                 .call = number, .span = ANY, .start = call->begin, .end = call->end });
    if (look != LOOK_OTHER)
        widen(l, call->begin, call->end);
}

static void add_span(struct lanes *l, const struct timeline *t, const struct drawing *d, uint32_t number)
{
    const struct span *span = &t->spans[number];
    struct piece piece = { .look = look_of_span(t, span), .mark = ' ', .device = span->device, .call = span->call,
                           .span = number, .start = span->start, .end = span->end };
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
        if (d->engines && span->start != TIME_NEVER && span->engine != ENGINE_NONE)
            add_piece(l, piece);
    }
    widen(l, span->start, span->end);
}

static void collect(struct lanes *l, const struct timeline *t, const struct drawing *d, size_t end_call)
{
    l->from = INT64_MAX;
    l->to = INT64_MIN;
    for (size_t i = d->first_call; i < end_call; i++)
        add_call(l, t, (uint32_t)i);
    for (size_t i = 0; i < t->span_count; i++) {
        assert(t->spans[i].call < t->call_count && t->spans[i].engine < ENGINE_KINDS);
        if (t->spans[i].call >= d->first_call && t->spans[i].call < end_call)
            add_span(l, t, d, (uint32_t)i);
    }
    if (l->from > l->to)        /* no work at all: the calls, then */
        for (size_t i = 0; i < l->piece_count; i++)
            widen(l, l->pieces[i].start, l->pieces[i].end);
    if (l->from > l->to)
        l->from = l->to = 0;
    if (l->from == l->to && l->piece_count)
        l->to++;
}

/* Drops calls outside the window and cuts off what sticks out. */
static void clip(struct lanes *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->piece_count; i++) {
        struct piece p = l->pieces[i];
        bool edge = p.look == LOOK_OTHER;   /* at the very edge it is outside */
        if (p.start != TIME_NEVER && (p.start + edge > l->to || p.end < l->from + edge))
            continue;
        if (p.start < l->from)
            p.start = l->from;
        if (p.end > l->to && p.end != TIME_NEVER)
            p.end = l->to;
        l->pieces[kept++] = p;
    }
    l->piece_count = kept;
}

static int compare_lanes(const struct piece *a, const struct piece *b)
{
    if (a->lane_kind != b->lane_kind)
        return a->lane_kind < b->lane_kind ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

static int compare_pieces(const void *one, const void *other)
{
    const struct piece *a = one, *b = other;
    int by_lane = compare_lanes(a, b);
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

/* Drops calls that did little more than wait: the wait is what is to be seen. Pieces are sorted. */
static void drop_covered(struct lanes *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->piece_count; i++) {
        const struct piece *p = &l->pieces[i], *wait = p + 1;
        bool covered = p->look == LOOK_OTHER && i + 1 < l->piece_count && wait->look == LOOK_WAIT
                    && wait->call == p->call && wait->start - p->start <= (l->to - l->from) / 100
                    && p->end - wait->end <= (l->to - l->from) / 100;
        if (!covered)
            l->pieces[kept++] = *p;
    }
    l->piece_count = kept;
}

/* ---- lanes ---- */

static struct lane *add_lane(struct lanes *l)
{
    l->lane = memory_grow(l->lane, l->count, &l->capacity, sizeof *l->lane);
    struct lane *lane = &l->lane[l->count++];
    *lane = (struct lane){ .rows = 1, .busy = -1 };
    return lane;
}

/* Gives pieces that run at the same time rows of their own, the first that is free. */
static void stack(struct lane *lane, struct piece *pieces, unsigned limit)
{
    int64_t free_from[32] = { INT64_MIN };
    assert(limit >= 1 && limit <= 32);
    for (size_t i = 0; i < lane->piece_count; i++) {
        unsigned row = 0;
        while (row < lane->rows && free_from[row] > pieces[i].start)
            row++;
        if (row == lane->rows && row < limit)
            free_from[lane->rows++] = INT64_MIN;
        else if (row == lane->rows)
            row--;
        if (free_from[row] < pieces[i].end)
            free_from[row] = pieces[i].end;
        pieces[i].row = row;
    }
}

static uint32_t flags_of_stream(const struct timeline *t, uint32_t stream)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && t->calls[i].stream == stream)
            return t->calls[i].flags;
    return 0;
}

/* One character for a stream: its number, a letter where that has two digits. */
static char stream_mark(uint32_t flags, uint32_t stream, unsigned *letters)
{
    if (flags & STREAM_LEGACY)
        return 'D';
    if (flags & STREAM_PER_THREAD)
        return 'T';
    if (stream < 10)
        return (char)('0' + stream);
    return *letters < 26 ? (char)('a' + (*letters)++) : '*';
}

static void label_stream(struct lane *lane, uint32_t flags, uint32_t stream, const char *where, char mark)
{
    if (flags & (STREAM_LEGACY | STREAM_PER_THREAD))
        snprintf(lane->label, sizeof lane->label, "%s%s (%c)", where,
                 flags & STREAM_LEGACY ? "default" : "thread", mark);
    else if (stream < 10)
        snprintf(lane->label, sizeof lane->label, "%sstream %u", where, stream);
    else
        snprintf(lane->label, sizeof lane->label, "%sstream %u (%c)", where, stream, mark);
}

static int busy_share(const struct timeline *t, const struct drawing *d, const struct piece *p, size_t end_call)
{
    uint32_t engine = t->spans[p->span].engine;
    struct selection all = { ENGINES_DEVICE, p->device, ANY, d->first_call, end_call };
    struct selection own = all;
    struct interval extent;
    own.engines &= ENGINE_BIT(engine);
    if (!own.engines || !measure_extent(t, all, &extent) || extent.start == extent.end)
        return -1;
    int64_t busy = measure_busy(t, own), length = extent.end - extent.start;
    for (; length > INT64_MAX / 1000; length /= 2)
        busy /= 2;
    return (int)(busy * 1000 / length);
}

/* The mark of each stream, for the pieces of engines. */
struct marks { struct { uint32_t device, stream; char mark; } *list; size_t count, capacity; };

static char find_mark(const struct marks *marks, uint32_t device, uint32_t stream)
{
    size_t low = 0, high = marks->count;    /* sorted, as the lanes are */
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (marks->list[middle].device < device
            || (marks->list[middle].device == device && marks->list[middle].stream < stream))
            low = middle + 1;
        else
            high = middle;
    }
    return low < marks->count ? marks->list[low].mark : ' ';
}

struct cut {                    /* what cutting lanes needs to know */
    const struct timeline *t;
    const struct drawing *d;
    size_t end_call;
    struct lane_limits limits;
    struct marks marks;
    unsigned letters;
    bool devices, threads;      /* more than one of them */
    size_t hosts, streams;      /* lanes so far */
};

/* Makes the lane of pieces [0, count), which are sorted. */
static void cut_lane(struct lanes *l, struct cut *c, struct piece *pieces, size_t count)
{
    const struct piece *p = &pieces[0];
    struct lane lane = { .kind = p->lane_kind, .piece = pieces, .piece_count = count, .rows = 1, .busy = -1 };
    char where[24] = "";
    while (lane.piece_count && pieces[lane.piece_count - 1].start == TIME_NEVER)
        lane.piece_count--;
    lane.never_begun = (unsigned)(count - lane.piece_count);
    if (c->devices && lane.kind != LANE_HOST)
        snprintf(where, sizeof where, "gpu %u ", p->device);
    switch (lane.kind) {
    case LANE_HOST:
        snprintf(lane.label, sizeof lane.label, c->threads ? "host %u" : "host", p->number);
        break;
    case LANE_STREAM: {
        uint32_t flags = flags_of_stream(c->t, p->number);
        char mark = stream_mark(flags, p->number, &c->letters);
        c->marks.list = memory_grow(c->marks.list, c->marks.count, &c->marks.capacity, sizeof *c->marks.list);
        c->marks.list[c->marks.count].device = p->device;
        c->marks.list[c->marks.count].stream = p->number;
        c->marks.list[c->marks.count++].mark = mark;
        label_stream(&lane, flags, p->number, where, mark);
        for (size_t i = 0; i < count; i++)
            pieces[i].mark = mark;
        break;
    }
    case LANE_ENGINE:
        snprintf(lane.label, sizeof lane.label, "%s%s", where, looks[p->look].lane);
        for (size_t i = 0; i < count; i++)
            pieces[i].mark = find_mark(&c->marks, p->device, c->t->spans[pieces[i].span].stream);
        lane.busy = busy_share(c->t, c->d, p, c->end_call);
        break;
    }
    size_t before = lane.kind == LANE_HOST ? c->hosts++ : lane.kind == LANE_STREAM ? c->streams++ : 0;
    size_t limit = lane.kind == LANE_HOST ? c->limits.threads : lane.kind == LANE_STREAM ? c->limits.streams : SIZE_MAX;
    if (lane.kind == LANE_STREAM && !c->d->streams)
        return;
    if (before >= limit) {      /* one lane stands for all that are too many */
        struct lane *more = &l->lane[l->count - 1];
        if (before == limit)
            more = add_lane(l);
        more->kind = lane.kind;
        snprintf(more->label, sizeof more->label, "%zu more %s", ++more->more,
                 lane.kind == LANE_HOST ? "host threads" : "streams");
        return;
    }
    if (lane.kind != LANE_HOST)
        stack(&lane, pieces, c->limits.rows);
    for (size_t i = 0; i < lane.piece_count; i++) {
        l->looks |= 1u << pieces[i].look;
        if (pieces[i].end == TIME_NEVER) {
            l->open = true;
            lane.busy = -1;     /* a share of what has no end */
        }
    }
    *add_lane(l) = lane;
}

/* Are the pieces of this kind on different devices (hosts: threads)? */
static bool differ(const struct lanes *l, enum lane_kind kind)
{
    const struct piece *first = NULL;
    for (size_t i = 0; i < l->piece_count; i++) {
        const struct piece *p = &l->pieces[i];
        if (p->lane_kind != kind)
            continue;
        if (first && (kind == LANE_HOST ? p->number != first->number : p->device != first->device))
            return true;
        if (!first)
            first = p;
    }
    return false;
}

void lanes_init(struct lanes *l, const struct timeline *t, const struct drawing *d, struct lane_limits limits)
{
    size_t end_call = d->end_call && d->end_call < t->call_count ? d->end_call : t->call_count;
    assert(d->streams || d->engines);
    memset(l, 0, sizeof *l);
    collect(l, t, d, end_call);
    clip(l);
    if (l->piece_count)
        qsort(l->pieces, l->piece_count, sizeof *l->pieces, compare_pieces);
    drop_covered(l);
    struct cut c = { .t = t, .d = d, .end_call = end_call, .limits = limits,
                     .devices = differ(l, LANE_STREAM), .threads = differ(l, LANE_HOST) };
    for (size_t begin = 0, end; begin < l->piece_count; begin = end) {
        end = begin + 1;
        while (end < l->piece_count && compare_lanes(&l->pieces[begin], &l->pieces[end]) == 0)
            end++;
        cut_lane(l, &c, l->pieces + begin, end - begin);
    }
    memory_resize(c.marks.list, 0);
}

void lanes_fini(struct lanes *l)
{
    memory_resize(l->lane, 0);
    memory_resize(l->pieces, 0);
    memset(l, 0, sizeof *l);
}

size_t lanes_rows(const struct lanes *l)
{
    size_t rows = 0;
    for (size_t i = 0; i < l->count; i++)
        rows += l->lane[i].rows;
    return rows;
}
