/* SPDX-License-Identifier: MIT */
/*
 * OpenMP in the host's code: what g++ -fopenmp calls, in libgomp's place. That library's threads wait in ways that
 * the order of turns (scheduler.h) does not see.
 *
 * DESIGN. A team is the thread that begins a parallel region and workers, which are kept for later regions as libgomp keeps its own
 * (a current device stays a worker's). All are threads of the program, take turns, and meet by locks and barriers of pthreads.
 * Since one runs at a time, what a team shares needs no lock. A parallel region in one with several threads has one. A task is
 * carried out where it stands, as OpenMP allows, and so all have ended where one would wait for them. What is not here
 * (target, teams, doacross, cancellation, reductions of tasks) ends the program by name.
 *
 * Without OMP_NUM_THREADS there are four threads, on any machine: so that a program does the same everywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/host/scheduler.h"
#include "sim/race/access.h"
#include "trace/record/memory.h"

enum { TEAM_DEFAULT = 4, TEAM_MOST = 1024 };

/* A loop, some sections, or a single: one of these for each that the team comes to. */
struct share {
    unsigned number;            /* in the region */
    bool taken;                 /* a single: somebody does it */
    bool ready;                 /* a loop's bounds are known */
    void *copied;               /* of a single, for the others */
    uint64_t start, step, next, count, chunk;   /* iterations are numbered from 0; start and step wrap around */
    bool guided;
    uint64_t ordered;           /* up to there the ordered parts are over */
    unsigned left;              /* members that have not ended it */
    struct share *after;
};

struct team {
    void (*function)(void *data);
    void *data;
    unsigned count;
    pthread_barrier_t barrier;
    struct share *shares;
    /* What is shared from the region's beginning. */
    struct share begun;
};

/* A thread's place in its team. */
static __thread struct member {
    struct team *team;          /* NULL: it is in none */
    unsigned number, shares, level;
    struct share *share;
    uint64_t from, to;          /* iterations that it has taken last */
} member;

static struct worker {
    pthread_t thread;
    struct task *task;
    struct team *team;          /* that it is to join; NULL: none */
    unsigned number;
    bool idle;
} *workers[TEAM_MOST];

static __thread unsigned wanted_threads;    /* omp_set_num_threads; 0: as the environment says */

static unsigned team_size_by_default(void)
{
    unsigned size = environment_number("OMP_NUM_THREADS", TEAM_MOST);
    return wanted_threads > 0 ? wanted_threads : size > 0 ? size : TEAM_DEFAULT;
}

/* ---- teams ---- */

static void work_in_team(struct team *team, unsigned number)
{
    struct member outside = member;
    member = (struct member){ .team = team, .number = number, .level = outside.level + 1 };
    if (team->begun.number > 0) {
        member.shares = 1;
        member.share = &team->begun;
    }
    team->function(team->data);
    pthread_barrier_wait(&team->barrier);
    member = outside;
}

static void *work_for_teams(void *argument)
{
    struct worker *self = argument;
    for (;;) {
        access_hears(self);
        work_in_team(self->team, self->number);
        self->team = NULL;
        access_tells(self);
        scheduler_park(self->task);
    }
    return NULL;
}

static void send_worker(unsigned number, struct team *team)
{
    struct worker *w = workers[number];
    bool is_new = !w;
    if (is_new) {
        w = workers[number] = memory_resize(NULL, sizeof *w);
        *w = (struct worker){ .number = number };
    }
    w->team = team;
    access_tells(w);
    if (!is_new) {
        scheduler_ready(w->task, model_now(&sim.model, thread_self()->number));
    } else {
        struct thread *self = thread_self();
        self->locks++;          /* it does not begin before its turn is known */
        if (pthread_create(&w->thread, NULL, work_for_teams, w) != 0)
            sim_trouble("OpenMP: no thread for number %u of a team", number);
        w->task = scheduler_all();
        self->locks--;
    }
}

/* A worker leaves the barrier at the end before it parks. */
static bool all_parked(const struct team *team)
{
    for (unsigned i = 1; i < team->count; i++)
        if (workers[i]->task->state != TASK_PARKED)
            return false;
    return true;
}

static void run_team(struct team *team, unsigned wanted)
{
    wanted = wanted > 0 ? wanted : team_size_by_default();
    bool nested = member.team && member.team->count > 1;
    team->count = nested ? 1 : wanted < TEAM_MOST ? wanted : TEAM_MOST;
    team->begun.left = team->count;
    pthread_barrier_init(&team->barrier, NULL, team->count);
    for (unsigned i = 1; i < team->count; i++)
        send_worker(i, team);
    work_in_team(team, 0);
    while (!all_parked(team))
        scheduler_pass(true);
    for (unsigned i = 1; i < team->count; i++)
        access_hears(workers[i]);
}

/* ---- what a team shares ---- */

static struct share *begin_share(void)
{
    struct member *self = &member;
    unsigned number = ++self->shares;
    struct team *team = self->team;
    struct share **at = &team->shares;
    while (*at && (*at)->number != number)
        at = &(*at)->after;
    if (!*at) {
        *at = memory_resize(NULL, sizeof **at);
        **at = (struct share){ .number = number, .left = team->count };
    }
    access_hears(*at);
    return self->share = *at;
}

static void end_share(void)
{
    struct share *share = member.share;
    if (!share)
        return;
    access_tells(share);
    member.share = NULL;
    if (--share->left > 0 || share == &member.team->begun)
        return;
    struct share **at = &member.team->shares;
    while (*at != share)
        at = &(*at)->after;
    *at = share->after;
    memory_resize(share, 0);
}

/* Outside of any region: a team of one. */
static void need_team(void)
{
    static struct team alone = { .count = 1 };
    static bool made;
    if (!made)
        pthread_barrier_init(&alone.barrier, NULL, 1);
    made = true;
    if (!member.team)
        member.team = &alone;
}

static void set_loop(struct share *s, bool up, uint64_t start, uint64_t end, uint64_t step, uint64_t chunk, bool is_unsigned)
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

static void set_kind(struct share *s, enum loop_kind kind)
{
    s->guided = kind == LOOP_GUIDED;
    if (s->chunk == 0)
        s->chunk = kind == LOOP_STATIC && s->count > 0 ? (s->count - 1) / member.team->count + 1 : 1;
}

/* The ordered parts of what a member has taken are over before it takes more. */
static void pass_order_on(struct share *s)
{
    if (member.from >= member.to)
        return;
    while (s->ordered < member.from)
        scheduler_block(s, "its turn in an ordered loop", 0, TIME_NEVER);
    scheduler_leave_queue();
    s->ordered = member.to;
    access_tells(s);
    scheduler_wake(s, UINT32_MAX);
    member.from = member.to = 0;
}

static bool take_iterations(bool ordered)
{
    struct share *s = member.share;
    scheduler_pass(true);
    if (ordered)
        pass_order_on(s);
    if (s->next >= s->count)
        return false;
    uint64_t left = s->count - s->next, some = s->guided ? left / (2 * member.team->count) : 0;
    some = some > s->chunk ? some : s->chunk;
    member.from = s->next;
    member.to = s->next += some < left ? some : left;
    return true;
}

static bool next_range(bool ordered, uint64_t *from, uint64_t *to)
{
    if (!take_iterations(ordered))
        return false;
    *from = member.share->start + member.from * member.share->step;
    *to = member.share->start + member.to * member.share->step;
    return true;
}

/* ---- what g++ calls; a program may have functions of these names of its own ---- */

#define OPENMP VISIBLE __attribute__((weak))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

OPENMP void GOMP_parallel(void (*function)(void *), void *data, unsigned count, unsigned flags)
{
    (void)flags;
    struct team team = { .function = function, .data = data };
    run_team(&team, count);
}

OPENMP void GOMP_barrier(void)
{
    need_team();
    pthread_barrier_wait(&member.team->barrier);
}

#define LOOP_START(name, kind, ordered) \
    OPENMP bool GOMP_loop_##name##_start(long start, long end, long step, long chunk, long *from, long *to) \
    { \
        need_team(); \
        set_loop(begin_share(), step > 0, (uint64_t)start, (uint64_t)end, (uint64_t)step, (uint64_t)chunk, false); \
        set_kind(member.share, kind); \
        member.from = member.to = 0; \
        return next_range(ordered, (uint64_t *)from, (uint64_t *)to); \
    } \
    OPENMP bool GOMP_loop_##name##_next(long *from, long *to) { return next_range(ordered, (uint64_t *)from, (uint64_t *)to); } \
    OPENMP bool GOMP_loop_ull_##name##_start(bool up, unsigned long long start, unsigned long long end, unsigned long long step, \
                                             unsigned long long chunk, unsigned long long *from, unsigned long long *to) \
    { \
        need_team(); \
        set_loop(begin_share(), up, start, end, step, chunk, true); \
        set_kind(member.share, kind); \
        member.from = member.to = 0; \
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
        run_team(&team, count); \
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
    end_share();
}

OPENMP void GOMP_loop_end(void)
{
    end_share();
    GOMP_barrier();
}

OPENMP void GOMP_ordered_start(void)
{
    struct share *s = member.share;
    while (s && s->ordered < member.from)
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
    return take_iterations(false) ? (unsigned)member.from + 1 : 0;
}

OPENMP unsigned GOMP_sections_start(unsigned count)
{
    need_team();
    set_loop(begin_share(), true, 0, count, 1, 1, true);
    return GOMP_sections_next();
}

OPENMP void GOMP_parallel_sections(void (*function)(void *), void *data, unsigned threads, unsigned count, unsigned flags)
{
    (void)flags;
    struct team team = { .function = function, .data = data, .begun.number = 1 };
    set_loop(&team.begun, true, 0, count, 1, 1, true);
    run_team(&team, threads);
}

OPENMP void GOMP_sections_end_nowait(void)
{
    end_share();
}

OPENMP void GOMP_sections_end(void)
{
    GOMP_loop_end();
}

OPENMP bool GOMP_single_start(void)
{
    need_team();
    struct share *s = begin_share();
    bool first = !s->taken;
    s->taken = true;
    end_share();
    return first;
}

/* NULL: the caller does it, and GOMP_single_copy_end has what the others get here. */
OPENMP void *GOMP_single_copy_start(void)
{
    need_team();
    struct share *s = begin_share();
    if (!s->taken) {
        s->taken = true;
        return NULL;
    }
    GOMP_barrier();
    void *copied = s->copied;
    end_share();
    return copied;
}

OPENMP void GOMP_single_copy_end(void *data)
{
    member.share->copied = data;
    GOMP_barrier();
    end_share();
}

/* ---- one at a time ---- */

static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER, atomic = PTHREAD_MUTEX_INITIALIZER;

OPENMP void GOMP_critical_start(void) { pthread_mutex_lock(&critical); }
OPENMP void GOMP_critical_end(void) { pthread_mutex_unlock(&critical); }
OPENMP void GOMP_atomic_start(void) { pthread_mutex_lock(&atomic); }
OPENMP void GOMP_atomic_end(void) { pthread_mutex_unlock(&atomic); }

OPENMP void GOMP_critical_name_start(void **name)
{
    if (!*name) {
        pthread_mutex_t *mutex = memory_resize(NULL, sizeof *mutex);
        pthread_mutex_init(mutex, NULL);
        *name = mutex;
    }
    pthread_mutex_lock(*name);
}

OPENMP void GOMP_critical_name_end(void **name)
{
    pthread_mutex_unlock(*name);
}

/* omp_lock_t has four bytes; omp_nest_lock_t sixteen, aligned to eight. */
struct nest_lock { int taken, count; void *owner; };

OPENMP void omp_init_lock(int *lock) { *lock = 0; }
OPENMP void omp_destroy_lock(int *lock) { (void)lock; }

OPENMP int omp_test_lock(int *lock)
{
    if (*lock) {
        scheduler_yield("omp_test_lock");
        return 0;
    }
    *lock = 1;
    access_hears(lock);
    return 1;
}

OPENMP void omp_set_lock(int *lock)
{
    while (*lock)
        scheduler_block(lock, "an OpenMP lock", 0, TIME_NEVER);
    scheduler_leave_queue();
    *lock = 1;
    access_hears(lock);
}

OPENMP void omp_unset_lock(int *lock)
{
    access_tells(lock);
    *lock = 0;
    if (scheduler_wake(lock, 1) > 0)
        scheduler_pass(true);
}

OPENMP void omp_init_nest_lock(struct nest_lock *lock) { *lock = (struct nest_lock){ 0, 0, NULL }; }
OPENMP void omp_destroy_nest_lock(struct nest_lock *lock) { (void)lock; }

OPENMP int omp_test_nest_lock(struct nest_lock *lock)
{
    if (lock->owner != &member && !omp_test_lock(&lock->taken))
        return 0;
    lock->owner = &member;
    return ++lock->count;
}

OPENMP void omp_set_nest_lock(struct nest_lock *lock)
{
    if (lock->owner != &member)
        omp_set_lock(&lock->taken);
    lock->owner = &member;
    lock->count++;
}

OPENMP void omp_unset_nest_lock(struct nest_lock *lock)
{
    if (--lock->count > 0)
        return;
    lock->owner = NULL;
    omp_unset_lock(&lock->taken);
}

/* ---- tasks: at once ---- */

static _Noreturn void not_here(const char *what)
{
    sim_trouble("OpenMP: the simulator does not have %s (parallel, for, sections, single, critical, ordered, task and taskloop are there)", what);
}

static void *aligned_arguments(char *room, long align)
{
    return (void *)(((uintptr_t)room + (uintptr_t)align - 1) / (uintptr_t)align * (uintptr_t)align);
}

/* A task's own copy of what it was given; to be freed by memory_resize. */
static char *copy_arguments(void **arguments, void *data, void (*copy)(void *, void *), long bytes, long align)
{
    char *room = memory_resize(NULL, (size_t)(bytes + align + 1));
    *arguments = aligned_arguments(room, align > 0 ? align : 1);
    if (copy)
        copy(*arguments, data);
    else
        memcpy(*arguments, data, (size_t)bytes);
    return room;
}

OPENMP void GOMP_task(void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes, long align, bool deferred,
                      unsigned flags, void **depends, int priority, void *detach)
{
    (void)deferred, (void)flags, (void)depends, (void)priority, (void)detach;
    void *arguments;
    char *room = copy_arguments(&arguments, data, copy, bytes, align);
    function(arguments);
    memory_resize(room, 0);
}

/* The bounds are the first two of a task's arguments. */
#define TASKLOOP(name, type) \
    OPENMP void name(void (*function)(void *), void *data, void (*copy)(void *, void *), long bytes, long align, unsigned flags, \
                     unsigned long tasks, int priority, type start, type end, type step) \
    { \
        (void)tasks, (void)priority, (void)step; \
        enum { REDUCTION = 1 << 12 }; \
        if (flags & REDUCTION) \
            not_here("reductions of tasks"); \
        if (start == end) \
            return; \
        void *arguments; \
        char *room = copy_arguments(&arguments, data, copy, bytes, align); \
        ((type *)arguments)[0] = start; \
        ((type *)arguments)[1] = end; \
        function(arguments); \
        memory_resize(room, 0); \
    }
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)

OPENMP void GOMP_taskwait(void) {}
OPENMP void GOMP_taskwait_depend(void **depends) { (void)depends; }
OPENMP void GOMP_taskyield(void) { scheduler_yield("taskyield"); }
OPENMP void GOMP_taskgroup_start(void) {}
OPENMP void GOMP_taskgroup_end(void) {}

/* ---- what is not here ---- */

#define NOT_HERE(name, what) OPENMP void name(void) { not_here(what); }
NOT_HERE(GOMP_target, "target") NOT_HERE(GOMP_target_ext, "target") NOT_HERE(GOMP_target_data, "target")
NOT_HERE(GOMP_target_data_ext, "target") NOT_HERE(GOMP_target_update, "target") NOT_HERE(GOMP_target_update_ext, "target")
NOT_HERE(GOMP_target_enter_exit_data, "target") NOT_HERE(GOMP_teams, "teams") NOT_HERE(GOMP_teams4, "teams")
NOT_HERE(GOMP_teams_reg, "teams") NOT_HERE(GOMP_cancel, "cancellation") NOT_HERE(GOMP_cancellation_point, "cancellation")
NOT_HERE(GOMP_barrier_cancel, "cancellation") NOT_HERE(GOMP_loop_end_cancel, "cancellation")
NOT_HERE(GOMP_sections_end_cancel, "cancellation") NOT_HERE(GOMP_doacross_post, "doacross loops")
NOT_HERE(GOMP_doacross_wait, "doacross loops") NOT_HERE(GOMP_doacross_ull_post, "doacross loops")
NOT_HERE(GOMP_doacross_ull_wait, "doacross loops") NOT_HERE(GOMP_loop_doacross_static_start, "doacross loops")
NOT_HERE(GOMP_loop_doacross_dynamic_start, "doacross loops") NOT_HERE(GOMP_loop_doacross_guided_start, "doacross loops")
NOT_HERE(GOMP_loop_doacross_runtime_start, "doacross loops") NOT_HERE(GOMP_loop_doacross_start, "doacross loops")
NOT_HERE(GOMP_loop_ull_doacross_static_start, "doacross loops") NOT_HERE(GOMP_loop_ull_doacross_dynamic_start, "doacross loops")
NOT_HERE(GOMP_loop_ull_doacross_guided_start, "doacross loops") NOT_HERE(GOMP_loop_ull_doacross_runtime_start, "doacross loops")
NOT_HERE(GOMP_loop_ull_doacross_start, "doacross loops") NOT_HERE(GOMP_loop_start, "reductions of tasks")
NOT_HERE(GOMP_loop_ull_start, "reductions of tasks") NOT_HERE(GOMP_loop_ordered_start, "reductions of tasks")
NOT_HERE(GOMP_loop_ull_ordered_start, "reductions of tasks") NOT_HERE(GOMP_sections2_start, "reductions of tasks")
NOT_HERE(GOMP_parallel_reductions, "reductions of tasks") NOT_HERE(GOMP_scope_start, "scope")
NOT_HERE(GOMP_taskgroup_reduction_register, "reductions of tasks") NOT_HERE(GOMP_taskgroup_reduction_unregister, "reductions of tasks")
NOT_HERE(GOMP_task_reduction_remap, "reductions of tasks") NOT_HERE(GOMP_workshare_task_reduction_unregister, "reductions of tasks")

/* ---- what programs ask ---- */

OPENMP int omp_get_num_threads(void) { return member.team ? (int)member.team->count : 1; }
OPENMP int omp_get_thread_num(void) { return (int)member.number; }
OPENMP int omp_get_max_threads(void) { return (int)team_size_by_default(); }
OPENMP int omp_get_num_procs(void) { return TEAM_DEFAULT; }
OPENMP int omp_get_thread_limit(void) { return TEAM_MOST; }
OPENMP void omp_set_num_threads(int count) { wanted_threads = count > 0 ? (unsigned)count : 1; }
OPENMP int omp_in_parallel(void) { return member.team && member.team->count > 1; }
OPENMP int omp_get_level(void) { return (int)member.level; }
OPENMP int omp_get_active_level(void) { return omp_in_parallel(); }
OPENMP int omp_get_team_size(int level) { return level == (int)member.level ? omp_get_num_threads() : level < (int)member.level && level >= 0 ? 1 : -1; }
OPENMP int omp_get_ancestor_thread_num(int level) { return level == (int)member.level ? (int)member.number : level < (int)member.level && level >= 0 ? 0 : -1; }
OPENMP void omp_set_dynamic(int on) { (void)on; }
OPENMP int omp_get_dynamic(void) { return 0; }
OPENMP void omp_set_nested(int on) { (void)on; }
OPENMP int omp_get_nested(void) { return 0; }
OPENMP void omp_set_max_active_levels(int levels) { (void)levels; }
OPENMP int omp_get_max_active_levels(void) { return 1; }
OPENMP int omp_get_num_devices(void) { return 0; }

OPENMP double omp_get_wtime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

OPENMP double omp_get_wtick(void) { return 1e-9; }
