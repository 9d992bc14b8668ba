/* SPDX-License-Identifier: MIT */
/* attempts.h - what the ledger has of a lesson of a student's, how many points each is worth, and
 * which one counts. */
#ifndef GRADER_BATCH_RESULTS_ATTEMPTS_H
#define GRADER_BATCH_RESULTS_ATTEMPTS_H

#include "grader/batch/results/results.h"
#include "grader/batch/jobs/earlier.h"

struct attempt {
    json_t *all;                /* the attempt of task.h; the caller's */
    char key[LEDGER_KEY];
    bool stale;                 /* judged as it is not judged any more */
    int64_t number, when, penalty,
        score;       /* penalty and score: thousandths; the score has the penalty taken off */
    enum when_from when_from;
    bool late, timed;           /* marked as late by others; the time counts */
};

/* Fills `list`, which has room for ATTEMPTS_MOST; returns how many. `folder`: ledger_name of the
 * student. j: the file that lies there now, or NULL. */
size_t attempts_of(const struct class *c, const char *folder, const struct rubric_lesson *l,
                   const struct job *j, const struct given_time *given, struct attempt *list);
/* How many files they are of. */
int attempts_count(const struct attempt *list, size_t count);
/* By the rubric's rule; NULL: there is none. */
const struct attempt *attempts_choose(const struct class *c, const struct job *j,
                                      const struct attempt *list, size_t count);

/* Points of the verdict's checks in a part, and what they are worth here, in thousandths. */
void attempt_sum_part(const json_t *verdict, const char *part, int *earned, int *most);
int64_t attempt_part_score(const struct rubric_lesson *l, const json_t *verdict, size_t part);

#endif
