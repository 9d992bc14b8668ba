/* SPDX-License-Identifier: MIT */
/*
 * openmp.h - OpenMP in the host's code: what g++ -fopenmp calls, in libgomp's place. That library's
 * threads wait in ways that the order of turns (scheduler.h) does not see.
 *
 * DESIGN. A team is the thread that begins a parallel region and workers, which are kept for later
 * regions as libgomp keeps its own (a current device stays a worker's). All are threads of the
 * program, take turns, and meet by locks and barriers of pthreads. Since one runs at a time, what a
 * team shares needs no lock. A nested parallel region has one thread. A task is carried out where
 * it stands, as OpenMP allows, and so all have ended where one would wait for them. What is not
 * here (target, teams, doacross, cancellation, reductions of tasks) ends the program by name
 * (unsupported.c).
 *
 * Without OMP_NUM_THREADS there are four threads, on any machine: so that a program does the same
 * everywhere.
 */
#ifndef SIM_OPENMP_OPENMP_H
#define SIM_OPENMP_OPENMP_H

#include <stdbool.h>

#include "sim/host/scheduler.h"

enum { TEAM_DEFAULT = 4, TEAM_MOST = 1024 };

/* A worksharing construct that the team has come to: a loop, some sections, or a single. */
struct work_share {
    unsigned number;            /* in the region */
    bool taken;                 /* a single: a thread of the team does it already */
    bool ready;                 /* a loop's bounds are known */
    void *copied;               /* of a single, for the others */
    uint64_t start, step, next, count,
        chunk; /* iterations are numbered from 0; start and step wrap around */
    bool guided;
    uint64_t ordered;           /* up to there the ordered parts are over */
    unsigned left;              /* members that have not ended it */
    struct work_share *after;
};

struct team {
    void (*function)(void *data);
    void *data;
    unsigned count;
    pthread_barrier_t barrier;
    struct work_share *shares;
    /* What is shared from the region's beginning. */
    struct work_share begun;
};

/* A thread's place in its team. */
struct member {
    struct team *team;          /* NULL: it is in none */
    unsigned number, shares, level;
    struct work_share *share;
    uint64_t from, to;          /* iterations that it has taken last */
};
extern __thread struct member openmp_member;

/* What g++ calls; a program may have functions of these names of its own. */
#define OPENMP VISIBLE __attribute__((weak))
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

/* Runs the team's function on the caller and `wanted` - 1 workers (0: as many as by default), until
 * all have come to the end. */
void team_run(struct team *team, unsigned wanted);
/* Outside of any region: a team of one. */
void team_ensure(void);
void GOMP_barrier(void);

/* Ends the program: the simulator does not have this. */
_Noreturn void openmp_unsupported(const char *what);

#endif
