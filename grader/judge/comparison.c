/* SPDX-License-Identifier: MIT */
#include "grader/judge/comparison.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "trace/record/memory.h"

enum { CALLS = 4000 };

const struct call *comparison_call(const struct comparison *c, int side, const struct called *n,
                                   size_t k)
{
    return &c->view[side]->timeline->calls[n->calls[side][k]];
}

static bool happens_while_waiting(const struct call *c)
{
    return c->kind == CALL_STREAM_QUERY || c->kind == CALL_EVENT_QUERY || c->kind == CALL_HOST_WORK;
}

static bool takes_part(const struct timeline *t, const struct call *c)
{
    static const char *const asking[] = { "cudaGetLastError",        "cudaPeekAtLastError",
                                          "cudaGetDevice",           "cudaDeviceGetAttribute",
                                          "cudaGetDeviceProperties", "cudaGetDeviceCount" };
    for (size_t i = 0; i < sizeof asking / sizeof *asking; i++)
        if (strcmp(timeline_string(t, c->name), asking[i]) == 0)
            return false;
    bool in_graph =
        c->flags & GRAPH_NODE || (c->kind >= CALL_GRAPH_EDGE && c->kind <= CALL_GRAPH_END);
    return c->kind >= CALL_LAUNCH && c->kind <= CALL_OTHER && !in_graph && c->line != 0
           && !is_in_driver(t, c);
}

static bool uses_default_stream(const struct view *v, const char *part)
{
    const struct timeline *t = v->timeline;
    struct selection s = in_part(v, part, 0);
    for (size_t i = s.first_call; i < s.end_call; i++) {
        const struct call *c = &t->calls[i];
        if (((c->kind >= CALL_LAUNCH && c->kind <= CALL_GRAPH_LAUNCH)
             || c->kind == CALL_STREAM_SYNC || c->kind == CALL_STREAM_QUERY)
            && timeline_stream_flags(t, c->stream) & STREAM_LEGACY)
            return true;
    }
    return false;
}

/* How many of what the one kind of call makes and the other gives back are there when the part
 * begins? */
static size_t kept(const struct view *v, const char *part, uint32_t makes, uint32_t gives_back)
{
    const struct timeline *t = v->timeline;
    size_t count = 0, begin = in_part(v, part, 0).first_call;
    for (size_t i = 0; i < begin; i++)
        if (t->calls[i].status == 0 && takes_part(t, &t->calls[i])) {
            count += t->calls[i].kind == makes;
            count -= t->calls[i].kind == gives_back && count > 0;
        }
    return count;
}

void comparison_look(struct comparison *c, const char *part)
{
    c->default_stream = uses_default_stream(c->view[YOURS], part)
                        || uses_default_stream(c->view[THERE], part);
    c->kept_streams = kept(c->view[YOURS], part, CALL_STREAM_CREATE, CALL_STREAM_DESTROY);
    c->kept_events = kept(c->view[YOURS], part, CALL_EVENT_CREATE, CALL_EVENT_DESTROY);
    c->kept_memory = kept(c->view[YOURS], part, CALL_MALLOC, CALL_FREE);
}

/* Two names for the same: how an event is made, or pinned memory, or a stream, where that makes no
 * difference, is none. */
static const char *usual_name(const struct comparison *of, const struct timeline *t,
                              const struct call *c)
{
    const char *name = timeline_string(t, c->name);
    if (c->kind == CALL_EVENT_CREATE)
        return "cudaEventCreate";
    if (strcmp(name, "cudaHostAlloc") == 0)
        return "cudaMallocHost";
    if (strcmp(name, "cudaStreamCreateWithFlags") == 0
        && (!of->default_stream || !(c->flags & STREAM_NON_BLOCKING)))
        return "cudaStreamCreate";
    return name;
}

static struct called *calls_named(struct comparison *c, const char *name, const struct call *call)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->list[i].name, name) == 0)
            return &c->list[i];
    if (c->count == NAMES)
        return NULL;
    c->list[c->count] =
        (struct called){ .name = name, .kind = call->kind, .polls = happens_while_waiting(call) };
    return &c->list[c->count++];
}

/* Calls that say where pages of managed memory are to be. */
static bool moves_pages(const struct timeline *t, const struct call *c)
{
    return c->kind == CALL_PREFETCH
           || strncmp(timeline_string(t, c->name), "cudaMemAdvise", strlen("cudaMemAdvise")) == 0;
}

void comparison_collect(struct comparison *c, int side, const char *part)
{
    const struct timeline *t = c->view[side]->timeline;
    struct selection s = in_part(c->view[side], part, 0);
    size_t taken = 0;
    for (size_t i = s.first_call; i < s.end_call && !c->too_many; i++) {
        if (!takes_part(t, &t->calls[i]) || (c->kind <= ORDER && moves_pages(t, &t->calls[i])))
            continue;
        struct called *n = calls_named(c, usual_name(c, t, &t->calls[i]), &t->calls[i]);
        c->too_many = !n || taken++ == CALLS;
        if (c->too_many)
            break;
        if (t->calls[i].status != 0 && !n->polls) {
            n->refused[side]++;
            continue;
        }
        MEMORY_GROW(n->calls[side], n->count[side], n->room[side]);
        n->calls[side][n->count[side]++] = (uint32_t)i;
    }
}

void comparison_tell(struct comparison *c, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(c->found->text);
    va_start(arguments, format);
    vsnprintf(c->found->text + used, sizeof c->found->text - used, format, arguments);
    va_end(arguments);
}

void comparison_tell_name(struct comparison *c, const struct called *n)
{
    const char *name = n->name; /* as it is written here, if it is */
    if (n->count[YOURS] > 0)
        name = timeline_string(c->view[YOURS]->timeline, comparison_call(c, YOURS, n, 0)->name);
    char *clean = text_harmless(name, strlen(name));
    comparison_tell(c, "%.100s()", clean);
    memory_resize(clean, 0);
}

void comparison_tell_call(struct comparison *c, const struct called *n, size_t k)
{
    c->found->call = n->calls[YOURS][k];
    comparison_tell_name(c, n);
    comparison_tell(c, " in line %u", comparison_call(c, YOURS, n, k)->line);
}
