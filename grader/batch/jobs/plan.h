/* SPDX-License-Identifier: MIT */
/*
 * plan.h - the work at hand, as a file that every worker reads: OUT/batch/plan.json.
 *
 * It is all that a worker on this machine, or on another that sees the folder,
 * needs to know.
 */
#ifndef GRADER_BATCH_JOBS_PLAN_H
#define GRADER_BATCH_JOBS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/batch/intake/intake.h"
#include "grader/batch/files/ledger.h"
#include "grader/batch/jobs/ingredients.h"
#include "grader/sandbox/machine.h"

struct job {
    char *student, *folder;     /* folder: ledger_name(student) */
    const struct lesson *lesson;
    char file[LEDGER_KEY], key[LEDGER_KEY];
    char ingredients[INGREDIENTS];      /* what judges it (ingredients.h) */
    char encoding[16];          /* it was not UTF-8, and was taken for this; "": it was */
    bool earlier;               /* not what lies there now, but what did before */
    int64_t when;               /* handed in; 0: not known */
    enum when_from when_from;
    bool late;                  /* as others say */
    unsigned number;            /* the how-manieth attempt at this lesson, from 1 */
};

struct plan {
    char *out;                  /* absolute */
    char card[200];             /* a card's name, or that of a file in OUT/cards */
    uint64_t seed;
    int64_t time_limit_ms;
    uint64_t memory;            /* bytes that one submission may have */
    bool confined;                 /* sandboxed */
    enum backend backend;       /* where it is judged */
    struct job *jobs;
    size_t count, capacity;
    char **earlier;             /* students of earlier batches (earlier.h); in no file */
    size_t earlier_count;
};

void plan_write(const struct plan *p);
/* The environment's trouble if there is none. */
void plan_read(struct plan *p, const char *out);
void plan_fini(struct plan *p);
struct job *plan_add(struct plan *p);

/* The card that was asked for. One from a file is copied to OUT/cards, under a name that has the
 * sum of its bytes in it: there all workers find it, and an appeal. When `out` is known. */
void plan_take_card(struct plan *p, const char *asked);
/* What option_card takes; the caller's. */
char *plan_card(const struct plan *p);

/* The key of a file of this lesson's, graded as this plan says. */
void plan_key(const struct plan *p, char key[LEDGER_KEY], const struct lesson *lesson,
              const char *file);
/* When a job's lesson and file are known: its key, and what judges it. */
void job_key(const struct plan *p, struct job *j);

/* A job's files, the caller's. `extension`: "json", "trouble". */
char *job_attempt(const struct plan *p, const struct job *j, const char *extension);
char *job_source(const struct plan *p, const struct job *j);
/* The copy for people: what counts, under the lesson's name. */
char *job_copy(const struct plan *p, const struct job *j);
bool job_done(const struct plan *p, const struct job *j);

#endif
