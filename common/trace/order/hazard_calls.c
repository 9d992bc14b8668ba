/* SPDX-License-Identifier: MIT */
#include "trace/order/hazard_calls.h"

#include "trace/record/memory.h"

bool call_stages(const struct call *c)
{
    return c->kind == CALL_COPY && c->src_kind == MEM_PAGEABLE && c->bytes <= SURELY_STAGED
           && !(c->flags & GRAPH_NODE);
}

/* Is the call another process's? Each of its threads that calls anything has made a stream. */
static bool is_of_other(const struct timeline *t, const struct call *c)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && t->calls[i].flags & STREAM_OF_OTHER
            && t->calls[i].thread == c->thread)
            return true;
    return false;
}

/* Memory that another process has opened is from where this process took it. */
const struct call *hazard_origin(const struct hazard_scene *scene, uint64_t at)
{
    const struct call *opened = NULL;
    for (size_t i = scene->calls; i-- > 0;) {
        const struct call *c = &scene->timeline->calls[i];
        if ((c->kind != CALL_MALLOC && c->kind != CALL_REGISTER) || c->status != 0
            || at - c->dst >= c->bytes)
            continue;
        if (c->kind == CALL_MALLOC || c->dst_kind != MEM_DEVICE || !is_of_other(scene->timeline, c))
            return c;
        opened = opened ? opened : c;
    }
    return opened;
}

const struct call *hazard_short_of(const struct hazard_scene *scene, uint64_t at, uint32_t file)
{
    enum { ELEMENT = 8 };       /* once part of one is written, all of it counts as written */
    const struct call *origin = hazard_origin(scene, at);
    for (size_t i = scene->calls; origin && i-- > 0;) {
        const struct call *c = &scene->timeline->calls[i];
        if (c == origin)
            break;
        if ((c->kind == CALL_COPY || c->kind == CALL_SET) && c->status == 0 && call_rows(c) == 1
            && c->line != 0 && c->file == file && c->dst >= origin->dst && c->dst + c->bytes <= at
            && at - (c->dst + c->bytes) < ELEMENT)
            return c;
    }
    return NULL;
}

/* Rows that lie together are one range. */
static void add(struct hazard_ranges *r, uint64_t at, uint64_t bytes, bool write)
{
    for (size_t back = 1; back <= 2 && back <= r->count; back++) {
        struct hazard_range *last = &r->list[r->count - back];
        if (last->write == write && last->to == at) {
            last->to += bytes;
            return;
        }
    }
    r->list = memory_grow(r->list, r->count, &r->capacity, sizeof *r->list);
    r->list[r->count++] = (struct hazard_range){ .from = at, .to = at + bytes, .write = write };
}

static uint64_t tagged(uint64_t address, uint32_t kind, uint32_t device)
{
    return kind == MEM_DEVICE && address < VARIABLES_END ? address | (uint64_t)device << 56
                                                         : address;
}

void hazard_ranges_add(struct hazard_ranges *r, const struct call *c)
{
    if (c->kind == CALL_MALLOC || c->kind == CALL_FREE)
        add(r, c->dst, c->bytes, true);         /* in a stream: from here on, up to here */
    if (c->kind != CALL_COPY && c->kind != CALL_SET)
        return;
    uint64_t src = tagged(c->src, c->src_kind, c->src_device),
             dst = tagged(c->dst, c->dst_kind, c->dst_device);
    for (uint32_t row = 0, rows = call_rows(c); row < rows; row++) {
        if (c->kind == CALL_COPY && !call_stages(c))
            add(r, src + call_src_row(c, row), c->bytes / rows, false);
        add(r, dst + call_dst_row(c, row), c->bytes / rows, true);
    }
}

static void hazard_ranges_fini(struct hazard_ranges *r)
{
    memory_resize(r->list, 0);
    *r = (struct hazard_ranges){ 0 };
}

/* ---- a whole log ---- */

struct search {
    const struct hazard_scene *scene;
    struct hazards hazards;
    uint32_t *call;             /* by point */
    size_t point_count, point_capacity;
    void (*found)(void *context, const struct hazard_meeting *m);
    void *context;
};

static struct hazard_side side_of(const struct search *s, uint32_t point, bool writes)
{
    const struct call *c = &s->scene->timeline->calls[s->call[point]];
    return (struct hazard_side){ .node = hazards_node(&s->hazards, point),
                                 .writes = writes,
                                 .line = c->line,
                                 .verb =
                                     c->kind == CALL_FREE ? "gives them back" : "unregisters them",
                                 .file = timeline_string(s->scene->timeline, c->file),
                                 .time = c->begin, .frees = true,
                                 .at_once = c->flags & CALL_ASYNC };
}

static void report(void *context, const struct hazard *h)
{
    struct search *s = context;
    s->found(s->context, &(struct hazard_meeting){ h->from,
                                                   h->to,
                                                   { side_of(s, h->first, h->first_writes),
                                                     side_of(s, h->then, h->then_writes) },
                                                   { s->call[h->first], s->call[h->then] } });
}

static uint32_t point_of_call(struct search *s, uint32_t point, size_t call)
{
    s->call = memory_grow(s->call, s->point_count, &s->point_capacity, sizeof *s->call);
    s->call[s->point_count++] = (uint32_t)call;
    return point;
}

void hazards_of_calls(const struct hazard_scene *scene,
                      void (*found)(void *context, const struct hazard_meeting *m), void *context)
{
    struct search s = { .scene = scene, .found = found, .context = context };
    struct hazard_ranges ranges = { 0 };
    struct happens_before order;
    struct vector_clocks clocks;
    uint32_t rows_left = HAZARD_ROWS_MAX;
    hb_init(&order);
    vector_clocks_init(&clocks, &order);
    hazards_init(&s.hazards, &clocks, report, &s);
    for (size_t i = 0; i < scene->calls; i++) {
        const struct call *c = &scene->timeline->calls[i];
        struct step step = hb_call(&order, c);
        vector_clocks_follow(&clocks);
        if (call_rows(c) > rows_left)
            break;
        rows_left -= call_rows(c);
        ranges.count = 0;
        if (step.operation != NO_NODE)
            hazard_ranges_add(&ranges, c);
        if (c->kind == CALL_MALLOC && step.operation != NO_NODE)
            hazards_clear(&s.hazards, c->dst, c->dst + c->bytes); /* whose they were: the pool's */
        if (ranges.count > 0)
            hazards_touch(&s.hazards,
                          point_of_call(&s, hazards_operation(&s.hazards, step.operation), i),
                          ranges.list, ranges.count);
        bool gone = (c->kind == CALL_FREE || c->kind == CALL_UNREGISTER)
                    && step.operation == NO_NODE && c->status == 0;
        if (gone) {
            uint32_t point = point_of_call(&s, hazards_host(&s.hazards, 0, false), i);
            hazards_touch(&s.hazards, point,
                          &(struct hazard_range){
                              .from = c->dst, .to = c->dst + c->bytes, .write = true },
                          1);
            hazards_clear(&s.hazards, c->dst, c->dst + c->bytes);
        }
    }
    hazards_fini(&s.hazards);
    vector_clocks_fini(&clocks);
    hb_fini(&order);
    hazard_ranges_fini(&ranges);
    memory_resize(s.call, 0);
}
