/* SPDX-License-Identifier: MIT */
#include "sim/host/deadlock.h"

#include <stdio.h>
#include <string.h>

#include "sim/race/value.h"

static const struct task *holder_of(const struct task *tasks, const struct task *blocked)
{
    for (const struct task *t = tasks; t; t = t->next)
        if (t == blocked->object || (blocked->holder != 0 && t->tid == blocked->holder))
            return t;
    return NULL;
}

static void name_thread(char *text, size_t size, const struct task *t)
{
    if (t->function)
        snprintf(text, size, "the host functions' thread");
    else
        snprintf(text, size, t->number == 0 ? "the main thread" : "thread %u", t->number);
}

static const char *name_of_file(const struct call *c)
{
    const char *file = timeline_string(&sim.timeline, c->file), *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* A wait for the device is a call of the program. Other waits are none: they come after its latest
 * call, or are in a stream's function. */
static void tell_where(FILE *to, const struct task *t)
{
    for (size_t i = sim.timeline.call_count; i-- > 0;) {
        const struct call *c = &sim.timeline.calls[i];
        if (c->thread == t->number && c->kind == CALL_FUNCTION_BEGIN) {
            const struct call *queued = &sim.timeline.calls[sim.timeline.spans[c->node].call];
            if (queued->line != 0)
                fprintf(to, " (in the function queued at %s:%u)", name_of_file(queued),
                        queued->line);
            return;
        }
        if (c->thread != t->number || c->line == 0 || c->kind == CALL_LABEL || c->kind == CALL_RANGE
            || c->kind == CALL_PART)
            continue;
        fprintf(to, " (%s%s at %s:%u)", t->state == TASK_DEVICE ? "in " : "after its ",
                timeline_string(&sim.timeline, c->name), name_of_file(c), c->line);
        return;
    }
}

static void tell_what_it_waits_for(FILE *to, const struct task *t, const struct task *holder)
{
    char name[40], other[40];
    name_thread(name, sizeof name, t);
    if (holder)
        name_thread(other, sizeof other, holder);
    fprintf(to, "%s waits for ", name);
    if (holder && t->object == holder)
        fprintf(to, "%s to end", other);
    else if (holder)
        fprintf(to, "%s, which %s holds", t->what, holder == t ? "it already" : other);
    else
        fputs(t->state == TASK_BLOCKED ? t->what : "the device", to);
    tell_where(to, t);
}

/* What the thread waits for, on stderr and for the record; there in a second line, where: program
 * counters. */
static void tell_thread(const struct task *tasks, const struct task *t, const char *between,
                        void (*record)(const char *text))
{
    char text[600] = "";
    FILE *to = fmemopen(text, sizeof text, "w");
    const struct task *holder = t->state == TASK_BLOCKED ? holder_of(tasks, t) : NULL;
    tell_what_it_waits_for(to, t, holder);
    fflush(to);
    fprintf(stderr, "%s%s", between, text);
    for (int i = 0; t->state == TASK_BLOCKED && i < t->counters; i++)
        fprintf(to, "%s%#llx", i == 0 ? "\n" : " ", (unsigned long long)t->counter[i]);
    if (holder && holder->locked == t->object && holder->locked_at != 0 && t->counters > 0)
        fprintf(to, " | %#llx", (unsigned long long)holder->locked_at);
    fclose(to);
    record(text);
}

/* A kernel's first launch loads its code, and for that the device finishes what is queued: it may
 * wait for what waits for it. */
static void tell_loading(const char *between)
{
    for (size_t i = 0; i < sim.timeline.span_count; i++) {
        const struct call *c = &sim.timeline.calls[sim.timeline.spans[i].call];
        if (sim.timeline.spans[i].end != TIME_NEVER || c->kind != CALL_LAUNCH
            || !(c->flags & LAUNCH_LOADS))
            continue;
        fprintf(
            stderr,
            "%sthe first launch of %s (%s:%u) loads it, after all that is queued (CUDA_MODULE_LOADING=EAGER: before)",
            between, timeline_string(&sim.timeline, c->name), name_of_file(c), c->line);
        return;
    }
}

void deadlock_tell(const struct task *tasks, void (*record)(const char *text))
{
    uint32_t count = 0;
    for (const struct task *t = tasks; t; t = t->next)
        count = t->number >= count ? t->number + 1 : count;
    const char *between = "deadlock: ";
    fflush(stdout);
    for (uint32_t number = 0; number < count; number++)
        for (const struct task *t = tasks; t; t = t->next)
            if (t->number == number && (t->state == TASK_BLOCKED || t->state == TASK_DEVICE)) {
                tell_thread(tasks, t, between, record);
                between = "; ";
            }
    for (size_t i = 0; i < awaited_count(); i++) {
        const struct call *c = &sim.timeline.calls[sim.timeline.spans[awaited_at(i)->node].call];
        fprintf(stderr, "%sa stream waits for a value in memory that nothing writes (%s at %s:%u)",
                between, timeline_string(&sim.timeline, c->name), name_of_file(c), c->line);
        between = "; ";
    }
    if (awaited_count() > 0)
        tell_loading(between);
    fputc('\n', stderr);
}
