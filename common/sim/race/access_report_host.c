/* SPDX-License-Identifier: MIT */
/* What the host does wrong by itself, with threads and with its heap, told as access_report.c tells
 * hazards. */
#include <stdio.h>
#include <string.h>

#include "sim/call_log.h"
#include "sim/memory/allocation.h"
#include "sim/race/access.h"
#include "sim/race/seen/access_seen.h"
#include "trace/order/hazard_text.h"

/* ---- locks and threads ---- */

static void tell_here(const char *what, const char *why, uint32_t flags)
{
    struct hazard_line l = { .used = 0 };
    const struct thread *self = thread_self();
    struct call c = { .cost = (int64_t)call_log_count(), .flags = flags };
    if (!access_clocks())
        return;
    source_line_now(&c.file, &c.line);
    hazard_say_location(&l, timeline_string(&sim.timeline, c.file), c.line);
    hazard_say(&l, "%s: %s", what, why);
    access_tell(c, NO_NODE, self->in_function ? self->function : NO_NODE, l.text);
}

void access_report_unlocked(void)
{
    tell_here(
        "a thread waits for a condition with a mutex that it has not locked",
        "what it waits for can change between its check and its sleep, and the wake-up is lost. Lock the mutex, check, "
        "wait in a loop, unlock",
        0);
}

void access_report_not_locked(void)
{
    tell_here(
        "this unlocks a mutex that its thread has not locked",
        "what stands before it is not protected: another thread can be there at the same time. pthread_mutex_lock() comes before it",
        HAZARD_NOT_LOCKED);
}

void access_report_ended(void)
{
    tell_here(
        "this uses a semaphore that sem_destroy() has ended, or that went with the block which declares it",
        "its memory may serve something else by then. Wait for the streams and threads that use a semaphore, and end it after that",
        HAZARD_ENDED);
}

void access_report_joined(void)
{
    tell_here(
        "this joins a thread that was joined before",
        "its handle is not defined any more, and another thread may have it. Join each thread once",
        HAZARD_JOINED);
}

void access_report_registered(uintptr_t block, size_t bytes)
{
    const struct allocation *a = allocation_before((const void *)(block + bytes - 1));
    if (a && a->registered && a->at >= block)
        tell_here(
            "this frees memory of the host that is still registered (cudaHostRegister)",
            "the runtime still treats its pages as pinned, whatever uses them next. Call cudaHostUnregister first",
            HAZARD_REGISTERED);
}

void access_report_lost(uint32_t thread)
{
    char what[160], who[40] = "the main thread";
    if (thread != 0)
        snprintf(who, sizeof who, "thread %u", thread);
    snprintf(what, sizeof what,
             "this wakes no thread if %s has checked what it waits for and is not asleep yet",
             who);
    tell_here(
        what,
        "this thread has not locked the mutex that the other one waits with. Lock it, change what is waited for, unlock, "
        "then signal",
        0);
}

/* ---- what the device is to make ---- */

static struct { uintptr_t from, to; const void *said; } device_makes;    /* said: the last one */

void access_device_makes(uintptr_t at, uint64_t bytes)
{
    device_makes.from = at;
    device_makes.to = at + bytes;
    device_makes.said = NULL;
}

void access_report_made_by_host(const struct access_run *runs, size_t count, uint32_t node)
{
    for (size_t i = 0; i < count; i++) {
        const struct access_run *run = &runs[i];
        struct call c = { .dst = run->from,
                          .bytes = run->to - run->from,
                          .cost = (int64_t)call_log_count(),
                          .flags = HAZARD_BY_HOST };
        if (!run->write || run->to <= device_makes.from || device_makes.to <= run->from
            || run->pc == device_makes.said)
            continue;
        device_makes.said = run->pc;
        struct hazard_line l = { .used = 0 };
        source_line(run->pc, &c.file, &c.line);
        access_say_who(&l, &c, node);
        hazard_say(&l, " writes what the device is to make");
        access_tell(c, NO_NODE, node, l.text);
    }
}

/* ---- the program's heap ---- */

/* Containers and what else the library makes give back by themselves: only what the program's own
 * lines make is told. */
static void report_lost(size_t bytes, size_t calls, const void *made)
{
    struct hazard_line l = { .used = 0 };
    struct call c = { .cost = (int64_t)calls, .bytes = bytes, .flags = HAZARD_LOST };
    if (!source_line(made, &c.file, &c.line)
        || strstr(timeline_string(&sim.timeline, c.file), "/include/"))
        return;
    hazard_say(&l, "%zu bytes of host memory", bytes);
    access_tell(c, NO_NODE, NO_NODE, l.text);
}

void access_report_lost_blocks(void)
{
    if (access_clocks())
        access_each_lost(report_lost);
}

bool access_heap_maker(const void *at, struct call *maker)
{
    const void *made = access_made(at);
    *maker = (struct call){ .kind = CALL_MALLOC };
    if (made)
        source_line(made, &maker->file, &maker->line);
    return maker->line != 0;
}

void access_report_overrun(uintptr_t block, size_t bytes, size_t past, const void *made)
{
    struct hazard_line l = { .used = 0 };
    const struct thread *self = thread_self();
    struct call c = { .cost = (int64_t)call_log_count(), .dst = block + bytes, .bytes = past },
                maker = { .kind = CALL_MALLOC };
    if (!access_clocks())
        return;
    source_line_now(&c.file, &c.line);
    source_line(made, &maker.file, &maker.line);
    hazard_say_location(&l, timeline_string(&sim.timeline, c.file), c.line);
    hazard_say(&l, "this frees the %zu bytes of host memory that were allocated", bytes);
    hazard_say_line(&l, &sim.timeline, &maker);
    hazard_say(
        &l,
        ", and at least %zu bytes past their end have been written to: count the bytes right where the memory is allocated (elements times "
        "sizeof), and keep each index in range",
        past);
    access_tell(c, NO_NODE, self->in_function ? self->function : NO_NODE, l.text);
}
