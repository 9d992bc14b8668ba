/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * The bytes that were touched lie in a skip list of segments, disjoint and by
 * address; all bytes of a segment have the same accesses, a list of entries. A
 * new access splits the segments at its ends, meets the entries of those
 * between, drops the entries that it follows and stands for, and adds its own;
 * neighbours that are alike then become one again.
 *
 * Accesses come in an order in which the guaranteed order goes along. So an
 * access that comes later and is not ordered after a dropped entry is not
 * ordered after the one that stands for it either.
 */
#include "trace/order/hazard.h"

#include "trace/record/memory.h"

enum { LEVELS = 20 };
#define NONE UINT32_MAX
#define NO_THREAD UINT32_MAX

struct hazard_point {
    uint32_t node;                  /* NO_NODE: the host */
    uint32_t thread; /* of the host, or the one that runs a function; else NO_THREAD */
    uint32_t epoch;                /* the host's, or a function's (vector_clocks.h) */
    bool lasting;
    uint32_t found;                 /* where in `found` it stands, if it does */
};

/* How a byte is touched. */
struct kind { bool write, atomic, flag; };

struct hazard_entry {
    uint32_t point, next;
    struct kind kind;
};

struct hazard_segment {
    uint64_t from, to;
    uint32_t entries;               /* the first; NONE */
    uint32_t levels;
    struct hazard_segment *next[];
};

/* A place between segments: on each level the last segment before it. */
struct segment_position { struct hazard_segment *before[LEVELS]; };

static struct hazard_segment *new_segment(uint32_t levels, uint64_t from, uint64_t to)
{
    size_t size = sizeof(struct hazard_segment) + levels * sizeof(struct hazard_segment *);
    struct hazard_segment *s = memory_resize(NULL, size);
    memory_zero(s, size);
    s->from = from;
    s->to = to;
    s->entries = NONE;
    s->levels = levels;
    return s;
}

void hazards_init(struct hazards *h, struct vector_clocks *clocks,
                  void (*report)(void *context, const struct hazard *hazard), void *context)
{
    memory_zero(h, sizeof *h);
    h->clocks = clocks;
    h->report = report;
    h->context = context;
    h->entry_free = NONE;
    h->head = new_segment(LEVELS, 0, 0);
    h->random = 0x9e3779b97f4a7c15u;
}

void hazards_fini(struct hazards *h)
{
    for (struct hazard_segment *s = h->head, *next; s; s = next) {
        next = s->next[0];
        memory_resize(s, 0);
    }
    memory_resize(h->points, 0);
    memory_resize(h->entries, 0);
    memory_resize(h->found, 0);
    memory_zero(h, sizeof *h);
}

/* ---- points ---- */

static uint32_t add_point(struct hazards *h, struct hazard_point point)
{
    h->points = memory_grow(h->points, h->point_count, &h->point_capacity, sizeof *h->points);
    h->points[h->point_count] = point;
    return (uint32_t)h->point_count++;
}

uint32_t hazards_operation(struct hazards *h, uint32_t node)
{
    return add_point(h,
                     (struct hazard_point){ .node = node, .thread = NO_THREAD, .lasting = true });
}

uint32_t hazards_function(struct hazards *h, uint32_t node, uint32_t thread)
{
    return add_point(h, (struct hazard_point){ .node = node, .thread = thread,
                                               .epoch = vector_clocks_epoch(h->clocks, thread),
                                               .lasting = true });
}

uint32_t hazards_host(struct hazards *h, uint32_t thread, bool lasting)
{
    return add_point(h, (struct hazard_point){ .node = NO_NODE, .thread = thread,
                                               .epoch = vector_clocks_epoch(h->clocks, thread),
                                               .lasting = lasting });
}

uint32_t hazards_node(const struct hazards *h, uint32_t point)
{
    return h->points[point].node;
}

/* Is `first`, told of earlier, ordered before `then`, the newest? */
static bool follows(const struct hazards *h, uint32_t first, uint32_t then)
{
    const struct hazard_point *a = &h->points[first], *b = &h->points[then];
    bool now = b->thread != NO_THREAD;          /* what that thread knows counts */
    if (a->node != NO_NODE && a->node == b->node)
        return true;
    if (a->node != NO_NODE
        && (now ? vector_clocks_knows(h->clocks, b->thread, a->node)
                : vector_clocks_before(h->clocks, a->node, b->node)))
        return true;
    /* A part of a function comes before those who heard of it in the middle, too. */
    return a->thread != NO_THREAD
           && (now ? vector_clocks_knows_epoch(h->clocks, b->thread, a->thread, a->epoch)
                   : vector_clocks_after_epoch(h->clocks, a->thread, a->epoch, b->node));
}

static bool is_host(const struct hazards *h, uint32_t point)
{
    return h->points[point].node == NO_NODE;
}

static void meet(struct hazards *h, const struct hazard_entry *e, uint32_t point, bool write,
                 const struct hazard_segment *s)
{
    struct hazard_point *p = &h->points[e->point];
    if (p->found >= h->found_count || h->found[p->found].first != e->point) {
        h->found = memory_grow(h->found, h->found_count, &h->found_capacity, sizeof *h->found);
        p->found = (uint32_t)h->found_count;
        h->found[h->found_count++] =
            (struct hazard){ .first = e->point, .then = point, .from = s->from };
    }
    struct hazard *found = &h->found[p->found];
    found->to = s->to > found->to ? s->to : found->to;
    found->from = s->from < found->from ? s->from : found->from;
    found->first_writes |= e->kind.write;
    found->then_writes |= write;
}

/* ---- entries of one segment ---- */

static uint32_t new_entry(struct hazards *h, uint32_t point, struct kind kind, uint32_t next)
{
    uint32_t at = h->entry_free;
    if (at != NONE) {
        h->entry_free = h->entries[at].next;
    } else {
        h->entries =
            memory_grow(h->entries, h->entry_count, &h->entry_capacity, sizeof *h->entries);
        at = (uint32_t)h->entry_count++;
    }
    h->entries[at] = (struct hazard_entry){ point, next, kind };
    return at;
}

static void free_entries(struct hazards *h, uint32_t first)
{
    while (first != NONE) {
        uint32_t next = h->entries[first].next;
        h->entries[first].next = h->entry_free;
        h->entry_free = first;
        first = next;
    }
}

static uint32_t copy_entries(struct hazards *h, uint32_t first)
{
    uint32_t copy = NONE;
    for (uint32_t at = first; at != NONE; at = h->entries[at].next)
        copy = new_entry(h, h->entries[at].point, h->entries[at].kind, copy);
    return copy;
}

static bool same_kind(struct kind a, struct kind b)
{
    return a.write == b.write && a.atomic == b.atomic && a.flag == b.flag;
}

static bool has_entry(const struct hazards *h, uint32_t at, const struct hazard_entry *e)
{
    for (; at != NONE; at = h->entries[at].next)
        if (h->entries[at].point == e->point && same_kind(h->entries[at].kind, e->kind))
            return true;
    return false;
}

static bool same_entries(const struct hazards *h, uint32_t a, uint32_t b)
{
    size_t left = 0, right = 0;
    for (uint32_t at = a; at != NONE; at = h->entries[at].next, left++)
        if (!has_entry(h, b, &h->entries[at]))
            return false;
    for (uint32_t at = b; at != NONE; at = h->entries[at].next)
        right++;
    return left == right;
}

static bool may_read(struct kind reader, struct kind writer)
{
    return writer.flag && reader.atomic && !reader.write;
}

static bool conflict(struct kind a, struct kind b)
{
    return (a.write || b.write) && !(a.atomic && b.atomic) && !may_read(a, b) && !may_read(b, a);
}

/* Whatever meets `earlier` and comes later meets `later` too. */
static bool stands_for(struct kind later, struct kind earlier)
{
    bool meets_all = later.flag ? !earlier.write || earlier.atomic : later.write && !later.atomic;
    return meets_all || same_kind(later, earlier);
}

/* Is there another host thread that the entry meets, and the point, of the host too, does not? */
static bool hides(const struct hazards *h, uint32_t point, uint32_t entry)
{
    return is_host(h, point) && !is_host(h, entry)
           && !vector_clocks_all_know(h->clocks, h->points[entry].node);
}

/* The point touches the whole segment. */
static void touch(struct hazards *h, struct hazard_segment *s, uint32_t point, struct kind kind)
{
    bool add = h->points[point].lasting;
    uint32_t *link = &s->entries;
    while (*link != NONE) {
        uint32_t at = *link;
        struct hazard_entry *e = &h->entries[at];
        bool own = e->point == point, ordered = own || follows(h, e->point, point);
        if (!ordered && conflict(kind, e->kind))
            meet(h, e, point, kind.write, s);
        if (own && stands_for(e->kind, kind))
            add = false;                    /* it stands there already */
        if (ordered && add && stands_for(kind, e->kind) && !hides(h, point, e->point)) {
            *link = e->next;
            e->next = NONE;
            free_entries(h, at);
        } else {
            link = &e->next;
        }
    }
    if (add)
        s->entries = new_entry(h, point, kind, s->entries);
}

/* ---- segments ---- */

/* The place before the first segment that ends after `at`. */
static void find(const struct hazards *h, uint64_t at, struct segment_position *p)
{
    struct hazard_segment *s = h->head;
    for (int level = LEVELS; level-- > 0; p->before[level] = s)
        while (s->next[level] && s->next[level]->to <= at)
            s = s->next[level];
}

static struct hazard_segment *after(const struct segment_position *p)
{
    return p->before[0]->next[0];
}

uint32_t hazards_last_writer(const struct hazards *h, uint64_t at)
{
    struct segment_position p;
    find(h, at, &p);
    const struct hazard_segment *s = after(&p);
    uint32_t last = NONE;
    for (uint32_t i = s && s->from <= at ? s->entries : NONE; i != NONE; i = h->entries[i].next)
        if (h->entries[i].kind.write && (last == NONE || h->entries[i].point > last))
            last = h->entries[i].point;
    return last == NONE ? NO_NODE : h->points[last].node;
}

static void step_over(struct segment_position *p)
{
    struct hazard_segment *s = after(p);
    for (uint32_t level = 0; level < s->levels; level++)
        p->before[level] = s;
}

static struct hazard_segment *insert(struct hazards *h, struct segment_position *p, uint64_t from,
                                     uint64_t to)
{
    uint32_t levels = 1;
    h->random ^= h->random << 13, h->random ^= h->random >> 7, h->random ^= h->random << 17;
    for (uint64_t bits = h->random >> 8; (bits & 3) == 0 && levels < LEVELS; bits >>= 2)
        levels++;
    struct hazard_segment *s = new_segment(levels, from, to);
    for (uint32_t level = 0; level < levels; level++) {
        s->next[level] = p->before[level]->next[level];
        p->before[level]->next[level] = s;
    }
    return s;
}

static void remove_next(struct hazards *h, struct segment_position *p)
{
    struct hazard_segment *s = after(p);
    for (uint32_t level = 0; level < s->levels; level++)
        p->before[level]->next[level] = s->next[level];
    free_entries(h, s->entries);
    memory_resize(s, 0);
}

/* Cuts the segment after the place at `at`, which lies inside it. The place stays before both. */
static void cut(struct hazards *h, struct segment_position *p, uint64_t at)
{
    struct hazard_segment *whole = after(p), *front = insert(h, p, whole->from, at);
    front->entries = copy_entries(h, whole->entries);
    whole->from = at;
}

/* Makes one of the segment before the place and the one after it, if they are alike. */
static bool join(struct hazards *h, struct segment_position *p)
{
    struct hazard_segment *left = p->before[0], *right = after(p);
    if (left == h->head || !right || left->to != right->from
        || !same_entries(h, left->entries, right->entries))
        return false;
    left->to = right->to;
    remove_next(h, p);
    return true;
}

/* The position at `from`: a segment that lies across it is cut there. */
static void find_cut(struct hazards *h, uint64_t from, struct segment_position *p)
{
    find(h, from, p);
    if (after(p) && after(p)->from < from) {
        cut(h, p, from);
        step_over(p);
    }
}

static void touch_range(struct hazards *h, uint32_t point, uint64_t from, uint64_t to,
                        struct kind kind)
{
    struct segment_position p;
    find_cut(h, from, &p);
    while (from < to) {
        struct hazard_segment *s = after(&p);
        if (!s || s->from > from)
            s = insert(h, &p, from, s && s->from < to ? s->from : to);
        else if (s->to > to) {
            cut(h, &p, to);
            s = after(&p);
        }
        touch(h, s, point, kind);
        from = s->to;
        if (s->entries == NONE)
            remove_next(h, &p);
        else if (!join(h, &p))
            step_over(&p);
    }
    join(h, &p);
}

void hazards_touch(struct hazards *h, uint32_t point, const struct hazard_range *ranges,
                   size_t count)
{
    h->found_count = 0;
    for (size_t i = 0; i < count; i++)
        if (ranges[i].from < ranges[i].to)
            touch_range(h, point, ranges[i].from, ranges[i].to,
                        (struct kind){ ranges[i].write, ranges[i].atomic, ranges[i].flag });
    for (size_t i = 0; i < h->found_count; i++)
        h->report(h->context, &h->found[i]);
}

void hazards_clear(struct hazards *h, uint64_t from, uint64_t to)
{
    struct segment_position p;
    find_cut(h, from, &p);
    while (after(&p) && after(&p)->from < to) {
        if (after(&p)->to > to)
            cut(h, &p, to);
        remove_next(h, &p);
    }
}
