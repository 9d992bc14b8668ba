/* SPDX-License-Identifier: MIT */
/*
 * run.h - one run of a built program: a submission or the reference solution.
 *
 * The program gets the inputs, a poisoned block for its outputs and a pipe for
 * its log of calls; the simulator (in a sandbox the recorder, too) authenticates the log with a key
 * of this run's. It is read as it comes. Nothing that it prints means anything. run_start,
 * child_wait (child.h), run_finish; then the log and the outputs can be looked at until run_fini.
 */
#ifndef GRADER_RUN_RUN_H
#define GRADER_RUN_RUN_H

#include <limits.h>

#include "grader/run/handover.h"
#include "grader/sandbox/child.h"
#include "grader/sandbox/sandbox.h"
#include "trace/record/authenticated_log.h"
#include "trace/record/log.h"

#define RUN_CALLS_MAX 200000    /* a program that makes more is stopped */
#define RUN_BLOCKS_MAX (1 << 26)    /* of all kernels together; likewise */
#define RUN_UNENDED_CALLS 2000u
#define RUN_OUTPUT_CAP 65536u

/* Of a log's first `calls` calls. */
struct block_count { size_t calls; uint64_t blocks; };

struct run {
    struct child child;
    struct timeline log;
    struct log_reader reader;
    struct block_count counted;
    struct authlog_reader verifier;
    char key[sizeof "WORKBOOK_KEY=" + AUTHLOG_KEY_TEXT];   /* "": the log is not authenticated */
    const char *program;
    const struct sandbox *sandbox;
    bool on_card, has_tail;     /* child.h */
    char card[sizeof "SIM_PROFILE=" + PATH_MAX], hazards[32];
    int output;                 /* descriptor of its block */
};

/* `program` must outlive the run; in a sandbox (NULL: none) it is a path there. `hazards`:
 * SIM_HAZARDS. `other`: one more variable, "NAME=value" (NULL: none). `poison`: the seed of what
 * fills the outputs before; NULL: zeros, for outputs that nobody looks at. False: it could not be
 * started; errno says why. */
bool run_start(struct run *r, const char *program, const char *card, const char *hazards,
               const char *other, struct exchange *x, const uint64_t *poison, int64_t time_limit_ms,
               const char *folder, const struct sandbox *sandbox);
/* The same on the machine's GPU, under the recorder, which finds CUPTI there ("": by itself);
 * `program` is one of nvcc's. In a sandbox recorder and CUPTI are those that are in it, and the log
 * is authenticated. */
bool run_start_on_card(struct run *r, const char *program, const char *recorder, const char *cupti,
                       struct exchange *x, uint64_t seed, int64_t time_limit_ms, const char *folder,
                       const struct sandbox *sandbox);
/* Have the kernels of a log more blocks than they may have? Counts those of the calls that have
 * come since it was asked last. */
bool run_has_too_many_blocks(const struct timeline *log, struct block_count *count);
/* Is the log as those of lessons are, so that a replay keeps nobody waiting? */
bool run_is_short(const struct run *r);
/* What a program of nvcc's needs to know of the machine; `variables` ends with NULL. */
#define GPU_VARIABLES 8
void run_card_environment(const char *variables[GPU_VARIABLES + 1],
                          char text[GPU_VARIABLES][PATH_MAX + 32]);
/* Once it is gone. A sandbox that could not be built is nobody's crash: the environment's trouble.
 */
void run_need_sandbox(const struct run *r);
/* Then its outputs go to `x` as those of run number `number`. */
void run_finish(struct run *r, struct exchange *x, size_t number);
/* Of a part that did not end, and is not judged, the beginning is enough: a loop may have made far
 * more calls than anybody could look at. */
void run_cut_unended(struct timeline *log);
void run_fini(struct run *r);

#endif
