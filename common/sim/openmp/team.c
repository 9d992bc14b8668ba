/* SPDX-License-Identifier: MIT */
/* Threads: teams, their barrier, and what programs ask about them. */
#include "sim/openmp/openmp.h"

#include "sim/race/access.h"
#include "trace/record/memory.h"

__thread struct member openmp_member;

static struct worker {
    pthread_t thread;
    struct task *task;
    struct team *team;          /* that it is to join; NULL: none */
    unsigned number;
} *workers[TEAM_MOST];

static __thread unsigned wanted_threads;    /* omp_set_num_threads; 0: as the environment says */

static unsigned team_size_by_default(void)
{
    unsigned size = environment_number("OMP_NUM_THREADS", TEAM_MOST);
    return wanted_threads > 0 ? wanted_threads : size > 0 ? size : TEAM_DEFAULT;
}

static void work_in_team(struct team *team, unsigned number)
{
    struct member outside = openmp_member;
    openmp_member = (struct member){ .team = team, .number = number, .level = outside.level + 1 };
    if (team->begun.number > 0) {
        openmp_member.shares = 1;
        openmp_member.share = &team->begun;
    }
    team->function(team->data);
    pthread_barrier_wait(&team->barrier);
    openmp_member = outside;
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

void team_run(struct team *team, unsigned wanted)
{
    wanted = wanted > 0 ? wanted : team_size_by_default();
    bool nested = openmp_member.team && openmp_member.team->count > 1;
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

void team_ensure(void)
{
    static struct team alone = { .count = 1 };
    static bool made;
    if (!made)
        pthread_barrier_init(&alone.barrier, NULL, 1);
    made = true;
    if (!openmp_member.team)
        openmp_member.team = &alone;
}

OPENMP void GOMP_parallel(void (*function)(void *), void *data, unsigned count, unsigned flags)
{
    (void)flags;
    struct team team = { .function = function, .data = data };
    team_run(&team, count);
}

OPENMP void GOMP_barrier(void)
{
    team_ensure();
    pthread_barrier_wait(&openmp_member.team->barrier);
}

/* ---- what programs ask ---- */

OPENMP int omp_get_num_threads(void)
{
    return openmp_member.team ? (int)openmp_member.team->count : 1;
}
OPENMP int omp_get_thread_num(void) { return (int)openmp_member.number; }
OPENMP int omp_get_max_threads(void) { return (int)team_size_by_default(); }
OPENMP int omp_get_num_procs(void) { return TEAM_DEFAULT; }
OPENMP int omp_get_thread_limit(void) { return TEAM_MOST; }
OPENMP void omp_set_num_threads(int count) { wanted_threads = count > 0 ? (unsigned)count : 1; }
OPENMP int omp_in_parallel(void) { return openmp_member.team && openmp_member.team->count > 1; }
OPENMP int omp_get_level(void) { return (int)openmp_member.level; }
OPENMP int omp_get_active_level(void) { return omp_in_parallel(); }
OPENMP int omp_get_team_size(int level)
{
    return level == (int)openmp_member.level                ? omp_get_num_threads()
           : level < (int)openmp_member.level && level >= 0 ? 1
                                                            : -1;
}
OPENMP int omp_get_ancestor_thread_num(int level)
{
    return level == (int)openmp_member.level                ? (int)openmp_member.number
           : level < (int)openmp_member.level && level >= 0 ? 0
                                                            : -1;
}
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
