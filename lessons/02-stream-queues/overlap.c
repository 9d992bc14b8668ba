/* SPDX-License-Identifier: MIT */
/* (a): a stream of its own, pinned memory, and a host that is free meanwhile. (b): two chains that
 * overlap. */
#include <string.h>

#include "grader/check.h"
#include "trace/record/memory.h"

#include "slots.h"

#define OVERLAP_PERMILLE 850    /* of the reference's, on the same card */

/* ---- (a): the trip has a stream of its own, its memory is pinned, and the host is free ---- */

bool judge_own_stream(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    for (size_t i = 0; i < t->call_count; i++) {
        const struct call *c = &t->calls[i];
        if (c->kind != CALL_STREAM_CREATE || !(c->flags & (STREAM_LEGACY | STREAM_PER_THREAD)))
            continue;
        s.stream = c->stream;
        uint32_t node = next_span(v, s, 0);
        if (node == ANY)
            continue;
        f->call = t->spans[node].call;
        expected(f, "the trip runs in a stream that you made");
        seen(f, "%s is in the %s default stream", timeline_string(t, t->spans[node].name),
             c->flags & STREAM_LEGACY ? "legacy" : "per-thread");
        return why(f,
                   "All calls that name no stream share one, and wait for each other there. Name your stream: the last argument of "
                   "cudaMemcpyAsync(), the fourth of a launch.");
    }
    return true;
}

/* The call by which the program has got page-locked memory of that size in the part before `call`;
 * ANY: none. */
static uint32_t has_pinned(const struct view *v, const char *part, uint32_t call, uint64_t bytes)
{
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < call; i++) {
        const struct call *c = &v->timeline->calls[i];
        if (c->kind == CALL_MALLOC && c->dst_kind == MEM_PINNED && c->bytes >= bytes
            && c->status == 0 && !is_in_driver(v->timeline, c))
            return (uint32_t)i;
    }
    return ANY;
}

bool judge_pinned(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    struct selection s = in_part(v, part, ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2H));
    EACH_SPAN(node, v, s) {
        const struct call *c = call_of_node(v, node);
        bool in = v->timeline->spans[node].engine == ENGINE_H2D;
        if ((in ? c->src_kind : c->dst_kind) != MEM_PAGEABLE)
            continue;
        f->call = v->timeline->spans[node].call;
        expected(f, "the host's end of both copies is pinned memory");
        seen(f, "the copy %s pageable memory", in ? "to the device reads" : "back writes");
        uint32_t pinned = has_pinned(v, part, f->call, c->bytes);
        if (pinned != ANY)
            return why(f,
                       "The copy engine works without the host only on memory that the system will not move. The memory that %s() of line "
                       "%u has got is of that kind, and as large: this copy has another address.",
                       timeline_string(v->timeline, v->timeline->calls[pinned].name),
                       v->timeline->calls[pinned].line);
        return why(f,
                   "The copy engine works without the host only on memory that the system will not move. Take it from "
                   "cudaMallocHost(), or have it pinned with cudaHostRegister().");
    }
    return true;
}

/* How much of the shorter of the two, the trip on the device and the host's own work, ran beside
 * the other, in thousandths. */
static unsigned host_share(const struct view *v, const char *part)
{
    struct interval *busy;
    size_t count = measure_intervals(v->timeline, in_part(v, part, ENGINES_DEVICE), &busy);
    int64_t all = 0, both = 0, work = 0;
    size_t first, end;
    measure_part(v->timeline, part, &first, &end);
    for (size_t k = 0; k < count; k++) {
        all += busy[k].end - busy[k].start;
        for (size_t i = first; i < end; i++) {
            const struct call *c = &v->timeline->calls[i];
            if (c->kind != CALL_HOST_WORK)
                continue;
            int64_t from = c->begin > busy[k].start ? c->begin : busy[k].start;
            int64_t to = c->end < busy[k].end ? c->end : busy[k].end;
            both += to > from ? to - from : 0;
        }
    }
    memory_resize(busy, 0);
    for (size_t i = first; i < end; i++)
        if (v->timeline->calls[i].kind == CALL_HOST_WORK)
            work += v->timeline->calls[i].end - v->timeline->calls[i].begin;
    int64_t shorter = work < all ? work : all;
    return shorter ? (unsigned)(both * 1000 / shorter) : 0;
}

/* The first operation that was queued when the caller's own work was over, ANY for none. */
static uint32_t queued_late(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    const struct call *calls = v->timeline->calls;
    size_t work = s.first_call;
    while (work < s.end_call && calls[work].kind != CALL_HOST_WORK)
        work++;
    uint32_t node = next_span(v, s, 0);
    while (node != ANY && (work == s.end_call || call_of_node(v, node)->begin < calls[work].end))
        node = next_span(v, s, node + 1);
    return node;
}

/* The first operation that was queued after trip_begin() had returned, by another host thread; ANY
 * for none. */
static uint32_t queued_elsewhere(const struct view *v, const char *part)
{
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    size_t first, end;
    if (!measure_label(v->timeline, BEGIN, &first, &end))
        return ANY;
    uint32_t node = next_span(v, s, 0);
    while (node != ANY && v->timeline->spans[node].call < end)
        node = next_span(v, s, node + 1);
    return node;
}

/* The call by which trip_begin() waits for what it has queued, or polls for it, before it returns;
 * ANY for none. */
static uint32_t wait_in_begin(const struct view *v, const char *part)
{
    const struct timeline *t = v->timeline;
    uint32_t queued = next_span(v, in_part(v, part, ENGINES_DEVICE), 0);
    size_t first, end, asked = 0;
    if (queued == ANY || !measure_label(t, BEGIN, &first, &end))
        return ANY;
    for (size_t i = t->spans[queued].call; i < end; i++) {
        const struct call *c = &t->calls[i];
        bool asks = (c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY) && c->status != 0;
        asked += asks;
        if (c->kind == CALL_STREAM_SYNC || c->kind == CALL_DEVICE_SYNC || c->kind == CALL_EVENT_SYNC
            || (asks && asked > 1))
            return (uint32_t)i;
    }
    return ANY;
}

bool judge_free_host(const struct evidence *e, struct finding *f, const char *part)
{
    const struct view *v = &e->yours[0];
    uint32_t late = queued_late(v, part);
    if (late != ANY) {
        f->call = v->timeline->spans[late].call;
        expected(f, "trip_begin() queues all of the trip: to the device, the kernel, and back");
        seen(f, "this is queued in trip_end(), after the caller's own work");
        return why(f,
                   "What is not queued cannot run, and so trip_end() has to wait for it. Queue all three operations in "
                   "trip_begin().");
    }
    late = queued_elsewhere(v, part);
    if (late != ANY) {
        f->call = v->timeline->spans[late].call;
        expected(f, "when trip_begin() returns, all of the trip is queued");
        seen(f, "another host thread queues this, and trip_begin() had returned by then");
        return why(f,
                   "The operating system decides when a thread starts. Queueing is too quick to need a thread: make the calls in trip_begin() itself.");
    }
    unsigned mine = host_share(v, part), theirs = host_share(&e->reference[0], part);
    if (mine * 1000 >= theirs * share_asked(v, OVERLAP_PERMILLE)) {
        f->call = wait_in_begin(v, part);
        if (f->call == ANY)
            return true;
        expected(f, "when trip_begin() returns, all is queued, and nothing has waited");
        seen(f, "the host waits here for what it has just queued");
        return why(f,
                   "In a stream each operation waits for the one before, without the host. Waiting is for trip_end().");
    }
    expected(f,
             "trip_begin() only queues the trip: the device works on it while the caller does other work");
    seen(f,
         "%u %% of the shorter of the two ran beside the other (%u %% in the reference solution)",
         mine / 10, theirs / 10);
    size_t first, end, work;
    measure_part(v->timeline, part, &first, &end);
    for (work = first; work < end && v->timeline->calls[work].kind != CALL_HOST_WORK; work++)
        ;
    f->call = measure_longest_wait(v->timeline, first, work);
    uint32_t queued = next_span(v, in_part(v, part, ENGINES_DEVICE), 0);
    for (size_t i = queued == ANY ? work : v->timeline->spans[queued].call;
         i < work && f->call == ANY; i++)
        if ((v->timeline->calls[i].kind == CALL_MALLOC || v->timeline->calls[i].kind == CALL_FREE)
            && !(v->timeline->calls[i].flags & CALL_ASYNC))
            f->call = (uint32_t)i;
    if (f->call != ANY
        && (v->timeline->calls[f->call].kind == CALL_MALLOC
            || v->timeline->calls[f->call].kind == CALL_FREE))
        return why(f,
                   "This call held the host up until the device was done: a call that allocates or frees memory may wait for the whole "
                   "device. Allocate all memory before you queue, and free it in trip_end().");
    if (f->call == ANY)
        return why(f,
                   "What is queued when trip_begin() returns can run while the caller works. Queue all three operations there, and "
                   "let no later call hold the host up.");
    return why(f,
               "This call held the host up until the device was done. Waiting is for trip_end().");
}

/* ---- (b): do the chains overlap? ---- */

static const char *const chain[] = { "left_step", "right_step" };

/* How much of the shorter kernel ran beside the other one, in thousandths. */
static unsigned kernels_at_once(const struct view *v, const char *part)
{
    int64_t sum[2] = { 0, 0 }, both = 0;
    for (int k = 0; k < 2; k++)
        EACH_KERNEL(a, v, in_part(v, part, 0), chain[k]) {
            const struct span *mine = &v->timeline->spans[a];
            if (mine->end == TIME_NEVER)
                continue;
            sum[k] += mine->end - mine->start;
            for (uint32_t b = next_kernel(v, in_part(v, part, 0), chain[1], 0); k == 0 && b != ANY;
                 b = next_kernel(v, in_part(v, part, 0), chain[1], b + 1)) {
                const struct span *other = &v->timeline->spans[b];
                int64_t from = mine->start > other->start ? mine->start : other->start;
                int64_t to = mine->end < other->end ? mine->end : other->end;
                both += to > from && to != TIME_NEVER ? to - from : 0;
            }
        }
    int64_t shorter = sum[0] < sum[1] ? sum[0] : sum[1];
    return shorter ? (unsigned)(both * 1000 / shorter) : 0;
}

/* The device memory of each chain, which the driver has taken for one after the other; false: it
 * cannot be told. */
static bool memory_of_chains(const struct view *v, const char *part, const struct call *memory[2])
{
    const struct timeline *t = v->timeline;
    size_t i = in_part(v, part, 0).first_call;
    for (int k = 1; k >= 0; k--) {
        while (i > 0
               && !(t->calls[i - 1].kind == CALL_MALLOC && t->calls[i - 1].dst_kind == MEM_DEVICE
                    && is_in_driver(t, &t->calls[i - 1])))
            i--;
        if (i == 0)
            return false;
        memory[k] = &t->calls[--i];
    }
    return true;
}

/* Does this span work for the chain: its kernel, or a copy to or from its memory? */
static bool is_of_chain(const struct view *v, uint32_t node, const char *kernel,
                        const struct call *memory)
{
    const struct span *span = &v->timeline->spans[node];
    const struct call *c = &v->timeline->calls[span->call];
    if (span->engine == ENGINE_KERNEL)
        return strcmp(timeline_string(v->timeline, span->name), kernel) == 0;
    uint64_t at = span->engine == ENGINE_H2D ? c->dst : span->engine == ENGINE_D2H ? c->src : 0;
    return at >= memory->dst && at < memory->dst + memory->bytes;
}

/* Looks for an operation of one chain that is bound to wait for one of the other chain. */
static bool chains_wait(const struct view *v, const char *part, uint32_t *before, uint32_t *after)
{
    const struct call *memory[2];
    struct selection s = in_part(v, part, ENGINES_DEVICE);
    if (!memory_of_chains(v, part, memory))
        return false;
    EACH_SPAN(a, v, s)
        EACH_SPAN(b, v, s)
            for (int k = 0; k < 2; k++)
                if (is_of_chain(v, a, chain[k], memory[k])
                    && is_of_chain(v, b, chain[1 - k], memory[1 - k])
                    && hb_before(v->order, a, b, GUARANTEED)) {
                    *before = a;
                    *after = b;
                    return true;
                }
    return false;
}

/* The host's call, of those ahead of call `end` in its thread, after which `before` is bound to be
 * done; ANY for none. */
static uint32_t host_wait_for(const struct view *v, uint32_t before, uint32_t end)
{
    const struct call *calls = v->timeline->calls;
    if (!hb_before_call(v->order, before, calls, end, GUARANTEED))
        return ANY;
    for (uint32_t i = end; i-- > v->timeline->spans[before].call;)
        if (calls[i].thread == calls[end].thread
            && !hb_before_call(v->order, before, calls, i, GUARANTEED))
            return i;
    return ANY;
}

static bool chains_are_free(const struct view *v, struct finding *f, const char *part)
{
    uint32_t before, after;
    if (!chains_wait(v, part, &before, &after))
        return true;
    uint32_t host = host_wait_for(v, before, v->timeline->spans[after].call);
    uint32_t stream = stream_wait_between(v, in_part(v, part, 0), before, after);
    f->call = host != ANY ? host : stream != ANY ? stream : v->timeline->spans[after].call;
    expected(f, "nothing makes one chain wait for the other");
    seen(f, "%s is bound to wait for %s, which belongs to the other chain",
         node_name(v, after).text, node_name(v, before).text);
    if (host != ANY)
        return why(f,
                   "The host waits here before it has queued the rest, and what is not queued cannot run. Queue both chains first, then "
                   "wait for both.");
    return why(f,
               "The chains have nothing to do with each other: no stream, no event, no wait in common.");
}

bool judge_overlap(const struct evidence *e, struct finding *f, const char *part)
{
    for (size_t view = 0; view < e->views; view++) {
        const struct view *v = &e->yours[view];
        unsigned mine = kernels_at_once(v, part),
                 theirs = kernels_at_once(&e->reference[view], part);
        if (mine * 1000 >= theirs * share_asked(v, OVERLAP_PERMILLE))
            continue;
        struct selection s = in_part(v, part, ENGINES_DEVICE);
        f->view = view;
        expected(f, "left_step() and right_step() run at the same time");
        seen(f, "%u %% of the shorter one ran beside the other (%u %% in the reference solution)",
             mine / 10, theirs / 10);
        f->call = wait_in_between(v, s);
        if (f->call != ANY)
            return why(f,
                       "The host waits here before it has queued the rest, and what is not queued cannot run. Queue "
                       "both chains first, then wait for both.");
        if (streams_used(v, s) < 2)
            return why(f,
                       "Both chains are in one stream, and a stream does one thing after another. Give each its own.");
        f->call = in_default_stream(v, s);
        if (f->call != ANY)
            return why(f,
                       "This is in the default stream. It waits for all streams made by cudaStreamCreate(), and they "
                       "all wait for it. %s",
                       streams_used(v, s) > 2
                           ? "Other streams are in use already: name this chain's, in the fourth parameter of a launch and the last argument of a copy."
                           : "Make a stream for this chain, too.");
        uint32_t left = next_kernel(v, in_part(v, part, 0), chain[0], 0);
        uint32_t right = next_kernel(v, in_part(v, part, 0), chain[1], 0);
        bool right_waits = hb_before(v->order, left, right, GUARANTEED),
             one_waits = right_waits || hb_before(v->order, right, left, GUARANTEED);
        f->call = one_waits ? stream_wait_between(v, s, left, right) : ANY;
        if (one_waits && f->call == ANY)
            f->call = v->timeline->spans[right_waits ? right : left].call;
        return why(
            f,
            one_waits
                ? "One of the two is bound to wait for the other. The chains have nothing to do with each other: no stream, no "
                  "event, no wait in common."
            : mine > 0
                ? "No rule keeps the two apart, yet for a part of the time only one of them ran. Is one much longer, or does one "
                  "fill the device with its blocks, so that the other finds no room?"
                : "No rule keeps the two apart, yet one ran after the other. Look in the timeline for what "
                  "the later one waited for.");
    }
    return chains_are_free(&e->yours[0], f, part);
}
