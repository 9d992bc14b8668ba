/* SPDX-License-Identifier: MIT */
/*
 * gpu.h - the same submission on the GPU of this machine.
 *
 * nvcc builds it while the simulator is at work. Then it runs beside the
 * reference solution, one pair of runs after another, each in a process of its
 * own under the recorder (cupti/recorder.h), nobody else's submission on the
 * card meanwhile (a lock). Checks are judged by order and by shares of what the
 * reference does there. One that fails on the card, and not on the simulator, is looked at in
 * PAIRS_MOST pairs of runs at most: what most of them say counts.
 *
 * What stands in the way (no driver, no room, another profiler) is a sentence
 * and no verdict; where the card was all that was asked for, it is the
 * environment's trouble.
 */
#ifndef GRADER_GPU_H
#define GRADER_GPU_H

#include "grader/build.h"
#include "grader/judge.h"
#include "grader/machine.h"
#include "grader/run.h"
#include "trace/recorded.h"

#define PAIRS_MOST 5

struct grading;

struct gpu {
    char why[400];              /* why nothing was judged there: a sentence; "": it was */
    bool explained;             /* it ran there, and the simulator's verdict says why it did not end */
    unsigned pairs;             /* of runs that were judged */
    struct verdict verdict;     /* of the card alone; views: the card's */
    bool not_built;             /* nvcc does not take it; build.messages */
    /* Owned by gpu.c. */
    struct build build;
    struct child probe;
    struct card card;
    struct exchange exchange;
    struct run yours, reference;
    int lock;
};

/* Folder of what nvcc made; $GPU_FOLDER, or build/gpu. The recorder: $RECORDER, or build/lib/librecorder.so. */
char *gpu_path(const char *name);
char *gpu_recorder(void);

void gpu_init(struct gpu *gpu);
/* Starts nvcc and a look at the card. */
void gpu_start(struct grading *g);
/* Children that run, to be waited for with the others; returns how many, 4 at most. */
size_t gpu_children(struct gpu *gpu, struct child **children);
/* Runs and judges. `simulated`: the simulator's verdict, NULL for none. */
void gpu_judge(struct grading *g, const struct verdict *simulated);
void gpu_end(struct gpu *gpu);

#endif
