/* SPDX-License-Identifier: MIT */
#include "sim/race/left_threads.h"

#include "sim/call_log.h"
#include "sim/race/access.h"
#include "trace/order/hazard_text.h"
#include "trace/record/memory.h"

/* By thread: what it did last, and where it was detached. */
static struct last_work {
    bool some;
    uint32_t epoch;
    size_t call;                /* of the timeline, if that is the thread's */
    uint32_t file, line;        /* 0: it was not detached */
} *works;
static size_t work_count, work_capacity;

static struct last_work *work_of(uint32_t thread)
{
    while (work_count <= thread) {
        works = memory_grow(works, work_count, &work_capacity, sizeof *works);
        works[work_count++] = (struct last_work){ 0 };
    }
    return &works[thread];
}

/* NULL: there is one thread, or nobody looks. */
static struct vector_clocks *clocks_now(void)
{
    if (!access_many_threads() || sim.in_effect || !access_clocks())
        return NULL;
    access_up_to_now();
    vector_clocks_made(access_clocks());
    return access_clocks();
}

void left_thread_works(void)
{
    struct thread *self = thread_self();
    struct vector_clocks *clocks = self->in_function || self->process != 0 ? NULL : clocks_now();
    if (!clocks)
        return;
    struct last_work *work = work_of(self->number);
    work->some = true;
    work->call = sim.timeline.call_count;
    work->epoch = vector_clocks_epoch(clocks, self->number);
}

void left_thread_detached(uint32_t thread)
{
    if (!access_clocks())
        return;
    struct last_work *work = work_of(thread);
    source_line_now(&work->file, &work->line);
}

/* Which thread it is the judge reads here, and whose part that makes it. */
static void tell_left(uint32_t thread, const struct last_work *work)
{
    struct hazard_line l = { .used = 0 };
    struct call c = { .cost = (int64_t)call_log_count(), .flags = HAZARD_LEFT, .file = work->file,
                      .line = work->line };
    const struct call *did =
        work->call < sim.timeline.call_count ? &sim.timeline.calls[work->call] : NULL;
    if (did && (did->thread != thread || did->line == 0))
        did = NULL;
    if (did && work->line == 0) {
        c.file = did->file;
        c.line = did->line;
    }
    hazard_say_location(&l, timeline_string(&sim.timeline, c.file), c.line);
    hazard_say(&l,
               "thread %u (%s) was left: when the part was over nothing had waited for what it does",
               thread, work->line != 0 ? "detached here" : "at work here");
    if (did && work->line != 0)
        hazard_say_line(&l, &sim.timeline, did);
    hazard_say(
        &l,
        ": join it before the function returns, or wait for what it tells when it is done (a semaphore, a future). That it "
        "was over in time, if it was, is luck");
    access_tell(c, NO_NODE, NO_NODE, l.text);
}

void left_threads_tell(void)
{
    struct vector_clocks *clocks = clocks_now();
    uint32_t self = thread_self()->number;
    for (uint32_t i = 0; clocks && i < work_count; i++) {
        if (works[i].some && !vector_clocks_knows_epoch(clocks, self, i, works[i].epoch))
            tell_left(i, &works[i]);
        works[i].some = false;
    }
}
