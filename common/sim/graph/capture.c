/* SPDX-License-Identifier: MIT */
#include "sim/graph/capture.h"

#include <stdio.h>
#include <string.h>

#include "sim/call_log.h"
#include "sim/graph/capture_state.h"
#include "sim/graph/graph_memory.h"
#include "sim/stream_table.h"
#include "trace/record/memory.h"

static struct {
    struct capture *first;      /* those that have not ended */
    struct captured_stream *streams;    /* by stream number */
    size_t stream_count, stream_capacity;
    struct captured_event *events;      /* by event number */
    size_t event_count, event_capacity;
} captures;

/* ---- sets of edges ---- */

static void set_clear(struct edge_set *s)
{
    s->count = 0;
}

void edge_set_add(struct edge_set *s, struct graph_edge edge)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->list[i].node == edge.node)
            return;
    s->list = memory_grow(s->list, s->count, &s->capacity, sizeof *s->list);
    s->list[s->count++] = edge;
}

static void set_add_all(struct edge_set *s, const struct edge_set *more)
{
    for (size_t i = 0; i < more->count; i++)
        edge_set_add(s, more->list[i]);
}

/* ---- captures ---- */

struct captured_stream *captured_stream(uint32_t stream)
{
    while (captures.stream_count <= stream) {
        captures.streams = memory_grow(captures.streams, captures.stream_count,
                                       &captures.stream_capacity, sizeof *captures.streams);
        captures.streams[captures.stream_count++] = (struct captured_stream){ 0 };
    }
    return &captures.streams[stream];
}

static struct captured_event *captured_event(uint32_t event)
{
    while (captures.event_count <= event) {
        captures.events = memory_grow(captures.events, captures.event_count,
                                      &captures.event_capacity, sizeof *captures.events);
        captures.events[captures.event_count++] = (struct captured_event){ 0 };
    }
    return &captures.events[event];
}

static struct capture *capture_numbered(uint64_t id)
{
    struct capture *c = captures.first;
    while (c && c->id != id)
        c = c->next;
    return c;
}

static void take_part(struct capture *c, uint32_t stream)
{
    captured_stream(stream)->capture = c;
    c->blocking |= stream_meets_legacy(stream) ? 1u << stream_device(stream) : 0;
}

struct capture *capture_new(const struct call *begun, enum cudaStreamCaptureMode mode)
{
    struct graph *g = graph_new(false);
    struct capture *c = capture_into(begun, mode, g, handle_give(&graphs, g));
    c->given = false;
    return c;
}

struct capture *capture_into(const struct call *begun, enum cudaStreamCaptureMode mode,
                             struct graph *g, void *handle)
{
    static uint64_t ids;
    struct capture *c = memory_resize(NULL, sizeof *c);
    *c = (struct capture){ .id = ++ids, .graph = g, .handle = handle, .given = true,
                           .first = g->count, .mode = mode, .origin = begun->stream,
                           .thread = begun->thread, .begun = *begun, .next = captures.first };
    captures.first = c;
    take_part(c, begun->stream);
    set_clear(&captured_stream(begun->stream)->last);
    return c;
}

bool graph_is_captured(const struct graph *g)
{
    const struct capture *c = captures.first;
    while (c && c->graph != g)
        c = c->next;
    return c;
}

void capture_free(struct capture *c)
{
    for (size_t i = 0; i < captures.stream_count; i++)
        if (captures.streams[i].capture == c)
            captures.streams[i].capture = NULL;
    struct capture **link = &captures.first;
    while (*link != c)
        link = &(*link)->next;
    *link = c->next;
    memory_resize(c->asked, 0);
    memory_resize(c->asked_data, 0);
    memory_resize(c, 0);
}

/* ---- what may not be done ---- */

/* "the capture that began in line 12" */
static struct words words_of_capture(const struct capture *capture)
{
    struct words w;
    snprintf(w.text, sizeof w.text, "the capture that began %.160s",
             words_of_location(&capture->begun).text);
    return w;
}

/* The call has its reason already: it is the capture's, too. */
static void invalidate(struct capture *capture, const struct call *c)
{
    char text[900];
    capture->invalid = true;
    snprintf(text, sizeof text, "%.200s has broken the capture: %.600s", words_of_call(c).text,
             timeline_string(&sim.timeline, c->message));
    capture->broken_by = call_string(text);
}

cudaError_t capture_is_broken(const struct capture *capture, struct call *c)
{
    return because(c, cudaErrorStreamCaptureInvalidated, "%s",
                   timeline_string(&sim.timeline, capture->broken_by));
}

static cudaError_t refuse(struct capture *capture, struct call *c, cudaError_t error,
                          const char *reason)
{
    if (capture->invalid)
        return capture_is_broken(capture, c);
    because(c, error, "%s (%.160s)", reason, words_of_capture(capture).text);
    invalidate(capture, c);
    return error;
}

static cudaError_t refuse_all(struct call *c, cudaError_t error)
{
    cudaError_t status = cudaSuccess;
    for (struct capture *capture = captures.first; capture; capture = capture->next) {
        refuse(capture, c, error,
               "it waits for the whole device, and what a capture takes is not run");
        status = error;
    }
    return status;
}

/* Does this capture keep the thread from calls that are not safe beside it? [H] */
static bool forbids(const struct capture *c, const struct thread *thread)
{
    if (c->mode == cudaStreamCaptureModeRelaxed
        || thread->capture_mode == cudaStreamCaptureModeRelaxed)
        return false;
    if (c->thread == thread->number)
        return true;
    return c->mode == cudaStreamCaptureModeGlobal
           && thread->capture_mode == cudaStreamCaptureModeGlobal;
}

static cudaError_t refuse_unsafe(struct call *c, cudaError_t status)
{
    for (struct capture *capture = captures.first; capture; capture = capture->next)
        if (forbids(capture, thread_self()))
            status = refuse(
                capture, c, cudaErrorStreamCaptureUnsupported,
                capture->thread == thread_self()->number
                    ? "such a call is not safe while this thread captures"
                    : "such a call is not safe while another thread captures in the global mode");
    return status;
}

cudaError_t capture_opens(struct call *c, enum call_kind kind, const char *name)
{
    bool memory = (kind == CALL_MALLOC || kind == CALL_FREE) && !strstr(name, "Async");
    bool registers = kind == CALL_REGISTER || kind == CALL_UNREGISTER;
    return memory || registers ? refuse_unsafe(c, cudaSuccess) : cudaSuccess;
}

cudaError_t capture_meets_legacy(struct call *c, bool invalidates)
{
    cudaError_t status = cudaSuccess;
    for (struct capture *capture = captures.first; capture && stream_is_legacy(c->stream);
         capture = capture->next) {
        if (!(capture->blocking >> stream_device(c->stream) & 1))
            continue;
        status = because(
            c, cudaErrorStreamCaptureImplicit,
            "it is about the legacy default stream, which would have to wait for a "
            "blocking stream that captures (%.160s); capture in streams made with cudaStreamNonBlocking, or use none "
            "but explicit streams",
            words_of_capture(capture).text);
        if (invalidates && !capture->invalid)
            invalidate(capture, c);
    }
    return status;
}

/* ---- what is captured ---- */

static void become_captured(struct call *c)
{
    c->flags = (c->flags & (LAUNCH_LOADS | COPY_CONTRARY)) | CALL_CAPTURED;
    if (c->kind == CALL_LAUNCH)
        c->name = call_string("cudaLaunchKernel");
    c->kind = CALL_OTHER;
}

static enum cudaGraphNodeType type_of(uint32_t kind)
{
    return kind == CALL_LAUNCH   ? cudaGraphNodeTypeKernel
           : kind == CALL_COPY   ? cudaGraphNodeTypeMemcpy
           : kind == CALL_SET    ? cudaGraphNodeTypeMemset
           : kind == CALL_MALLOC ? cudaGraphNodeTypeMemAlloc
           : kind == CALL_FREE   ? cudaGraphNodeTypeMemFree
                                 : cudaGraphNodeTypeHost;
}

/* A node that comes after what is last in the call's stream. Where it is a dependent launch, each
 * edge from a kernel is programmatic: of its own stream or behind an event of another, beside
 * others or alone [M: facts/h200-edges.txt]. */
static void add_captured(struct capture *capture, struct call *c, enum cudaGraphNodeType type,
                         struct effect *effect)
{
    struct call node = *c;
    node.flags &= CALL_ASYNC | COPY_DIRECT | EVENT_NO_TIMING;
    node.device = (uint32_t)stream_device(c->stream);
    if (c->kind == CALL_LAUNCH && stream_numbered(c->stream)->green)
        node.dst_device = c->stream + 1;
    struct edge_set *last = &captured_stream(c->stream)->last;
    uint32_t number = graph_add(capture->graph, type, &node, effect);
    if (c->kind == CALL_MALLOC || c->kind == CALL_FREE)
        graph_memory_hold(capture->graph, number,
                          graph_memory_find((const void *)(uintptr_t)c->dst));
    for (size_t i = 0; i < last->count; i++) {
        struct graph_edge edge = last->list[i];
        bool kernels = c->kind == CALL_LAUNCH
                       && capture->graph->nodes[edge.node]->type == cudaGraphNodeTypeKernel;
        if (!kernels)
            edge.port = cudaGraphKernelNodePortDefault;
        else if (edge.port == cudaGraphKernelNodePortDefault && c->flags & LAUNCH_DEPENDENT)
            edge.port = cudaGraphKernelNodePortProgrammatic;
        graph_depend(capture->graph, edge, number);
    }
    set_clear(last);
    edge_set_add(last, (struct graph_edge){ number, 0 });
    become_captured(c);
}

static cudaError_t take_work(struct capture *capture, struct call *c, struct effect **effect)
{
    bool copies = c->kind == CALL_COPY || c->kind == CALL_SET;
    bool memory = c->kind == CALL_MALLOC || c->kind == CALL_FREE;
    bool known = c->kind == CALL_LAUNCH || c->kind == CALL_HOST_FUNC || memory
                 || (copies && (c->flags & CALL_ASYNC));
    bool callback = *effect && (*effect)->kind == EFFECT_FUNCTION && (*effect)->function.callback;
    if (!known || callback)
        return refuse(
            capture, c, cudaErrorStreamCaptureUnsupported,
            callback
                ? "a callback of cudaStreamAddCallback cannot be captured; cudaLaunchHostFunc can"
            : copies ? "a copy or memset that waits cannot be captured; use its Async form"
                     : "no graph has a node for such a call here");
    if (*effect)
        (*effect)->stage = false;
    add_captured(capture, c, type_of(c->kind), *effect);
    *effect = NULL;
    return cudaSuccess;
}

/* The latest call of that kind that `is` accepts, of those made since the capture began; NULL:
 * none. */
static const struct call *latest_since(const struct capture *capture,
                                       bool (*is)(const struct call *c, uint32_t what),
                                       uint32_t what)
{
    const struct timeline *t = &sim.timeline;
    for (size_t i = t->call_count; i-- > 0 && t->calls[i].begin >= capture->begun.begin;)
        if (t->calls[i].status == 0 && is(&t->calls[i], what))
            return &t->calls[i];
    return NULL;
}

/* A wait of that stream for no event of a capture's. */
static bool waits_in_vain(const struct call *c, uint32_t stream)
{
    return c->kind == CALL_STREAM_WAIT && c->stream == stream;
}

static bool records_captured(const struct call *c, uint32_t event)
{
    return c->flags & CALL_CAPTURED && c->event == event
           && strcmp(timeline_string(&sim.timeline, c->name), "cudaEventRecord") == 0;
}

/* The event was recorded outside: where, and what was tried to bring that stream into the capture.
 */
static cudaError_t refuse_outside(struct capture *capture, struct call *c)
{
    const struct call *record =
        &sim.timeline.calls[sim.timeline.spans[sim.order.event_record[c->event]].call];
    const struct call *vain = latest_since(capture, waits_in_vain, record->stream);
    const struct call *before = latest_since(capture, records_captured, c->event);
    char text[900], tried[300] = "";
    if (vain)
        snprintf(tried, sizeof tried,
                 "; that stream did not join: %.120s waits for no event of the capture",
                 words_of_call(vain).text);
    else if (capture->idle.line != 0)
        snprintf(tried, sizeof tried,
                 "; that stream did not join: %.120s adds nothing to what its stream waits for",
                 words_of_call(&capture->idle).text);
    else if (record->begin >= capture->begun.begin)
        snprintf(tried, sizeof tried,
                 "; that stream did not join: it has waited for no event of the capture");
    size_t used = strlen(tried);
    if (before)
        snprintf(tried + used, sizeof tried - used, "; %.100s had recorded it in the capture",
                 words_of_call(before).text);
    snprintf(
        text, sizeof text,
        "the event was last recorded outside the capture (%.160s), whose work may wait for nothing outside%s",
        words_of_call(record).text, tried);
    return refuse(capture, c, cudaErrorStreamCaptureIsolation, text);
}

static cudaError_t take_record(struct capture *capture, struct call *c)
{
    if (capture && c->flags & EVENT_EXTERNAL) {
        add_captured(capture, c, cudaGraphNodeTypeEventRecord, NULL);
        return cudaSuccess;
    }
    struct captured_event *event = captured_event(c->event);
    event->id = capture ? capture->id : 0;
    set_clear(&event->last);
    if (!capture)
        return cudaSuccess;
    set_add_all(&event->last, &captured_stream(c->stream)->last);
    become_captured(c);
    return cudaSuccess;
}

void capture_records_launch(uint32_t stream, uint32_t event_number)
{
    const struct captured_stream *s = captured_stream(stream);
    if (!s->capture && event_number >= captures.event_count)
        return;
    struct captured_event *event = captured_event(event_number);
    event->id = s->capture ? s->capture->id : 0;
    set_clear(&event->last);
    if (!s->capture)
        return;
    edge_set_add(&event->last, (struct graph_edge){ s->last.list[0].node,
                                                    cudaGraphKernelNodePortLaunchCompletion });
}

static cudaError_t take_wait(struct capture *capture, struct call *c)
{
    if (capture && c->flags & EVENT_EXTERNAL) {
        add_captured(capture, c, cudaGraphNodeTypeWaitEvent, NULL);
        return cudaSuccess;
    }
    const struct captured_event *event = captured_event(c->event);
    struct capture *from = capture_numbered(event->id);
    if (event->id == 0) {
        if (!capture)
            return cudaSuccess;
        bool recorded =
            c->event < sim.order.event_count && sim.order.event_record[c->event] != NO_NODE;
        if (recorded)
            return refuse_outside(capture, c);
    } else if (!from) {
        static const char over[] =
            "the event was last recorded in a capture that is over: there is nothing to wait for";
        return capture ? refuse(capture, c, cudaErrorCapturedEvent, over)
                       : because(c, cudaErrorCapturedEvent, over);
    } else if (from->invalid) {
        return capture_is_broken(from, c);
    } else if (capture && capture != from) {
        static const char merge[] =
            "the event was recorded in another capture, and two captures cannot become one";
        refuse(from, c, cudaErrorStreamCaptureMerge, merge);
        return refuse(capture, c, cudaErrorStreamCaptureMerge, merge);
    } else if (!capture && stream_is_legacy(c->stream)) {
        return refuse(from, c, cudaErrorStreamCaptureImplicit,
                      "the legacy default stream cannot take part in a capture");
    }
    if (!capture) {
        take_part(from, c->stream);
        set_clear(&captured_stream(c->stream)->last);
    }
    struct edge_set *last = &captured_stream(c->stream)->last;
    size_t before = last->count;
    if (from)
        set_add_all(last, &event->last);
    if (capture && last->count == before)
        capture->idle = *c;
    become_captured(c);
    return cudaSuccess;
}

/* Asking about an event, or waiting for it, that has no time of its own. */
static cudaError_t look_at_event(struct call *c, cudaError_t status)
{
    const struct captured_event *event = captured_event(c->event);
    struct capture *from = capture_numbered(event->id);
    if (from)
        return refuse(from, c, cudaErrorCapturedEvent,
                      "the event was recorded in a capture: it belongs to no work that runs");
    return event->id != 0
               ? because(
                     c, cudaErrorCapturedEvent,
                     "the event was last recorded in a capture that is over: it belongs to no work that runs")
               : refuse_unsafe(c, status);
}

cudaError_t capture_takes(struct call *c, cudaError_t status, struct effect **effect)
{
    if ((captures.first || captures.event_count > 0)
        && (c->kind == CALL_EVENT_QUERY || c->kind == CALL_EVENT_SYNC))
        return look_at_event(c, status);
    if (!captures.first
        && !(captures.event_count > 0
             && (c->kind == CALL_EVENT_RECORD || c->kind == CALL_STREAM_WAIT)))
        return status;
    if (c->kind == CALL_DEVICE_SYNC)
        return refuse_all(c, cudaErrorStreamCaptureUnsupported);
    bool waits = c->kind == CALL_STREAM_SYNC || c->kind == CALL_STREAM_QUERY;
    bool memory = (c->kind == CALL_MALLOC || c->kind == CALL_FREE) && c->flags & CALL_ASYNC;
    bool works = (c->kind >= CALL_LAUNCH && c->kind <= CALL_STREAM_WAIT)
                 || c->kind == CALL_GRAPH_LAUNCH || memory;
    if (!waits && !works)
        return status;
    cudaError_t legacy = capture_meets_legacy(c, true);
    if (legacy != cudaSuccess)
        return legacy;
    struct capture *capture = captured_stream(c->stream)->capture;
    if (capture && capture->invalid)
        return capture_is_broken(capture, c);
    if (c->kind == CALL_EVENT_RECORD)
        return take_record(capture, c);
    if (c->kind == CALL_STREAM_WAIT)
        return take_wait(capture, c);
    if (!capture)
        return status;
    return waits ? refuse(capture, c, cudaErrorStreamCaptureUnsupported,
                          "it asks about, or waits for, work that is captured and not run")
                 : take_work(capture, c, effect);
}
