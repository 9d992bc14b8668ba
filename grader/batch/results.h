/* SPDX-License-Identifier: MIT */
/*
 * results.h - what came of a class: one JSON file, OUT/results.json, from which all else is made.
 *
 * It holds nothing that differs between two batches of the same files with the
 * same rubric and seed: no time of day, no duration, no path of this machine.
 * It is the instructor's: the verdicts name the seed and what was expected.
 *
 *   workbook, backend, card, seed, title
 *   feedback: "all" | "failures" | "score", regrade: "latest" | "best" | "first"
 *   counts: {status: how many}
 *   lessons: [{lesson, number, title, max, weight, due: seconds since 1970 or null, parts: [{id, title, max}]}]
 *   students: [{id, name, email, section (null: not known), rostered: bool,
 *     total: percent of all wanted lessons, by weight,
 *     lessons: [{lesson, status, reason, score, max, late_percent, handed_in, attempt, attempts, current,
 *                parts: [{id, points, max}], verdict}]}]
 *   strays: [{path, why}]: files of nobody or of no lesson
 *
 * status: as in task.h, or "not run" (reason: why; the next batch tries again). A lesson of which nothing was handed
 * in is "not attempted". attempt: which one counts, 0 for none; `current` false: it is not of the file that lies
 * there now, because that one could not be graded or the rule says so. Scores are points, at most three decimals.
 */
#ifndef GRADER_BATCH_RESULTS_H
#define GRADER_BATCH_RESULTS_H

#include "grader/batch/intake.h"
#include "grader/batch/plan.h"
#include "grader/batch/roster.h"
#include "grader/batch/rubric.h"

struct class { const struct plan *plan; const struct rubric *rubric; const struct roster *roster; const struct intake *intake;
               const bool *wanted;      /* by lessons[] */ };

/* The object, the caller's. */
json_t *results_make(const struct class *c);

#endif
