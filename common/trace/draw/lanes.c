/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Lanes are cut from the sorted pieces: the streams' come before the engines',
 * so that a stream has its mark when an engine shows it.
 */
#include "trace/draw/lanes.h"

#include <assert.h>
#include <string.h>

#include "trace/record/measure.h"
#include "trace/record/memory.h"

static const char *const engine_lanes[LOOKS] = {
    [LOOK_H2D] = "H2D copy", [LOOK_KERNEL] = "kernel", [LOOK_D2H] = "D2H copy",
    [LOOK_D2D] = "D2D copy",
    [LOOK_PEER] = "peer copy", [LOOK_MEMSET] = "memset", [LOOK_HOST_FUNC] = "host func",
    [LOOK_PAGES_IN] = "pages in", [LOOK_PAGES_OUT] = "pages out",
};

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
        else if (row == lane->rows && lane->kind == LANE_RANGE) {
            lane->deeper++;
            pieces[i].row = ROW_NONE;
            continue;
        } else if (row == lane->rows) {
            lane->shared = true;
            row--;
        }
        if (free_from[row] < pieces[i].end)
            free_from[row] = pieces[i].end;
        pieces[i].row = row;
    }
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

static void label_stream(struct lane *lane, uint32_t flags, uint32_t stream, const char *where,
                         char mark)
{
    if (flags & (STREAM_LEGACY | STREAM_PER_THREAD))
        snprintf(lane->label, sizeof lane->label, "%s%s (%c)", where,
                 flags & STREAM_LEGACY ? "default" : "thread", mark);
    else if (stream < 10)
        snprintf(lane->label, sizeof lane->label, "%sstream %u", where, stream);
    else
        snprintf(lane->label, sizeof lane->label, "%sstream %u (%c)", where, stream, mark);
}

static int busy_share(const struct timeline *t, const struct drawing *d, const struct piece *p,
                      size_t end_call)
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
    uint32_t thread;            /* the latest */
    size_t hosts, streams;      /* threads, and lanes of streams, so far */
};

/* How many threads or streams came before that of the lane of `p`. */
static size_t count_before(struct cut *c, const struct piece *p)
{
    if (p->lane_kind == LANE_STREAM)
        return c->streams++;
    if (!lane_is_of_host(p->lane_kind))
        return 0;
    if (c->hosts == 0 || c->thread != p->number)
        c->hosts++;
    c->thread = p->number;
    return c->hosts - 1;
}

/* One lane stands for all that are too many: `limit` are drawn. */
static void leave_out(struct lanes *l, const struct lane *lane, size_t before, size_t limit)
{
    bool of_host = lane_is_of_host(lane->kind);
    struct lane *more = l->count ? &l->lane[l->count - 1] : NULL;
    if (!more || more->more == 0 || lane_is_of_host(more->kind) != of_host)
        more = add_lane(l);
    more->kind = of_host ? LANE_HOST : lane->kind;
    more->device = lane->device;
    more->more = before - limit + 1;    /* a thread may have two lanes */
    snprintf(more->label, sizeof more->label, "%zu more %s", more->more,
             of_host ? "host threads" : "streams");
}

/* Makes the lane of pieces [0, count), which are sorted. */
static void cut_lane(struct lanes *l, struct cut *c, struct piece *pieces, size_t count)
{
    const struct piece *p = &pieces[0];
    struct lane lane = { .kind = p->lane_kind, .device = p->device, .piece = pieces,
                         .piece_count = count, .rows = 1, .busy = -1 };
    char where[24] = "";
    while (lane.piece_count && pieces[lane.piece_count - 1].start == TIME_NEVER)
        lane.piece_count--;
    lane.never_begun = (unsigned)(count - lane.piece_count);
    if (c->devices && !lane_is_of_host(lane.kind))
        snprintf(where, sizeof where, "gpu %u ", p->device);
    switch (lane.kind) {
    case LANE_HOST:
        snprintf(lane.label, sizeof lane.label, c->threads ? "host %u" : "host", p->number);
        break;
    case LANE_RANGE:
        snprintf(lane.label, sizeof lane.label, c->threads ? "ranges %u" : "ranges", p->number);
        break;
    case LANE_STREAM: {
        uint32_t flags = timeline_stream_flags(c->t, p->number);
        char mark = stream_mark(flags, p->number, &c->letters);
        c->marks.list =
            memory_grow(c->marks.list, c->marks.count, &c->marks.capacity, sizeof *c->marks.list);
        c->marks.list[c->marks.count].device = p->device;
        c->marks.list[c->marks.count].stream = p->number;
        c->marks.list[c->marks.count++].mark = mark;
        label_stream(&lane, flags, p->number, where, mark);
        for (size_t i = 0; i < count; i++)
            pieces[i].mark = mark;
        break;
    }
    case LANE_ENGINE:
        snprintf(lane.label, sizeof lane.label, "%s%s", where, engine_lanes[p->look]);
        for (size_t i = 0; i < count; i++)
            pieces[i].mark = find_mark(&c->marks, p->device, c->t->spans[pieces[i].span].stream);
        if (p->look < LOOK_PAGES_IN)
            lane.busy = busy_share(c->t, c->d, p, c->end_call);
        break;
    }
    size_t before = count_before(c, p);
    size_t limit = lane_is_of_host(lane.kind)  ? c->limits.threads
                   : lane.kind == LANE_STREAM ? c->limits.streams
                                              : SIZE_MAX;
    if ((lane.kind == LANE_STREAM && !c->d->streams)
        || (lane.kind == LANE_ENGINE && !c->d->engines))
        return;
    if (before >= limit) {
        leave_out(l, &lane, before, limit);
        return;
    }
    if (lane.kind != LANE_HOST)
        stack(&lane, pieces, c->limits.rows);
    for (size_t i = 0; i < lane.piece_count; i++) {
        if (pieces[i].row == ROW_NONE)
            continue;
        l->looks |= 1u << pieces[i].look;
        if (pieces[i].end == TIME_NEVER) {
            l->open = true;
            lane.busy = -1;     /* a share of what has no end */
        }
    }
    *add_lane(l) = lane;
}

/* Are the pieces of this kind on different devices (hosts: of different threads)? */
static bool differ(const struct lanes *l, enum lane_kind kind)
{
    const struct piece *first = NULL;
    bool of_host = lane_is_of_host(kind);
    for (size_t i = 0; i < l->pieces.count; i++) {
        const struct piece *p = &l->pieces.list[i];
        if (of_host ? !lane_is_of_host(p->lane_kind) : p->lane_kind != kind)
            continue;
        if (first && (of_host ? p->number != first->number : p->device != first->device))
            return true;
        if (!first)
            first = p;
    }
    return false;
}

void lanes_init(struct lanes *l, const struct timeline *t, const struct drawing *d,
                struct lane_limits limits)
{
    size_t end_call = d->end_call && d->end_call < t->call_count ? d->end_call : t->call_count;
    assert(d->streams || d->engines);
    memset(l, 0, sizeof *l);
    pieces_init(&l->pieces, t, d->first_call, end_call);
    struct cut c = { .t = t, .d = d, .end_call = end_call, .limits = limits,
                     .devices = differ(l, LANE_STREAM), .threads = differ(l, LANE_HOST) };
    for (size_t begin = 0, end; begin < l->pieces.count; begin = end) {
        end = begin + 1;
        while (end < l->pieces.count
               && piece_compare_lanes(&l->pieces.list[begin], &l->pieces.list[end]) == 0)
            end++;
        cut_lane(l, &c, l->pieces.list + begin, end - begin);
    }
    memory_resize(c.marks.list, 0);
}

void lanes_fini(struct lanes *l)
{
    memory_resize(l->lane, 0);
    pieces_fini(&l->pieces);
    memset(l, 0, sizeof *l);
}

enum lane_group lanes_group(const struct lanes *l, size_t i)
{
    if (i == 0)
        return GROUP_SAME;
    const struct lane *before = &l->lane[i - 1], *lane = &l->lane[i];
    if (lane_is_of_host(before->kind) && lane_is_of_host(lane->kind))
        return GROUP_SAME;
    return before->kind != lane->kind       ? GROUP_KIND
           : before->device != lane->device ? GROUP_DEVICE
                                            : GROUP_SAME;
}

size_t lanes_rows(const struct lanes *l)
{
    size_t rows = 0;
    for (size_t i = 0; i < l->count; i++)
        rows += l->lane[i].rows;
    return rows;
}
