/* SPDX-License-Identifier: MIT */
/* Worksharing constructs: loops, sections and singles, and the ordered parts of loops. */
#include "sim/openmp/openmp.h"

#include "sim/race/access.h"
#include "trace/record/memory.h"

static struct work_share *work_share_begin(void)
{
    struct member *self = &openmp_member;
    unsigned number = ++self->shares;
    struct team *team = self->team;
    struct work_share **at = &team->shares;
    while (*at && (*at)->number != number)
        at = &(*at)->after;
    if (!*at) {
        *at = memory_resize(NULL, sizeof **at);
        **at = (struct work_share){ .number = number, .left = team->count };
    }
    access_hears(*at);
    return self->share = *at;
}

static void work_share_end(void)
{
    struct work_share *share = openmp_member.share;
    if (!share)
        return;
    access_tells(share);
    openmp_member.share = NULL;
    if (--share->left > 0 || share == &openmp_member.team->begun)
        return;
    struct work_share **at = &openmp_member.team->shares;
    while (*at != share)
        at = &(*at)->after;
    *at = share->after;
    memory_resize(share, 0);
}

static void set_loop(struct work_share *s, bool up, uint64_t start, uint64_t end, uint64_t step,
                     uint64_t chunk, bool is_unsigned)
{
    if (s->ready)
        return;
    bool any = is_unsigned ? (up ? start < end : start > end) : (up ? (int64_t)start < (int64_t)end : (int64_t)start > (int64_t)end);
    uint64_t stride = up ? step : -step, distance = up ? end - start : start - end;
    s->ready = true;
    s->start = start;
    s->step = step;
    s->count = any ? (distance - 1) / stride + 1 : 0;
    s->chunk = chunk;
}

enum loop_kind { LOOP_STATIC, LOOP_DYNAMIC, LOOP_GUIDED };

static void set_kind(struct work_share *s, enum loop_kind kind)
{
    s->guided = kind == LOOP_GUIDED;
    if (s->chunk == 0)
        s->chunk = kind == LOOP_STATIC && s->count > 0
                       ? (s->count - 1) / openmp_member.team->count + 1
                       : 1;
}

/* The ordered parts of what a member has taken are over before it takes more. */
static void pass_order_on(struct work_share *s)
{
    if (openmp_member.from >= openmp_member.to)
        return;
    while (s->ordered < openmp_member.from)
        scheduler_block(s, "its turn in an ordered loop", 0, TIME_NEVER);
    scheduler_leave_queue();
    s->ordered = openmp_member.to;
    access_tells(s);
    scheduler_wake(s, UINT32_MAX);
    openmp_member.from = openmp_member.to = 0;
}

static bool take_iterations(bool ordered)
{
    struct work_share *s = openmp_member.share;
    scheduler_pass(true);
    if (ordered)
        pass_order_on(s);
    if (s->next >= s->count)
        return false;
    uint64_t left = s->count - s->next,
             some = s->guided ? left / (2 * openmp_member.team->count) : 0;
    some = some > s->chunk ? some : s->chunk;
    openmp_member.from = s->next;
    openmp_member.to = s->next += some < left ? some : left;
    return true;
}

static bool next_range(bool ordered, uint64_t *from, uint64_t *to)
{
    if (!take_iterations(ordered))
        return false;
    *from = openmp_member.share->start + openmp_member.from * openmp_member.share->step;
    *to = openmp_member.share->start + openmp_member.to * openmp_member.share->step;
    return true;
}

#define LOOP_START(name, kind, ordered) \
    OPENMP bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *from, long *to) \
    { \
        team_ensure(); \
        set_loop(work_share_begin(), step > 0, (uint64_t)start, (uint64_t)end, (uint64_t)step, (uint64_t)chunk, false); \
        set_kind(openmp_member.share, kind); \
        openmp_member.from = openmp_member.to = 0; \
        return next_range(ordered, (uint64_t *)from, (uint64_t *)to); \
    } \
    OPENMP bool GOMP_loop_##name##_next(long *from, long *to) { return next_range(ordered, (uint64_t *)from, (uint64_t *)to); } \
    OPENMP bool GOMP_loop_ull_##name##_start(bool up, unsigned long long start, unsigned long long end, unsigned long long step, \
                                             unsigned long long chunk, unsigned long long *from, unsigned long long *to) \
    { \
        team_ensure(); \
        set_loop(work_share_begin(), up, start, end, step, chunk, true); \
        set_kind(openmp_member.share, kind); \
        openmp_member.from = openmp_member.to = 0; \
        return next_range(ordered, (uint64_t *)from, (uint64_t *)to); \
    } \
    OPENMP bool GOMP_loop_ull_##name##_next(unsigned long long *from, unsigned long long *to) \
    { return next_range(ordered, (uint64_t *)from, (uint64_t *)to); }
/* Whose schedule is to be chosen when the program runs: as libgomp's default. */
#define LOOP_START_RUNTIME(name, ordered) \
    OPENMP bool GOMP_loop_##name##_start(long start, long end, long step, long *from, long *to) \
    { return GOMP_loop_##ordered##dynamic_start(start, end, step, 1, from, to); } \
    OPENMP bool GOMP_loop_##name##_next(long *from, long *to) { return GOMP_loop_##ordered##dynamic_next(from, to); } \
    OPENMP bool GOMP_loop_ull_##name##_start(bool up, unsigned long long start, unsigned long long end, unsigned long long step, \
                                             unsigned long long *from, unsigned long long *to) \
    { return GOMP_loop_ull_##ordered##dynamic_start(up, start, end, step, 1, from, to); } \
    OPENMP bool GOMP_loop_ull_##name##_next(unsigned long long *from, unsigned long long *to) \
    { return GOMP_loop_ull_##ordered##dynamic_next(from, to); }
LOOP_START(static, LOOP_STATIC, false)
LOOP_START(dynamic, LOOP_DYNAMIC, false)
LOOP_START(guided, LOOP_GUIDED, false)
LOOP_START(nonmonotonic_dynamic, LOOP_DYNAMIC, false)
LOOP_START(nonmonotonic_guided, LOOP_GUIDED, false)
LOOP_START(ordered_static, LOOP_STATIC, true)
LOOP_START(ordered_dynamic, LOOP_DYNAMIC, true)
LOOP_START(ordered_guided, LOOP_GUIDED, true)
LOOP_START_RUNTIME(runtime, )
LOOP_START_RUNTIME(nonmonotonic_runtime, )
LOOP_START_RUNTIME(maybe_nonmonotonic_runtime, )
LOOP_START_RUNTIME(ordered_runtime, ordered_)

#define PARALLEL_LOOP(name, kind) \
    OPENMP void GOMP_parallel_loop_##name(void (*function)(void *), void *data, unsigned count, long start, long end, long step, \
                                          long chunk, unsigned flags) \
    { \
        (void)flags; \
        struct team team = { .function = function, .data = data, .begun.number = 1 }; \
        set_loop(&team.begun, step > 0, (uint64_t)start, (uint64_t)end, (uint64_t)step, (uint64_t)chunk, false); \
        team.begun.guided = kind == LOOP_GUIDED; \
        if (chunk == 0) \
            team.begun.chunk = 1; \
        team_run(&team, count); \
    }
#define PARALLEL_LOOP_RUNTIME(name) \
    OPENMP void GOMP_parallel_loop_##name(void (*function)(void *), void *data, unsigned count, long start, long end, long step, \
                                          unsigned flags) \
    { GOMP_parallel_loop_dynamic(function, data, count, start, end, step, 1, flags); }
PARALLEL_LOOP(static, LOOP_STATIC)
PARALLEL_LOOP(dynamic, LOOP_DYNAMIC)
PARALLEL_LOOP(guided, LOOP_GUIDED)
PARALLEL_LOOP(nonmonotonic_dynamic, LOOP_DYNAMIC)
PARALLEL_LOOP(nonmonotonic_guided, LOOP_GUIDED)
PARALLEL_LOOP_RUNTIME(runtime)
PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

OPENMP void GOMP_loop_end_nowait(void)
{
    work_share_end();
}

OPENMP void GOMP_loop_end(void)
{
    work_share_end();
    GOMP_barrier();
}

OPENMP void GOMP_ordered_start(void)
{
    struct work_share *s = openmp_member.share;
    while (s && s->ordered < openmp_member.from)
        scheduler_block(s, "its turn in an ordered loop", 0, TIME_NEVER);
    scheduler_leave_queue();
    if (s)
        access_hears(s);
}

OPENMP void GOMP_ordered_end(void)
{
}

/* Sections are numbered from 1; 0: there is none left. */
OPENMP unsigned GOMP_sections_next(void)
{
    return take_iterations(false) ? (unsigned)openmp_member.from + 1 : 0;
}

OPENMP unsigned GOMP_sections_start(unsigned count)
{
    team_ensure();
    set_loop(work_share_begin(), true, 0, count, 1, 1, true);
    return GOMP_sections_next();
}

OPENMP void GOMP_parallel_sections(void (*function)(void *), void *data, unsigned threads,
                                   unsigned count, unsigned flags)
{
    (void)flags;
    struct team team = { .function = function, .data = data, .begun.number = 1 };
    set_loop(&team.begun, true, 0, count, 1, 1, true);
    team_run(&team, threads);
}

OPENMP void GOMP_sections_end_nowait(void)
{
    work_share_end();
}

OPENMP void GOMP_sections_end(void)
{
    GOMP_loop_end();
}

OPENMP bool GOMP_single_start(void)
{
    team_ensure();
    struct work_share *s = work_share_begin();
    bool first = !s->taken;
    s->taken = true;
    work_share_end();
    return first;
}

/* NULL: the caller does it, and GOMP_single_copy_end has what the others get here. */
OPENMP void *GOMP_single_copy_start(void)
{
    team_ensure();
    struct work_share *s = work_share_begin();
    if (!s->taken) {
        s->taken = true;
        return NULL;
    }
    GOMP_barrier();
    void *copied = s->copied;
    work_share_end();
    return copied;
}

OPENMP void GOMP_single_copy_end(void *data)
{
    openmp_member.share->copied = data;
    GOMP_barrier();
    work_share_end();
}
