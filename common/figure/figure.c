/* SPDX-License-Identifier: MIT */
#include "figure/figure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "trace/draw.h"

/* The one that is shown. */
static struct {
    bool begun;
    struct timeline timeline;
    struct order order;
    struct model model;
    uint32_t streams, events;
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
    return figure.timeline.calls[figure.timeline.spans[node].call].cost;
}

bool figure_begin(void)
{
    figure.name[FIGURE_NAME - 1] = '\0';
    const struct card *card = card_find(figure.name);
    if (!card)
        return false;
    if (figure.begun) {
        model_fini(&figure.model);
        order_fini(&figure.order);
        timeline_fini(&figure.timeline);
    }
    free(figure.svg);
    figure.svg = NULL;
    timeline_init(&figure.timeline);
    order_init(&figure.order);
    model_init(&figure.model, card, 0, &figure.timeline, &figure.order, &(struct model_hooks){ .start = cost_of });
    figure.begun = true;
    figure.streams = figure.events = 0;
    figure_stream(STREAM_LEGACY, 0);
    return true;
}

uint32_t figure_stream(uint32_t flags, int32_t priority)
{
    make((struct call){ .kind = CALL_STREAM_CREATE, .stream = figure.streams, .flags = flags, .priority = priority },
         flags & (STREAM_LEGACY | STREAM_PER_THREAD) ? "" : "cudaStreamCreateWithPriority");
    return figure.streams++;
}

void figure_launch(uint32_t stream, uint32_t blocks, uint32_t threads, int32_t cost)
{
    figure.name[FIGURE_NAME - 1] = '\0';
    make((struct call){ .kind = CALL_LAUNCH, .stream = stream, .grid = { blocks, 1, 1 }, .block = { threads, 1, 1 },
                        .cost = cost < 0 ? COST_UNKNOWN : cost }, figure.name);
}

void figure_copy(uint32_t stream, uint32_t to, uint32_t from, uint32_t bytes, bool async)
{
    make((struct call){ .kind = CALL_COPY, .stream = stream, .flags = async ? CALL_ASYNC : 0u, .bytes = bytes,
                        .dst_kind = to, .src_kind = from }, async ? "cudaMemcpyAsync" : "cudaMemcpy");
}

uint32_t figure_record(uint32_t stream)
{
    make((struct call){ .kind = CALL_EVENT_CREATE, .event = figure.events }, "cudaEventCreate");
    make((struct call){ .kind = CALL_EVENT_RECORD, .stream = stream, .event = figure.events }, "cudaEventRecord");
    return figure.events++;
}

void figure_wait(uint32_t stream, uint32_t event)
{
    make((struct call){ .kind = CALL_STREAM_WAIT, .stream = stream, .event = event }, "cudaStreamWaitEvent");
}

void figure_work(uint32_t ns)
{
    make((struct call){ .kind = CALL_HOST_WORK, .cost = ns }, "host_work");
}

void figure_sync(void)
{
    make((struct call){ .kind = CALL_DEVICE_SYNC }, "cudaDeviceSynchronize");
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

const char *figure_svg(int32_t width)
{
    free(figure.svg);
    figure.svg = NULL;
    FILE *out = open_memstream(&figure.svg, &figure.svg_length);
    if (!out)
        return "";
    draw_svg(out, &figure.timeline, &(struct drawing){ .streams = true, .engines = true, .width = width });
    fclose(out);
    return figure.svg;
}
