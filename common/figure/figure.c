/* SPDX-License-Identifier: MIT */
#include "figure/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "trace/draw/draw.h"
#include "trace/record/measure.h"

#define MANAGED_BLOCK (2u << 20)
#define MANAGED_AT UINT64_C(0x100000000)

/* The one that is shown. */
static struct {
    bool begun;
    struct card card;
    size_t first_call;          /* that is drawn */
    uint32_t first_span;
    int64_t shown_at;
    struct timeline timeline;
    struct happens_before order;
    struct model model;
    uint32_t streams, events;
    struct { uint32_t blocks; bool on_device; } managed;
    char name[FIGURE_NAME];
    char *svg;
    size_t svg_length;
} figure;

char *figure_name(void)
{
    return figure.name;
}

/* Makes the call, under the name that the runtime has for it. */
static void make(struct call c, const char *name)
{
    c.name = timeline_intern(&figure.timeline, name, strlen(name));
    model_call(&figure.model, &c);
}

/* What figure_launch was told. */
static int64_t cost_of(void *context, uint32_t node)
{
    (void)context;
    const struct call *c = &figure.timeline.calls[figure.timeline.spans[node].call];
    if (c->kind != CALL_PREFETCH)
        return c->cost;
    bool to_device = c->dst_kind == MEM_DEVICE, moves = figure.managed.on_device != to_device;
    figure.managed.on_device = to_device;
    return moves ? (int64_t)c->bytes : 0;
}

/* All of managed memory goes over, a fault at a time. Returns what that takes. */
static int64_t fault(uint32_t node, bool to_device)
{
    static const uint32_t kib[] = { 64, 64, 128, 256, 512, 1024 };
    int64_t longer = 0;
    if (figure.managed.on_device == to_device)
        return 0;
    figure.managed.on_device = to_device;
    for (uint64_t at = MANAGED_AT, end = at + (uint64_t)figure.managed.blocks * MANAGED_BLOCK;
         at < end;)
        for (size_t i = 0; i < sizeof kib / sizeof *kib; i++) {
            struct call c = { .kind = CALL_MIGRATE, .node = node, .dst = at, .bytes = kib[i] << 10,
                              .flags = MIGRATE_FAULT
                                       | (to_device && longer == 0 ? MIGRATE_FIRST : 0),
                              .dst_kind = to_device ? MEM_DEVICE : MEM_PAGEABLE };
            longer += model_migration_time(figure.model.card, &c);
            make(c, "page fault");
            at += c.bytes;
        }
    return longer;
}

static int64_t pages_of(void *context, uint32_t node)
{
    (void)context;
    const struct call c = figure.timeline.calls[figure.timeline.spans[node].call];
    return c.kind == CALL_LAUNCH && c.dst_kind == MEM_MANAGED ? fault(node, true) : 0;
}

bool figure_begin(int32_t copy_engines, int32_t queues)
{
    figure.name[FIGURE_NAME - 1] = '\0';
    const struct card *card = card_find(figure.name);
    if (!card)
        return false;
    if (figure.begun) {
        model_fini(&figure.model);
        hb_fini(&figure.order);
        timeline_fini(&figure.timeline);
    }
    free(figure.svg);
    figure.svg = NULL;
    timeline_init(&figure.timeline);
    hb_init(&figure.order);
    figure.card = *card;
    if (copy_engines > 0)
        figure.card.copy_engines = copy_engines;
    figure.managed.blocks = 0;
    figure.first_call = 0;
    figure.first_span = 0;
    figure.shown_at = 0;
    model_init(&figure.model, &figure.card, (unsigned)queues, &figure.timeline, &figure.order,
               &(struct model_hooks){ .start = cost_of, .end = pages_of });
    figure.begun = true;
    figure.streams = figure.events = 0;
    figure_stream(STREAM_LEGACY, 0);
    return true;
}

uint32_t figure_stream(uint32_t flags, int32_t priority)
{
    make((struct call){ .kind = CALL_STREAM_CREATE, .stream = figure.streams, .flags = flags,
                        .priority = priority },
         flags & (STREAM_LEGACY | STREAM_PER_THREAD) ? "" : "cudaStreamCreateWithPriority");
    return figure.streams++;
}

uint32_t figure_wave(uint32_t threads)
{
    const struct card *c = &figure.card;
    uint32_t fit = (uint32_t)c->threads_per_sm / threads, most = (uint32_t)c->blocks_per_sm;
    return (uint32_t)c->sms * (fit < most ? fit : most);
}

static void launch(uint32_t stream, uint32_t blocks, uint32_t threads, int32_t cost, uint32_t kind)
{
    figure.name[FIGURE_NAME - 1] = '\0';
    make((struct call){ .kind = CALL_LAUNCH, .stream = stream, .grid = { blocks, 1, 1 },
                        .block = { threads, 1, 1 }, .cost = cost < 0 ? COST_UNKNOWN : cost,
                        .dst_kind = kind },
         figure.name);
}

void figure_launch(uint32_t stream, uint32_t blocks, uint32_t threads, int32_t cost)
{
    launch(stream, blocks, threads, cost, MEM_NONE);
}

void figure_copy(uint32_t stream, uint32_t to, uint32_t from, uint32_t bytes, bool async)
{
    make((struct call){ .kind = CALL_COPY, .stream = stream, .flags = async ? CALL_ASYNC : 0u,
                        .bytes = bytes, .dst_kind = to, .src_kind = from },
         async ? "cudaMemcpyAsync" : "cudaMemcpy");
}

uint32_t figure_record(uint32_t stream)
{
    make((struct call){ .kind = CALL_EVENT_CREATE, .event = figure.events }, "cudaEventCreate");
    make((struct call){ .kind = CALL_EVENT_RECORD, .stream = stream, .event = figure.events },
         "cudaEventRecord");
    return figure.events++;
}

void figure_wait(uint32_t stream, uint32_t event)
{
    make((struct call){ .kind = CALL_STREAM_WAIT, .stream = stream, .event = event },
         "cudaStreamWaitEvent");
}

void figure_set(uint32_t stream, uint32_t bytes, bool async)
{
    make((struct call){ .kind = CALL_SET, .stream = stream, .flags = async ? CALL_ASYNC : 0u,
                        .bytes = bytes, .dst_kind = MEM_DEVICE },
         async ? "cudaMemsetAsync" : "cudaMemset");
}

void figure_allocate(uint32_t kind, uint32_t bytes)
{
    make((struct call){ .kind = CALL_MALLOC, .dst = MANAGED_AT, .bytes = bytes, .dst_kind = kind },
         kind == MEM_PINNED ? "cudaMallocHost" : "cudaMalloc");
}

void figure_free(uint32_t kind, uint32_t bytes)
{
    make((struct call){ .kind = CALL_FREE, .dst = MANAGED_AT, .bytes = bytes, .dst_kind = kind },
         kind == MEM_PINNED ? "cudaFreeHost" : "cudaFree");
}

void figure_work(uint32_t ns)
{
    make((struct call){ .kind = CALL_HOST_WORK, .cost = ns }, "host_work");
}

void figure_sync(void)
{
    make((struct call){ .kind = CALL_DEVICE_SYNC }, "cudaDeviceSynchronize");
}

void figure_sync_stream(uint32_t stream)
{
    make((struct call){ .kind = CALL_STREAM_SYNC, .stream = stream }, "cudaStreamSynchronize");
}

void figure_show(void)
{
    figure.name[FIGURE_NAME - 1] = '\0';
    figure.first_call = figure.timeline.call_count;
    figure.first_span = figure_spans();
    figure.shown_at = model_now(&figure.model, 0);
    make((struct call){ .kind = CALL_LABEL }, figure.name);
}

/* ---- managed memory ---- */

void figure_managed(uint32_t blocks)
{
    figure.managed.blocks = blocks;
    figure.managed.on_device = false;
    make((struct call){ .kind = CALL_MALLOC, .dst = MANAGED_AT,
                        .bytes = (uint64_t)blocks * MANAGED_BLOCK, .dst_kind = MEM_MANAGED },
         "cudaMallocManaged");
}

void figure_managed_launch(uint32_t stream, uint32_t grid, uint32_t threads, int32_t cost)
{
    launch(stream, grid, threads, cost, MEM_MANAGED);
}

void figure_managed_prefetch(uint32_t stream, bool to_host)
{
    make((struct call){ .kind = CALL_PREFETCH, .stream = stream, .src = MANAGED_AT,
                        .src_kind = MEM_MANAGED,
                        .bytes = (uint64_t)figure.managed.blocks * MANAGED_BLOCK,
                        .dst_kind = to_host ? MEM_PAGEABLE : MEM_DEVICE },
         "cudaMemPrefetchAsync");
}

void figure_managed_touch(void)
{
    fault(NO_NODE, false);
}

/* ---- what came of it ---- */

static struct selection shown(void)
{
    return (struct selection){ .engines = ENGINES_DEVICE, .device = ANY, .stream = ANY,
                               .first_call = figure.first_call,
                               .end_call = figure.timeline.call_count };
}

uint32_t figure_first_span(void)
{
    return figure.first_span;
}

int64_t figure_now(void)
{
    return model_now(&figure.model, 0) - figure.shown_at;
}

int64_t figure_length(void)
{
    struct interval extent;
    return measure_extent(&figure.timeline, shown(), &extent) ? extent.end - extent.start : 0;
}

int64_t figure_drawn(void)
{
    return draw_length(&figure.timeline, &(struct drawing){ .first_call = figure.first_call });
}

int64_t figure_busy(uint32_t engines)
{
    struct selection s = shown();
    s.engines &= engines;
    return measure_busy(&figure.timeline, s);
}

uint32_t figure_engine(uint32_t engine)
{
    uint32_t copies = ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2H), bit = ENGINE_BIT(engine);
    return figure.card.copy_engines == 1 && (bit & copies) ? copies : bit;
}

uint32_t figure_busiest(void)
{
    uint32_t busiest = 0;
    int64_t most = 0;
    for (uint32_t engine = ENGINE_NONE + 1; engine < ENGINE_KINDS; engine++) {
        int64_t busy = figure_busy(figure_engine(engine));
        if (busy > most) {
            most = busy;
            busiest = figure_engine(engine);
        }
    }
    return busiest;
}

uint32_t figure_faults(void)
{
    return (uint32_t)measure_migrations(&figure.timeline, MIGRATIONS_ANY, figure.first_call,
                                        figure.timeline.call_count)
        .faults;
}

uint32_t figure_spans(void)
{
    return (uint32_t)figure.timeline.span_count;
}

int64_t figure_span(uint32_t span, uint32_t field)
{
    const struct span *s = &figure.timeline.spans[span];
    switch (field) {
    case FIGURE_ENGINE: return s->engine;
    case FIGURE_STREAM: return s->stream;
    case FIGURE_QUEUED: return s->queued;
    case FIGURE_START: return s->start;
    default: return s->end;
    }
}

const char *figure_svg(int32_t width, int64_t length)
{
    free(figure.svg);
    figure.svg = NULL;
    FILE *out = open_memstream(&figure.svg, &figure.svg_length);
    if (!out)
        return "";
    draw_svg(out, &figure.timeline,
             &(struct drawing){ .streams = true, .engines = true, .width = width, .length = length,
                                .first_call = figure.first_call });
    fclose(out);
    return figure.svg;
}
