/* SPDX-License-Identifier: MIT */
/* What checks ask of a view. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/check.h"
#include "trace/record/memory.h"

bool is_in_driver(const struct timeline *t, const struct call *c)
{
    const char *file = timeline_string(t, c->file), *slash = strrchr(file, '/');
    return strcmp(slash ? slash + 1 : file, "driver.cu") == 0;
}

bool part_ran(const struct view *v, const char *part)
{
    size_t first, end;
    if (!measure_part(v->timeline, part, &first, &end))
        return false;
    return end < v->timeline->call_count && v->timeline->calls[end].kind == CALL_PART;
}

struct selection in_part(const struct view *v, const char *part, uint32_t engines)
{
    struct selection s = { .engines = engines, .device = ANY, .stream = ANY };
    if (!measure_part(v->timeline, part, &s.first_call, &s.end_call))
        s.first_call = s.end_call = 0;
    return s;
}

int64_t part_makespan(const struct view *v, const char *part)
{
    struct interval extent = { 0, 0 };
    bool any =
        part_ran(v, part) && measure_extent(v->timeline, in_part(v, part, ENGINES_DEVICE), &extent);
    return any ? extent.end - extent.start : 0;
}

bool part_ends_before(const struct view *v, const char *part, const char *kernel)
{
    const struct timeline *t = v->timeline;
    struct selection all = { .device = ANY, .stream = ANY, .end_call = t->call_count };
    uint32_t node = next_kernel(v, all, kernel, 0);
    size_t end = in_part(v, part, 0).end_call;
    return node == ANY || (end < t->call_count && t->calls[end].begin < t->spans[node].end);
}

uint32_t next_span(const struct view *v, struct selection s, uint32_t from)
{
    for (size_t k = from; k < v->timeline->span_count; k++) {
        const struct span *span = &v->timeline->spans[k];
        if ((s.engines & ENGINE_BIT(span->engine)) != 0
            && (s.device == ANY || span->device == s.device)
            && (s.stream == ANY || span->stream == s.stream) && span->call >= s.first_call
            && span->call < s.end_call)
            return (uint32_t)k;
    }
    return ANY;
}

uint32_t next_kernel(const struct view *v, struct selection s, const char *name, uint32_t from)
{
    s.engines = ENGINE_BIT(ENGINE_KERNEL);
    uint32_t node = next_span(v, s, from);
    while (node != ANY
           && strcmp(timeline_string(v->timeline, v->timeline->spans[node].name), name) != 0)
        node = next_span(v, s, node + 1);
    return node;
}

const struct call *call_of_node(const struct view *v, uint32_t node)
{
    static const struct call none;
    return node < v->timeline->span_count ? &v->timeline->calls[v->timeline->spans[node].call]
                                          : &none;
}

uint32_t call_number(const struct view *v, uint32_t node)
{
    return node == ANY ? ANY : v->timeline->spans[node].call;
}

bool why_short_copy(const struct view *v, struct finding *f, struct selection s, uint64_t bytes)
{
    static const enum engine way[] = { ENGINE_H2D, ENGINE_D2H };
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
        uint64_t sum = 0;
        uint32_t last = ANY;
        s.engines = ENGINE_BIT(way[k]);
        EACH_SPAN(node, v, s) {
            sum += call_of_node(v, node)->bytes;
            last = node;
        }
        if (last == ANY || sum >= bytes)
            continue;
        f->call = v->timeline->spans[last].call;
        why(f,
            "%llu of %llu bytes were copied %s. A copy's size is in bytes: n * sizeof of an element.",
            (unsigned long long)sum, (unsigned long long)bytes, k == 0 ? "to the device" : "back");
        return true;
    }
    return false;
}

static int by_stream_and_node(const void *one, const void *two)
{
    const struct chain *a = one, *b = two;
    return a->stream != b->stream ? (a->stream > b->stream) - (a->stream < b->stream)
                                  : (a->node > b->node) - (a->node < b->node);
}

size_t chains_of(const struct view *v, struct selection s, struct chain **out)
{
    size_t count = 0;
    *out = calloc(v->timeline->span_count + 1, sizeof **out);
    for (uint32_t node = next_span(v, s, 0); *out && node != ANY;
         node = next_span(v, s, node + 1)) {
        bool in_graph = call_of_node(v, node)->flags & GRAPH_NODE;
        (*out)[count++] =
            (struct chain){ in_graph ? ANY - 1 - node : v->timeline->spans[node].stream, node };
    }
    if (count > 0)
        qsort(*out, count, sizeof **out, by_stream_and_node);
    return count;
}

/* Of a stream's nodes the last that `after` waits for will do, if any does. */
bool chain_between(struct happens_before *o, const struct chain *c, size_t count, uint32_t before,
                   uint32_t after)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        for (end = begin; end < count && c[end].stream == c[begin].stream;)
            end++;
        size_t low = begin, high = end;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (hb_before(o, c[middle].node, after, GUARANTEED))
                low = middle + 1;
            else
                high = middle;
        }
        if (low > begin && hb_before(o, before, c[low - 1].node, GUARANTEED))
            return true;
    }
    return false;
}

unsigned streams_used(const struct view *v, struct selection s)
{
    struct chain *c;
    size_t count = chains_of(v, s, &c);
    unsigned streams = 0;
    for (size_t i = 0; i < count; i++)
        streams += i == 0 || c[i].stream != c[i - 1].stream;
    free(c);
    return streams;
}

unsigned average_width(const struct view *v, struct selection s)
{
    struct interval extent;
    if (!measure_extent(v->timeline, s, &extent) || extent.start == extent.end)
        return 0;
    int64_t sum = 0;
    EACH_SPAN(i, v, s)
        if (v->timeline->spans[i].end != TIME_NEVER)
            sum += v->timeline->spans[i].end - v->timeline->spans[i].start;
    return (unsigned)(sum * 1000 / (extent.end - extent.start));
}

bool queues_in_stream(const struct call *c)
{
    bool pool = (c->kind == CALL_MALLOC || c->kind == CALL_FREE) && c->flags & CALL_ASYNC;
    return c->status == 0 && c->stream != NO_STREAM
           && (pool || (c->kind >= CALL_LAUNCH && c->kind <= CALL_STREAM_WAIT));
}

uint32_t in_default_stream(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && (t->calls[i].flags & STREAM_LEGACY)) {
            s.stream = t->calls[i].stream;
            uint32_t node = next_span(v, s, 0);
            if (node != ANY)
                return t->spans[node].call;
        }
    return ANY;
}

uint32_t wait_in_between(const struct view *v, struct selection s)
{
    size_t last = s.first_call;
    EACH_SPAN(node, v, s)
        if (v->timeline->spans[node].call > last)
            last = v->timeline->spans[node].call;
    return measure_longest_wait(v->timeline, s.first_call, last);
}

uint32_t kernel_named(const struct view *v, struct selection s, const char *name, size_t *count)
{
    uint32_t first = next_kernel(v, s, name, 0);
    if (!count)
        return first;
    *count = 0;
    EACH_KERNEL(node, v, s, name)
        ++*count;
    return first;
}

void blame_count(const struct view *v, struct finding *f, struct selection s, const char *kernel,
                 const char *function)
{
    size_t count;
    uint32_t first = kernel_named(v, s, kernel, &count);
    bool one_line = count > 1;
    EACH_KERNEL(node, v, s, kernel)
        one_line = one_line && call_of_node(v, node)->line == call_of_node(v, first)->line;
    f->call = first == ANY || one_line ? ANY : v->timeline->spans[first].call;
    f->function = function;
    f->word = one_line ? "for" : kernel;
    f->looped = one_line ? v->timeline->spans[first].call : 0;
}

bool was_captured(const struct view *v, struct selection s, const char *name)
{
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (v->timeline->calls[i].flags & CALL_CAPTURED
            && strcmp(timeline_string(v->timeline, v->timeline->calls[i].name), name) == 0)
            return true;
    return false;
}

bool blame_copies(const struct view *v, struct finding *f, struct selection s, const char *function)
{
    const struct span *spans = v->timeline->spans;
    uint32_t least = next_span(v, s, 0);
    EACH_SPAN(node, v, s)
        if (spans[node].bytes < spans[least].bytes)
            least = node;
    f->function = function;
    f->word = "cudaMemcpyAsync";
    f->call = least != ANY ? spans[least].call : ANY;
    if (least != ANY)
        return false;
    why(f, "There is no such copy: no cudaMemcpyAsync() or cudaMemcpy() of this part makes one.");
    return true;
}

uint32_t stream_wait_between(const struct view *v, struct selection s, uint32_t one, uint32_t other)
{
    uint32_t before = one < other ? one : other, after = one < other ? other : one;
    s.engines = ENGINE_BIT(ENGINE_NONE);
    EACH_SPAN(wait, v, s)
        if (call_of_node(v, wait)->kind == CALL_STREAM_WAIT
            && hb_before(v->order, before, wait, GUARANTEED)
            && hb_before(v->order, wait, after, GUARANTEED))
            return v->timeline->spans[wait].call;
    return ANY;
}

uint32_t never_waited_for(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    uint32_t last = ANY;
    for (uint32_t node = next_span(v, s, 0); node != ANY && s.end_call < t->call_count;
         node = next_span(v, s, node + 1))
        if (!hb_before_call(v->order, node, t->calls, s.end_call, GUARANTEED))
            last = node;
    return last;
}

/* Does this host thread make calls in these, and not only let time pass? One that runs functions of
 * streams need not. */
static bool makes_calls(const struct timeline *t, struct selection s, uint32_t thread)
{
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (t->calls[i].thread == thread && t->calls[i].kind != CALL_HOST_WORK
            && t->calls[i].kind != CALL_FUNCTION_BEGIN && t->calls[i].kind != CALL_FUNCTION_END)
            return true;
    return false;
}

static bool is_of_threads(const struct call *c)
{
    return c->kind == CALL_THREAD_WAKE || c->kind == CALL_THREAD_BEGIN;
}

/* Where the thread that the call holds up, or wakes, has stood still; NULL: nowhere. */
static const struct span *wait_of(const struct timeline *t, size_t call)
{
    for (size_t k = 0; k < t->span_count; k++)
        if (t->spans[k].call == call && t->spans[k].engine == ENGINE_WAIT)
            return &t->spans[k];
    return NULL;
}

/* Was the call's thread held up by the device at some time after `since`? The call that it waited
 * for, or in; ANY. Who waits for a lock of a function that runs already does not wait for that. */
static uint32_t held_up_after(const struct timeline *t, size_t call, int64_t since)
{
    const struct call *c = &t->calls[call];
    if (c->kind == CALL_THREAD_WAKE)
        return c->node < t->span_count && t->spans[c->node].start >= since
                   ? t->spans[c->node].call
                   : ANY;
    const struct span *waits = is_of_threads(c) || c->node >= t->span_count ? NULL
                                                                           : wait_of(t, call);
    return waits && waits->end > since ? (uint32_t)call : ANY;
}

uint32_t woken_by_device(const struct view *v, size_t wake)
{
    enum { THREADS = 256 };     /* those beyond are not looked at */
    const struct timeline *t = v->timeline;
    const struct span *stands = t->calls[wake].kind == CALL_THREAD_WAKE ? wait_of(t, wake) : NULL;
    if (!stands)
        return ANY;
    uint32_t behind = held_up_after(t, wake, stands->start);
    /* The thread that woke it, the one that had woken that, and so on, while it stood still. */
    bool followed[THREADS] = { false };
    size_t count = t->calls[wake].node >= t->span_count && t->calls[wake].src < THREADS;
    followed[t->calls[wake].src % THREADS] = count == 1;
    for (size_t i = wake; i-- > 0 && count > 0 && behind == ANY;) {
        const struct call *c = &t->calls[i];
        if (c->thread >= THREADS || !followed[c->thread])
            continue;
        if (c->end <= stands->start) {
            followed[c->thread] = false;
            count--;
            continue;
        }
        behind = held_up_after(t, i, stands->start);
        if (c->kind == CALL_THREAD_WAKE && c->src < THREADS && !followed[c->src]) {
            followed[c->src] = true;
            count++;
        }
    }
    return behind;
}

uint32_t first_standstill(const struct view *v, struct selection s)
{
    const struct timeline *t = v->timeline;
    uint32_t first = ANY;
    for (size_t i = s.first_call; i < s.end_call && first == ANY; i++)
        switch (t->calls[i].kind) {
        case CALL_STREAM_SYNC: case CALL_DEVICE_SYNC: case CALL_EVENT_SYNC:
        case CALL_STREAM_QUERY: case CALL_EVENT_QUERY:
            first = (uint32_t)i;
            break;
        case CALL_HOST_WORK:
            first = makes_calls(t, s, t->calls[i].thread) ? (uint32_t)i : ANY;
            break;
        case CALL_THREAD_WAKE:
            first = t->calls[i].thread == t->calls[s.first_call].thread
                            && woken_by_device(v, i) != ANY
                        ? (uint32_t)i
                        : ANY;
        }
    /* A copy, or a cudaFree, that waits; to wait for another host thread is no wait for the device,
     * unless that one is held up itself. */
    for (size_t node = 0; node < t->span_count; node++) {
        uint32_t call = t->spans[node].call;
        if (t->spans[node].engine == ENGINE_WAIT && !is_of_threads(&t->calls[call])
            && call >= s.first_call && call < s.end_call && call < first)
            first = call;
    }
    return first;
}

bool lost_the_processor(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_HOST_WORK && c->cost > 0
            && strcmp(timeline_string(v->timeline, c->name), LOST_TURN) == 0)
            return true;
    }
    return false;
}

struct node_name node_name(const struct view *v, uint32_t node)
{
    struct node_name name;
    const struct call *c = call_of_node(v, node);
    const char *text = timeline_string(v->timeline, c->name);
    char *clean = text_harmless(text, strlen(text));
    snprintf(name.text, sizeof name.text,
             c->kind == CALL_LAUNCH ? "%.100s() of %s %u" : "the %.100s of %s %u",
             c->kind == CALL_LAUNCH ? clean : call_kind_name(c->kind),
             is_in_driver(v->timeline, c) ? "the driver's line" : "line", c->line);
    memory_resize(clean, 0);
    return name;
}

int64_t declared_cost(const struct view *v, uint32_t node)
{
    return node == ANY || !v->costs ? -1 : v->costs[node];
}

bool costs_as_given(const struct view *v, struct finding *f, uint32_t node, int64_t wanted,
                    const char *name)
{
    int64_t cost = declared_cost(v, node);
    if (cost < 0 || cost == wanted)
        return true;
    f->call = v->timeline->spans[node].call;
    expected(f, "each block of %s() takes %s: %lld ns",
             timeline_string(v->timeline, v->timeline->spans[node].name), name, (long long)wanted);
    seen(f, "%lld ns", (long long)cost);
    return why(f, "The contract gives the kernel's time: pass %s unchanged.", name);
}

long label_number(const struct view *v, size_t call, const char *what)
{
    const struct call *c = &v->timeline->calls[call];
    if (c->kind != CALL_LABEL)  /* nearly all of those that are asked about */
        return -1;
    const char *text = timeline_string(v->timeline, c->name);
    size_t length = strlen(what);
    return strncmp(text, what, length) == 0 ? strtol(text + length, NULL, 10) : -1;
}

void blame_label(struct finding *f, size_t call, uint32_t instead)
{
    f->call = (uint32_t)call;
    f->instead = instead;
}

size_t label_end(const struct view *v, size_t call)
{
    const struct timeline *t = v->timeline;
    size_t depth = 1, i = call + 1;
    for (; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_LABEL && t->calls[i].thread == t->calls[call].thread) {
            if (t->calls[i].name != 0)
                depth++;
            else if (--depth == 0)
                break;
        }
    return i;
}

struct selection label_calls(const struct view *v, struct selection s, const char *what,
                             int64_t number)
{
    for (size_t call = s.first_call; call < s.end_call && call < v->timeline->call_count; call++)
        if (label_number(v, call, what) == number) {
            s.first_call = call;
            s.end_call =
                label_end(v, call); /* in its own thread: others open and close labels meanwhile */
            return s;
        }
    s.first_call = s.end_call = 0;
    return s;
}

/* The line that allocated the memory, before that call; 0: not known. */
static uint32_t allocated_in(const struct timeline *t, uint64_t address, size_t before)
{
    for (size_t i = before; i-- > 0;)
        if (t->calls[i].kind == CALL_MALLOC && t->calls[i].status == 0
            && address - t->calls[i].dst < t->calls[i].bytes)
            return t->calls[i].line;
    return 0;
}

bool devices_named(const struct view *v, struct selection s, struct finding *f)
{
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind != CALL_COPY || c->status != 0 || !(c->flags & COPY_MISNAMED))
            continue;
        f->call = (uint32_t)i;
        expected(f,
                 "a copy between devices names the devices whose memory it goes to and comes from: %u and %u",
                 c->dst_device, c->src_device);
        seen(f, "this one names others");
        uint32_t dst = allocated_in(v->timeline, c->dst, i),
                 src = allocated_in(v->timeline, c->src, i);
        if (c->dst_device == c->src_device && dst != 0 && src != 0)
            return why(f,
                       "Both are memory of device %u (allocated in line %u and line %u). If one was meant for another device: memory belongs to the device that is current when it is "
                       "allocated, so call cudaSetDevice() before that line.",
                       c->dst_device, dst, src);
        return why(f,
                   "The second argument is the device of dst, the fourth that of src. The addresses say whose memory it is, so the copy "
                   "may go well: do not count on it.");
    }
    return true;
}
