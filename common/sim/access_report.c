/* SPDX-License-Identifier: MIT */
/* What is said of a hazard: both sides, the bytes, why nothing orders them, the cure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "access.h"
#include "access_seen.h"
#include "allocation.h"
#include "entry.h"
#include "trace/memory.h"

/* More than these are counted, not shown. */
enum { SHOWN = 100 };
/* So far behind its end an access is believed to be meant for an allocation. */
enum { STRAY_BYTES = 4096 };

struct line { char text[2048]; size_t used; };

static void say(struct line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, arguments);
    va_end(arguments);
    l->used += n > 0 ? (size_t)n : 0;
    if (l->used >= sizeof l->text)
        l->used = sizeof l->text - 1;
}

/* One of the two: an operation, or the host. */
struct side {
    uint32_t node;              /* NO_NODE: the host */
    const struct call *call;    /* the operation's */
    const struct span *span;
    const struct host_access *host;
    bool writes;
};

static struct side side_of(uint32_t node, const struct host_access *host, bool writes)
{
    struct side s = { .node = node, .host = host, .writes = writes };
    if (node != NO_NODE) {
        s.span = &sim.timeline.spans[node];
        s.call = &sim.timeline.calls[s.span->call];
    }
    return s;
}

/* ---- the pieces of the sentence ---- */

static void say_place(struct line *l, uint32_t file, uint32_t line)
{
    if (line != 0)
        say(l, "%s:%u: ", timeline_string(&sim.timeline, file), line);
}

/* The call that announced the stream. */
static const struct call *announced(uint32_t stream)
{
    size_t i = 0;
    while (sim.timeline.calls[i].kind != CALL_STREAM_CREATE || sim.timeline.calls[i].stream != stream)
        i++;
    return &sim.timeline.calls[i];
}

static void say_stream(struct line *l, uint32_t stream)
{
    const struct call *made = announced(stream);
    if (made->flags & STREAM_LEGACY)
        say(l, "the default stream");
    else if (made->flags & STREAM_PER_THREAD)
        say(l, "a thread's default stream");
    else
        say(l, "stream %u", stream);
    if (sim.card->devices > 1)
        say(l, " of device %u", made->device);
}

static void say_ms(struct line *l, int64_t ns)
{
    say(l, "%lld.%06lld", (long long)(ns / 1000000), (long long)(ns % 1000000));
}

static void say_name(struct line *l, const struct side *s)
{
    say(l, "%s%s", s->call->kind == CALL_LAUNCH ? "kernel " : "", timeline_string(&sim.timeline, s->call->name));
}

static void say_side(struct line *l, const struct side *s)
{
    if (s->host) {
        uint32_t file = s->host->file, line = s->host->line;
        if (s->host->pc && !access_place(s->host->pc, &file, &line))
            line = 0;
        say_place(l, file, line);
        say(l, "the host (at ");
        say_ms(l, s->host->time);
        say(l, " ms) %s", s->host->what);
        return;
    }
    say_place(l, s->call->file, s->call->line);
    say_name(l, s);
    say(l, " in ");
    say_stream(l, s->call->stream);
    if (s->span->start != TIME_NEVER) {
        say(l, " (");
        say_ms(l, s->span->start);
        say(l, " to ");
        say_ms(l, s->span->end != TIME_NEVER ? s->span->end : s->span->start);
        say(l, " ms)");
    } else {
        say(l, " (still queued at the end)");
    }
    say(l, " %s", s->writes ? "writes" : "reads");
}

/* The call that gave the memory at `at`, as it is now; NULL: none. */
static const struct call *origin(uint64_t at)
{
    for (size_t i = sim.timeline.call_count; i-- > 0;) {
        const struct call *c = &sim.timeline.calls[i];
        if ((c->kind == CALL_MALLOC || c->kind == CALL_REGISTER) && c->status == 0 && at - c->dst < c->bytes)
            return c;
    }
    return NULL;
}

static void say_bytes(struct line *l, const struct hazard *h)
{
    const struct call *from = origin(h->from);
    if (from) {
        say(l, "bytes %llu to %llu of the %llu of %s", (unsigned long long)(h->from - from->dst),
            (unsigned long long)(h->to - 1 - from->dst), (unsigned long long)from->bytes,
            timeline_string(&sim.timeline, from->name));
        if (from->line != 0)
            say(l, " in line %u", from->line);
    } else {
        say(l, "%llu bytes at %#llx", (unsigned long long)(h->to - h->from), (unsigned long long)h->from);
    }
}

static bool is_pageable_source(const struct side *s)
{
    return s->call && s->call->kind == CALL_COPY && s->call->src_kind == MEM_PAGEABLE && !s->writes;
}

static void say_host_reason(struct line *l, const struct side *operation, const struct host_access *host)
{
    if (is_pageable_source(operation))
        say(l, "only this card's staging saves it; the host has not waited for the copy. Wait for ");
    else if (host->frees)
        say(l, "this card waits before it does so, but no rule says that it must. Wait for ");
    else
        say(l, "the host has not waited for it. Wait for ");
    say_stream(l, operation->call->stream);
    say(l, " (cudaStreamSynchronize), or for an event recorded after the %s (cudaEventSynchronize), before the host %s",
        call_kind_name(operation->call->kind), !host->frees ? "touches these bytes" : host->what);
}

static void say_stream_reason(struct line *l, const struct side *first, const struct side *then)
{
    if (first->call->stream == then->call->stream) {
        say(l, "they are nodes of graphs, and no dependency makes one wait for the other. Add one (cudaGraphAddDependencies)");
        return;
    }
    const struct call *one = announced(first->call->stream), *other = announced(then->call->stream);
    uint32_t flags = one->flags | other->flags;
    if (order_before(&sim.order, first->node, then->node, OBSERVED))
        say(l, "this card happens to run one after the other, but no rule says that it must");
    else if (one->device != other->device && flags & STREAM_LEGACY)
        say(l, "a default stream is its own device's, and waits for no other's streams");
    else if (flags & STREAM_LEGACY && flags & STREAM_NON_BLOCKING)
        say(l, "a cudaStreamNonBlocking stream and the default stream do not wait for each other");
    else
        say(l, "no event, no wait of the host and no rule of the default stream lies between");
    say(l, ". Record an event after the first and let ");
    say_stream(l, then->call->stream);
    say(l, " wait for it (cudaStreamWaitEvent) before the second, or put both into one stream");
}

static void write_log(const struct hazard *h, const struct side *then, const char *message)
{
    struct call c = { .kind = CALL_HAZARD, .node = then->node, .name = entry_string("hazard"), .dst = h->from,
                      .bytes = h->to - h->from, .message = entry_string(message) };
    if (!then->host || !then->host->pc || !access_place(then->host->pc, &c.file, &c.line)) {
        c.file = then->host ? then->host->file : then->call->file;
        c.line = then->host ? then->host->line : then->call->line;
    }
    entry_log(&c);
}

static void show(const char *message)
{
    static size_t shown;
    if (++shown <= SHOWN)
        fprintf(stderr, "hazard: %s\n", message);
    else if (shown == SHOWN + 1)
        fprintf(stderr, "hazard: there are more than %d; the rest is in the log alone\n", SHOWN);
}

void access_report(const struct hazard *h, uint32_t first_node, uint32_t then_node,
                   const struct host_access *first_host, const struct host_access *then_host)
{
    struct side first = side_of(first_node, first_host, h->first_writes);
    struct side then = side_of(then_node, then_host, h->then_writes);
    /* As the program queued them; the host comes after what was queued before. */
    if (first.host || (!then.host && first.node > then.node)) {
        struct side other = first;
        first = then;
        then = other;
    }
    struct line l = { .used = 0 };
    say_side(&l, &first);
    say(&l, " ");
    say_bytes(&l, h);
    say(&l, ", and ");
    say_side(&l, &then);
    say(&l, "%s: ", then.host && then.host->frees ? "" : " them too");
    if (then.host)
        say_host_reason(&l, &first, then.host);
    else
        say_stream_reason(&l, &first, &then);
    write_log(h, &then, l.text);
    show(l.text);
}

/* ---- strays ---- */

static bool said_before(const void *pc)
{
    static const void **said;
    static size_t count, capacity;
    for (size_t i = 0; i < count; i++)
        if (said[i] == pc)
            return true;
    said = memory_grow(said, count, &capacity, sizeof *said);
    said[count++] = pc;
    return false;
}

/* The call that took the memory at `at` away; NULL: none did. */
static const struct call *taken_away(uint64_t at)
{
    for (size_t i = sim.timeline.call_count; i-- > 0;) {
        const struct call *c = &sim.timeline.calls[i];
        if (c->kind == CALL_FREE && at - c->dst < c->bytes)
            return c;
    }
    return NULL;
}

static void say_peer(struct line *l, const struct allocation *a, uint32_t device)
{
    say(l, ": that is memory of device %d, and the kernel runs on device %u. ", a->device, device);
    if (!sim.card->peer_access)
        say(l, "These two cannot reach each other's memory: copy it (cudaMemcpyPeer)");
    else if (a->reach)
        say(l, "It comes from a pool: let device %u have it (cudaMemPoolSetAccess), or copy it (cudaMemcpyPeer)", device);
    else
        say(l, "Let it reach there (cudaSetDevice(%u); cudaDeviceEnablePeerAccess(%d, 0)), or copy it (cudaMemcpyPeer)",
            device, a->device);
}

static void say_stray(struct line *l, const struct access_run *run, uint32_t node)
{
    const struct allocation *a = allocation_before((const void *)run->from);
    const struct call *gone = taken_away(run->from);
    if (a && run->from - a->at < a->bytes && run->to - a->at <= a->bytes) {
        say_bytes(l, &(struct hazard){ .from = run->from, .to = run->to });
        if (node != NO_NODE)
            say_peer(l, a, sim.timeline.spans[node].device);
        else
            say(l, ": that is memory of the device, which the host cannot reach; on a GPU the program crashes here. "
               "Copy it with cudaMemcpy, or take cudaMallocManaged");
    } else if (a && run->from - a->at < a->bytes + STRAY_BYTES) {
        const struct call *from = origin(a->at);
        uint64_t end = a->at + a->bytes, first = run->from > end ? run->from : end;
        say(l, "bytes %llu to %llu of memory that has %llu (%s", (unsigned long long)(first - a->at),
            (unsigned long long)(run->to - 1 - a->at), (unsigned long long)a->bytes,
            from ? timeline_string(&sim.timeline, from->name) : "?");
        if (from && from->line != 0)
            say(l, " in line %u", from->line);
        say(l, "): out of bounds. Compare %s", node != NO_NODE ? "the index with the number of elements, or allocate more"
                                                              : "the loop's end with the allocation");
    } else if (gone) {
        say(l, "memory that %s in line %u has given back. Free it after its last use",
            timeline_string(&sim.timeline, gone->name), gone->line);
    } else {
        say(l, "address %#llx, which is no memory", (unsigned long long)run->from);
    }
}

void access_report_stray(const struct access_run *run, uint32_t node)
{
    if (said_before(run->pc))
        return;
    struct line l = { .used = 0 };
    struct call c = { .kind = CALL_HAZARD, .node = node, .name = entry_string("hazard"), .dst = run->from,
                      .bytes = run->to - run->from };
    access_place(run->pc, &c.file, &c.line);
    say_place(&l, c.file, c.line);
    if (node != NO_NODE) {
        struct side s = side_of(node, NULL, run->write);
        say_name(&l, &s);
        say(&l, " in ");
        say_stream(&l, s.call->stream);
        if (s.call->line != 0)
            say(&l, " (queued in line %u)", s.call->line);
    } else {
        say(&l, "the host (at ");
        say_ms(&l, model_now(&sim.model, thread_self()->number));
        say(&l, " ms)");
    }
    say(&l, " %s ", run->write ? "writes" : "reads");
    say_stray(&l, run, node);
    c.message = entry_string(l.text);
    entry_log(&c);
    show(l.text);
}
