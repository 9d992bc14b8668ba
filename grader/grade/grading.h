/* SPDX-License-Identifier: MIT */
/*
 * grading.h - one submission from file to verdict.
 *
 * grading_begin makes the inputs, starts the reference solution, builds the
 * submission meanwhile, runs it and judges both: on the simulator, on the GPU of
 * the machine, or on both. What is the environment's
 * trouble, the reference's own failure too, ends the program (environment.h);
 * so does Ctrl-C. The verdict points into the grading and lives as long.
 */
#ifndef GRADER_GRADE_GRADING_H
#define GRADER_GRADE_GRADING_H

#include "grader/grade/elsewhere.h"
#include "grader/grade/gpu.h"
#include "grader/grade/otherwise.h"
#include "grader/judge/judge.h"
#include "grader/run/build.h"
#include "grader/sandbox/machine.h"

struct grading {
    /* What is to be done: the caller's. */
    const struct lesson *lesson;
    const struct submission *submission, *starter;
    const struct card *card;
    struct machine machine;
    uint64_t seed;
    int64_t time_limit_ms;
    bool run_only;              /* no reference, no judging */
    const struct sandbox *sandbox; /* for a stranger's file, with sandbox_begin done; NULL: none */
    bool insists; /* no verdict without the card that was asked for, if only the machine stands in
                     the way */
    const char *program; /* the submission as an earlier grading built it (build.program), which
                            still lives; NULL */
    /* What came of it. */
    struct verdict verdict;
    /* Owned by grading.c. */
    struct exchange exchange;
    bool simulates; /* also where the card alone is asked for, if checks are the simulator's */
    struct build build;
    const struct card *cards[CARDS_RUN];    /* that it is run on: `card` first */
    size_t runs;
    struct run yours[CARDS_RUN], reference[CARDS_RUN];
    bool replayed[2 * CARDS_RUN];       /* those are, yours first, or need not be ahead */
    struct otherwise otherwise;
    struct elsewhere elsewhere;
    char *reference_program;
    struct gpu gpu;
};

/* The lesson's starter, to compare with; `path`: that one (NULL: as it is today). */
void grading_starter(struct submission *starter, const struct lesson *lesson, const char *path);
/* A file with none of this lesson's regions and all of another's was handed in for the wrong one:
 * its number, or 0. */
int grading_other_lesson(const struct submission *s, const struct lesson *lesson);

void grading_begin(struct grading *g);
/* Waits for `until` (NULL: all) among the children that run. */
void grading_watch(struct grading *g, const struct child *until);
void grading_end(struct grading *g);

#endif
