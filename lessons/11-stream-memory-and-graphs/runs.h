/* SPDX-License-Identifier: MIT */
/*
 * runs.h - lesson 11's judges, and what they share.
 *
 * DESIGN
 * No time is judged but that somebody else's kernel still runs. Memory is known by the
 * calls that took it and gave it back, which stand in a stream like any work; a
 * run of the pipeline by the driver's label, inside which calls are counted and the four
 * kernels are put in order.
 */
#ifndef RUNS_H
#define RUNS_H

#include "grader/check.h"
#include "slots.h"

static inline const struct settings *settings_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SETTINGS, NULL);
}

/* ---- memory.c: (a), (b) ---- */

bool judge_frames(const struct evidence *e, struct finding *f, const char *part);
bool judge_by_stream(const struct evidence *e, struct finding *f, const char *part);
bool judge_lifetime(const struct evidence *e, struct finding *f, const char *part);
bool judge_between_frames(const struct evidence *e, struct finding *f, const char *part);
bool judge_next_door(const struct evidence *e, struct finding *f, const char *part);
bool judge_kept(const struct evidence *e, struct finding *f, const char *part);
bool judge_threshold(const struct evidence *e, struct finding *f, const char *part);
bool judge_seen(const struct evidence *e, struct finding *f, const char *part);

bool judge_rounds(const struct evidence *e, struct finding *f, const char *part);
bool judge_filled(const struct evidence *e, struct finding *f, const char *part);
bool judge_queues_only(const struct evidence *e, struct finding *f, const char *part);
bool judge_relayed(const struct evidence *e, struct finding *f, const char *part);

/* ---- graph.c: (c), (d) ---- */

bool judge_runs(const struct evidence *e, struct finding *f, const char *part);
bool judge_run_order(const struct evidence *e, struct finding *f, const char *part);
bool judge_beside(const struct evidence *e, struct finding *f, const char *part);
bool judge_one_call(const struct evidence *e, struct finding *f, const char *part);
bool judge_ready_once(const struct evidence *e, struct finding *f, const char *part);
bool judge_result(const struct evidence *e, struct finding *f, const char *part);

#endif
