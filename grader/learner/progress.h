/* SPDX-License-Identifier: MIT */
/*
 * progress.h - what a learner has done, remembered in a plain file (work/progress).
 *
 * A line a fact; lines that begin with # are for readers:
 *   06-overlap best 100/100 version 0.1 seed 7 card h200: passed
 *   06-overlap last 89/100 version 0.1 seed 8 card h200: wanting
 *   06-overlap check c-busy hints 2: failed
 * `last` and the checks are those of the latest verdict, `best` is the best one
 * so far, hints are those that were given. A lesson that this workbook does not
 * know keeps its lines. The file is changed under a lock on its folder and
 * written whole, so that any number of processes may remember at once.
 */
#ifndef GRADER_LEARNER_PROGRESS_H
#define GRADER_LEARNER_PROGRESS_H

#include "grader/judge/judge.h"

#define HINTS 3                 /* the steps of struct hints */

struct score {
    bool known;
    int points, points_max;
    char version[16], card[64];
    uint64_t seed;
    enum status status;
};

struct progress_check {
    char id[32];
    bool known;                 /* judged by the latest verdict */
    enum outcome outcome;
    unsigned hints;             /* how many were given, 0 to 3 */
};

struct progress_lesson {
    char folder[64];
    struct score best, last;
    struct progress_check *checks;
    size_t check_count, check_capacity;
};

struct progress {
    struct progress_lesson *lessons;
    size_t count, capacity;
};

void progress_fini(struct progress *p);

/* Both find, or make, the entry; it moves when another one is made. */
struct progress_lesson *progress_lesson(struct progress *p, const char *folder);
struct progress_check *progress_check(struct progress_lesson *l, const char *id);

/* A file that is not there holds nothing. False: *line is where it makes no sense, 0: errno says
 * why it cannot be read. What was read before stays. */
bool progress_read(struct progress *p, const char *path, unsigned *line);
/* False: errno says why; the old file stays. */
bool progress_write(const struct progress *p, const char *path);

/* The learner's own: reads work/progress, lets `change` change it, writes it. `change` NULL: only
 * reads. *p is the caller's, to be given to progress_fini. What goes wrong is told in one line and
 * does no more harm: a file that makes no sense is kept beside as progress.1, and begun anew. */
void progress_own(struct progress *p, void (*change)(struct progress *p, void *context),
                  void *context);

/* Remembers a verdict. */
void progress_note(struct progress *p, const struct verdict *v);

#endif
