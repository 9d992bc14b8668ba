/* SPDX-License-Identifier: MIT */
/*
 * gpu.h - the same submission on the GPU of this machine.
 *
 * nvcc builds it while the simulator is at work. Then it runs beside the
 * reference solution, one pair of runs after another, each in a process of its
 * own under the recorder (cupti/recorder.h), nobody else's submission on the
 * card meanwhile (a lock). Checks are judged by order and by shares of what the
 * reference does there. One that fails on the card, and not on the simulator, is looked at in
 * PAIRS_MOST pairs of runs at most: what most of them say counts (tally.h).
 *
 * What stands in the way (no driver, no room, another profiler) is a sentence
 * and no verdict; where the card was all that was asked for, it is the
 * environment's trouble, and in a class (grading.h: insists) what is the machine's always is.
 *
 * A stranger's program is built and run in the sandbox (sandbox.h), the reference solution outside
 * of it. While it has the card nobody looks after that: whoever takes the card next asks it first
 * whether it is well (probe.h). The record comes from the submission's own process, and can be
 * forged there; a check passes where it passes on both, so that a forged record earns nothing that
 * the simulator did not give.
 */
#ifndef GRADER_GRADE_GPU_H
#define GRADER_GRADE_GPU_H

#include "grader/judge/judge.h"
#include "grader/run/build.h"
#include "grader/run/probe.h"
#include "grader/run/run.h"

#define PAIRS_MOST 5
#define GPU_WHY 400

struct grading;

struct gpu {
    char why[GPU_WHY];          /* why nothing was judged there: a sentence; "": it was */
    bool trouble;               /* and that is the machine's affair: another time it may be */
    bool explained; /* it ran there, and the simulator's verdict says why it did not end */
    unsigned pairs;             /* of runs that were judged */
    struct verdict verdict;     /* of the card alone; views: the card's */
    bool not_built;             /* nvcc does not take it; build.messages */
    /* Owned by gpu.c. */
    struct build build;
    struct probe probe;
    struct card card;
    struct exchange exchange;
    struct run yours, reference;
    int lock;
};

/* Is all there that the lesson needs on a card? */
bool gpu_is_made(const struct lesson *lesson, char why[GPU_WHY]);

void gpu_init(struct gpu *gpu);
/* Starts nvcc and a look at the card. */
void gpu_start(struct grading *g);
/* Children that run, to be waited for with the others; returns how many, 4 at most. */
size_t gpu_children(struct gpu *gpu, struct child **children);
/* Runs and judges. `simulated`: the simulator's verdict, NULL for none. */
void gpu_judge(struct grading *g, const struct verdict *simulated);
void gpu_end(struct gpu *gpu);
/* Drops the card's verdict where the program does not end there and fails on the simulator: a
 * mistake that this calls by its name may be a crash there, which says less. */
void gpu_explain_crash(struct gpu *gpu, const struct verdict *simulated);

#endif
