/* SPDX-License-Identifier: MIT */
#include "trace/order/hazard_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "trace/order/hazard_calls.h"

void hazard_say(struct hazard_line *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(l->text + l->used, sizeof l->text - l->used, format, arguments);
    va_end(arguments);
    l->used += n > 0 ? (size_t)n : 0;
    if (l->used >= sizeof l->text)
        l->used = sizeof l->text - 1;
}

/* ---- the pieces of the sentence ---- */

void hazard_say_location(struct hazard_line *l, const char *file, uint32_t line)
{
    if (line != 0)
        hazard_say(l, "%s:%u: ", file, line);
}

void hazard_say_line(struct hazard_line *l, const struct timeline *t, const struct call *c)
{
    const char *file = timeline_string(t, c->file);
    size_t length = strlen(file);
    if (c->line == 0)
        return;
    if (strncmp(l->text, file, length) == 0 && l->text[length] == ':')
        hazard_say(l, " in line %u", c->line);
    else
        hazard_say(l, " in %s:%u", file, c->line);
}

/* The call that announced the stream. */
static const struct call *announced(const struct timeline *t, uint32_t stream)
{
    static const struct call unknown;
    const struct call *made = timeline_stream_made(t, stream);
    return made ? made : &unknown;
}

static bool has_more_devices(const struct timeline *t)
{
    for (size_t i = 0; i < t->call_count; i++)
        if (t->calls[i].kind == CALL_STREAM_CREATE && t->calls[i].device > 0)
            return true;
    return false;
}

void hazard_say_stream(struct hazard_line *l, const struct timeline *t, uint32_t stream)
{
    const struct call *made = announced(t, stream);
    if (made->flags & STREAM_LEGACY)
        hazard_say(l, "the default stream");
    else if (made->flags & STREAM_PER_THREAD)
        hazard_say(l, "a thread's default stream");
    else
        hazard_say(l, "stream %u", stream);
    if (has_more_devices(t))
        hazard_say(l, " of device %u", made->device);
}

void hazard_say_ms(struct hazard_line *l, int64_t ns)
{
    hazard_say(l, "%lld.%06lld", (long long)(ns / 1000000), (long long)(ns % 1000000));
}

void hazard_say_operation(struct hazard_line *l, const struct timeline *t, const struct call *c)
{
    hazard_say(l, "%s%s", c->kind == CALL_LAUNCH ? "kernel " : "", timeline_string(t, c->name));
}

static const struct call *call_of(const struct hazard_scene *scene, const struct hazard_side *s)
{
    return &scene->timeline->calls[scene->timeline->spans[s->node].call];
}

static void say_thread(struct hazard_line *l, uint32_t thread)
{
    if (thread == 0)
        hazard_say(l, "the main thread");
    else
        hazard_say(l, "thread %u", thread);
}

/* `among_threads`: both sides are host threads. */
static void say_side(struct hazard_line *l, const struct hazard_scene *scene,
                     const struct hazard_side *s, bool among_threads)
{
    const struct timeline *t = scene->timeline;
    if (s->node == NO_NODE) {
        hazard_say_location(l, s->file, s->line);
        if (among_threads)
            say_thread(l, s->thread);
        else
            hazard_say(l, "the host");
        hazard_say(l, " (at ");
        hazard_say_ms(l, s->time);
        hazard_say(l, " ms) %s", s->verb);
        return;
    }
    const struct call *c = call_of(scene, s);
    bool is_rest = c->kind == CALL_LAUNCH && t->spans[s->node].engine == ENGINE_NONE;
    const struct span *span = &t->spans[s->node - is_rest];
    if (s->line != 0)
        hazard_say_location(l, s->file, s->line);
    else
        hazard_say_location(l, timeline_string(t, c->file), c->line);
    hazard_say_operation(l, t, c);
    hazard_say(l, " in ");
    hazard_say_stream(l, t, c->stream);
    hazard_say(l, " (");
    if (s->line != 0 && c->line != 0 && s->line != c->line) {
        hazard_say(l, "queued");
        hazard_say_line(l, t, c);
        hazard_say(l, "; ");
    }
    if (span->start != TIME_NEVER) {
        hazard_say_ms(l, span->start);
        hazard_say(l, " to ");
        hazard_say_ms(l, span->end != TIME_NEVER ? span->end : span->start);
        hazard_say(l, " ms)");
    } else {
        hazard_say(l, "still queued at the end)");
    }
    hazard_say(l, " %s", s->writes ? "writes" : "reads");
}

/* Memory that no call has made and that a copy or memset calls the device's: a variable of the
 * program. */
static bool is_device_variable(const struct hazard_scene *scene, uint64_t at)
{
    for (size_t i = scene->calls; i-- > 0;) {
        const struct call *c = &scene->timeline->calls[i];
        bool fills = (c->kind == CALL_COPY || c->kind == CALL_SET) && c->dst_kind == MEM_DEVICE
                     && at - c->dst < c->bytes;
        if (fills || (c->kind == CALL_COPY && c->src_kind == MEM_DEVICE && at - c->src < c->bytes))
            return true;
    }
    return false;
}

void hazard_say_bytes(struct hazard_line *l, const struct hazard_scene *scene, uint64_t from,
                      uint64_t to)
{
    const struct call *origin = hazard_origin(scene, from);
    struct hazard_variable v;
    if (!origin && scene->variable && scene->variable(from, &v)) {
        uint64_t first = (from - v.at) % (UINT64_C(1) << 56), last = first + (to - from) - 1;
        if (v.bytes == 0)
            hazard_say(l, "%llu bytes of %s", (unsigned long long)(to - from), v.name);
        else
            hazard_say(l, "bytes %llu to %llu of the %llu of %s", (unsigned long long)first,
                       (unsigned long long)last, (unsigned long long)v.bytes, v.name);
        return;
    }
    if (!origin) {
        hazard_say(l, "%llu bytes of %s",
                   (unsigned long long)(to - from),      /* where is not the same twice */
                   is_device_variable(scene, from) ? "a __device__ variable" : "the host's memory");
        return;
    }
    uint64_t end = origin->dst + origin->bytes;
    hazard_say(l, "bytes %llu to %llu of the %llu of %s", (unsigned long long)(from - origin->dst),
               (unsigned long long)((to < end ? to : end) - 1 - origin->dst),
               (unsigned long long)origin->bytes, timeline_string(scene->timeline, origin->name));
    hazard_say_line(l, scene->timeline, origin);
    if (to > end)
        hazard_say(l, " and more behind them");
}

void hazard_say_short_of(struct hazard_line *l, const struct hazard_scene *scene, uint64_t at,
                         uint64_t bytes, uint64_t address)
{
    const struct call *origin = hazard_origin(scene, at);
    bool near = address - at >= bytes && address - at < sizeof(double) * bytes;
    if (!origin || !near)
        return;
    hazard_say(l, ", or whether the %llu bytes of %s", (unsigned long long)bytes,
               timeline_string(scene->timeline, origin->name));
    hazard_say_line(l, scene->timeline, origin);
    hazard_say(l, ", which end %llu bytes before it, are enough",
               (unsigned long long)(address - at - bytes));
}

/* ---- the reason ---- */

/* What of a call the host waits for. */
static const char *work_of(const struct call *c)
{
    return c->kind == CALL_LAUNCH ? "kernel" : call_kind_name(c->kind);
}

static void say_thread_reason(struct hazard_line *l, const struct call *c,
                              const struct hazard_side *host)
{
    say_thread(l, host->thread);
    if (host->before) {
        hazard_say(l, " did so before ");
        say_thread(l, c->thread);
        hazard_say(l, " queued the %s, but nothing makes the one come after the other", work_of(c));
    } else {
        hazard_say(l,
                   " has not waited for it; another thread has, but nothing makes this one come after that");
    }
    hazard_say(l,
               ". Order the two with a join, a mutex, a condition or an atomic variable before the host touches these bytes");
    if (!host->before)
        hazard_say(l,
                   ", or let this thread wait for the %s, too (cudaStreamSynchronize, cudaEventSynchronize)",
                   work_of(c));
}

static void say_host_reason(struct hazard_line *l, const struct hazard_scene *scene,
                            const struct hazard_side *operation, const struct hazard_side *host)
{
    const struct call *c = call_of(scene, operation);
    if (host->before || host->known_elsewhere) {
        say_thread_reason(l, c, host);
        return;
    }
    if (c->kind == CALL_COPY && c->src_kind == MEM_PAGEABLE && !operation->writes)
        hazard_say(l,
                   "only this card's staging saves it; the host has not waited for the copy. Wait for ");
    else if (call_waits_unpromised(c))
        hazard_say(l, "cards wait in such a %s, but the reference does not promise it. Wait for ",
                   work_of(c));
    else if (host->frees && !host->at_once)
        hazard_say(l,
                   "this card waits before it does so, as cards do, but the reference does not promise it. Wait for ");
    else
        hazard_say(l, "the host has not waited for it. Wait for ");
    hazard_say_stream(l, scene->timeline, c->stream);
    hazard_say(l,
               " (cudaStreamSynchronize), or for an event recorded after the %s (cudaEventSynchronize), before the host %s%s",
               work_of(c), host->frees ? host->verb : "touches these bytes",
               host->frees && host->at_once
                   ? ", or give them back in a stream, behind their last use (cudaFreeAsync)"
                   : "");
}

/* Does the thread that queued the function write, behind the call, what the function reads? */
static bool writes_behind(const struct hazard_scene *scene, const struct hazard_side *function,
                          const struct hazard_side *host)
{
    const struct call *c = call_of(scene, function);
    return c->kind == CALL_HOST_FUNC && !function->writes && host->writes && !host->frees
           && host->thread == c->thread;
}

/* Did the function lock a mutex? The record of its end says so, once there is one. */
static bool locks_mutex(const struct hazard_scene *scene, uint32_t node)
{
    const struct timeline *t = scene->timeline;
    for (size_t i = t->call_count; i-- > 0;)
        if (t->calls[i].kind == CALL_FUNCTION_END && t->calls[i].node == node)
            return t->calls[i].dst != 0;
    return false;
}

/* "under the mutex m, locked in line 9" */
static void say_lock(struct hazard_line *l, const struct hazard_side *s, bool other)
{
    if (s->lock == 0) {
        hazard_say(l, "under none");
        return;
    }
    hazard_say(l, !other ? "under %s mutex" : "under another", s->lock_name ? "the" : "a");
    if (s->lock_name)
        hazard_say(l, other ? ", %s" : " %s", s->lock_name);
    if (s->locked_line != 0)
        hazard_say(l, ", locked in line %u", s->locked_line);
}

/* Which mutex each of the two held, where that is known and one of them held any; false: nothing
 * was said. */
static bool say_locks(struct hazard_line *l, const struct hazard_side *first,
                      const struct hazard_side *then)
{
    if (!first->locks_known || !then->locks_known || first->lock == then->lock
        || first->line == 0 || then->line == 0)
        return false;
    const struct hazard_side *holder = first->lock != 0 ? first : then,
                             *other = holder == first ? then : first;
    bool apart = holder->line != other->line;
    if (apart)
        hazard_say(l, "Line %u runs ", holder->line);
    else
        hazard_say(l, "One runs ");
    say_lock(l, holder, false);
    if (apart)
        hazard_say(l, ", and line %u ", other->line);
    else
        hazard_say(l, ", and the other ");
    say_lock(l, other, true);
    hazard_say(l, ". ");
    return true;
}

/* A host function and a host thread, in memory that no device reaches or that the latter writes
 * after the call. */
static void say_function_reason(struct hazard_line *l, const struct hazard_scene *scene,
                                const struct hazard_side *function, const struct hazard_side *host)
{
    if (host->frees) {
        hazard_say(l, "the host has not waited for it, and the function may run later. Wait for ");
        hazard_say_stream(l, scene->timeline, call_of(scene, function)->stream);
        hazard_say(l,
                   " (cudaStreamSynchronize) before the host %s, or keep them where they stay until then",
                   host->verb);
        return;
    }
    const struct call *c = call_of(scene, function);
    if (writes_behind(scene, function, host)) {
        hazard_say(l,
                   "nothing makes one come after the other. If the function is to read what is written here, write it before the call that "
                   "queues the function. If it is to read what was there before, write elsewhere, or wait for ");
        hazard_say_stream(l, scene->timeline, c->stream);
        hazard_say(l,
                   " first. If both use it as they run, let both hold the same mutex, or let the function tell the host by a semaphore, a "
                   "condition or an atomic variable");
        return;
    }
    hazard_say(l, "nothing makes one come after the other. ");
    if (!say_locks(l, function, host)
        && (function->locks || locks_mutex(scene, function->node)))
        hazard_say(
            l,
            "The function locks a mutex. Does the host lock another one, or does one of the two touch these bytes without holding it? ");
    hazard_say(l,
               "Let both hold the same mutex, or let the function tell the host by a semaphore, a condition or an atomic variable, after its "
               "last access; or wait for ");
    hazard_say_stream(l, scene->timeline, c->stream);
    hazard_say(l, " before the host touches these bytes");
}

/* Does it touch memory before it has waited for what is ahead of it in its stream? */
static bool is_early(const struct hazard_scene *scene, const struct hazard_side *s)
{
    return call_of(scene, s)->flags & LAUNCH_DEPENDENT
           && scene->timeline->spans[s->node].engine == ENGINE_KERNEL;
}

/* Does the second begin when the blocks of the first have, by an edge of a graph? */
static bool begins_beside(const struct hazard_scene *scene, const struct hazard_side *first,
                          const struct hazard_side *then)
{
    uint32_t kernel = then->node;
    kernel -= kernel > 0 && scene->timeline->spans[kernel].engine != ENGINE_KERNEL;
    size_t count;
    const struct edge *edges = hb_edges(scene->order, kernel, &count);
    for (size_t i = 0; i < count; i++)
        if (edges[i].strength == BEGUN
            && scene->timeline->spans[edges[i].from].call
                   == scene->timeline->spans[first->node].call)
            return true;
    return false;
}

static void say_stream_reason(struct hazard_line *l, const struct hazard_scene *scene,
                              const struct hazard_side *first, const struct hazard_side *then)
{
    const struct call *a = call_of(scene, first), *b = call_of(scene, then);
    if (a->stream == b->stream && begins_beside(scene, first, then)) {
        hazard_say(l,
                   "an edge from cudaGraphKernelNodePortLaunchCompletion lets the second begin when all blocks of the first have begun, and orders "
                   "nothing else: no rule says that cudaGridDependencySynchronize waits for the first then. Take an edge from "
                   "cudaGraphKernelNodePortProgrammatic and that call, or an ordinary one");
        return;
    }
    if (a->stream == b->stream && is_early(scene, then)) {
        hazard_say(l,
                   "programmatic stream serialization lets the second begin before what is ahead of it in its stream has ended, and it "
                   "touches them without having waited for that. Every thread of %s that touches them has to call cudaGridDependencySynchronize first, in each block and each launch",
                   timeline_string(scene->timeline, b->name));
        return;
    }
    if (a->stream == b->stream) {
        hazard_say(l,
                   "they are nodes of graphs, and no dependency makes one wait for the other. Add one (cudaGraphAddDependencies)");
        return;
    }
    const struct call *one = announced(scene->timeline, a->stream),
                      *other = announced(scene->timeline, b->stream);
    uint32_t flags = one->flags | other->flags;
    if (hb_before(scene->order, first->node, then->node, OBSERVED))
        hazard_say(l,
                   "this card happens to run one after the other, but no rule says that it must");
    else if (one->device != other->device && flags & STREAM_LEGACY)
        hazard_say(l,
                   "a default stream belongs to its device, and does not wait for streams of other devices");
    else if (flags & STREAM_LEGACY && flags & STREAM_NON_BLOCKING)
        hazard_say(
            l, "a cudaStreamNonBlocking stream and the default stream do not wait for each other");
    else
        hazard_say(l,
                   "no event, no wait of the host and no rule of the default stream orders them");
    hazard_say(l, ". Record an event after the first and let ");
    hazard_say_stream(l, scene->timeline, b->stream);
    hazard_say(l,
               " wait for it (cudaStreamWaitEvent) before the second, or put both into one stream");
}

/* Two host threads. */
static void say_threads_reason(struct hazard_line *l, const struct hazard_side *first,
                               const struct hazard_side *then)
{
    if (first->frees || then->frees) {
        hazard_say(l,
                   "nothing makes one come after the other. Order the last use before the call that frees the memory: with a join, "
                   "a mutex, a condition or an atomic variable");
        return;
    }
    hazard_say(l, "nothing makes one come after the other. ");
    say_locks(l, first, then);
    hazard_say(l,
               "Let both hold the same mutex, or let one wait for the other (a join, a condition, a semaphore), or make the variable std::atomic");
}

/* … that count in a volatile. */
static void say_update_reason(struct hazard_line *l, const struct hazard_side *first,
                              const struct hazard_side *then)
{
    hazard_say(l, "nothing makes one come after the other. ");
    say_locks(l, first, then);
    hazard_say(l,
               "volatile does not make ++ or -- one step. Such a line reads, changes and stores the value, and what the other one stores in between is lost. Let both "
               "hold the same mutex, or make the variable std::atomic if it is all that they share");
}

void hazard_describe(struct hazard_line *l, const struct hazard_scene *scene, uint64_t from,
                     uint64_t to, struct hazard_side side[2])
{
    if (side[1].node != NO_NODE && (side[0].node == NO_NODE || side[0].node > side[1].node)) {
        struct hazard_side other = side[0];
        side[0] = side[1];
        side[1] = other;
    }
    const struct hazard_side *first = &side[0], *then = &side[1];
    bool by_host = then->node == NO_NODE, among_threads = by_host && first->node == NO_NODE;
    say_side(l, scene, first, among_threads);
    hazard_say(l, " ");
    hazard_say_bytes(l, scene, from, to);
    hazard_say(l, ", and ");
    say_side(l, scene, then, among_threads);
    hazard_say(l, "%s: ", by_host && then->frees ? "" : " them too");
    if (first->updates && then->updates)
        say_update_reason(l, first, then);
    else if (among_threads)
        say_threads_reason(l, first, then);
    else if (by_host && call_of(scene, first)->kind == CALL_HOST_FUNC
             && (!hazard_origin(scene, from) || writes_behind(scene, first, then)))
        say_function_reason(l, scene, first, then);
    else if (by_host)
        say_host_reason(l, scene, first, then);
    else
        say_stream_reason(l, scene, first, then);
}

const char *hazard_cure(const char *message)
{
    const char *cure = "";
    for (const char *at = message; (at = strstr(at, ": ")); at += 2)
        cure = at + 2;
    return cure;
}
