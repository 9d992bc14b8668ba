/* SPDX-License-Identifier: MIT */
/*
 * results.h - what came of a class: one JSON file, OUT/results.json, from which all else is made.
 *
 * It holds nothing that differs between two batches of the same files with the
 * same rubric and seed: no time of day, no duration, no path of this machine. (What a GPU measured,
 * where one was asked, differs.) It is the instructor's: the verdicts name the seed and what was
 * expected.
 *
 *   workbook, backend: "simulator" | "cuda" | "both", card: the simulated one, seed, title
 *   feedback: "all" | "failures" | "score", regrade: "latest" | "best" | "first"
 *   counts: {status: how many}
 *   lessons: [{lesson, number, title, max, weight, due: seconds since 1970 or null, parts: [{id,
 * title, max}]}] columns: titles of the roster that end in a number in brackets, as Canvas names
 * the assignments that it has students: [{id, name, email, section (null: not known), rostered:
 * bool, ids: {title of the roster: value}, sheet_graded: when Moodle's worksheet says that its
 * grade was last changed, or null, total: percent of the lessons that have points, by weight; null
 * where none has, share: the mean of its lessons', null where none has one, lessons: [{lesson,
 * status, grade, reason, score, max, late_percent, handed_in, time_from, time_counts, due,
 * encoding, attempt, attempts, key, current, share, parts: [{id, points, max, share}], verdict}]}]
 *   missing: "empty" | "zero" | "excused": what a gradebook is told of who handed in nothing
 *   intake: {met, shared, graded, left_out, companions}: files that came in, and further people
 * whose they are; the first two are the sum of the others earlier: ids of students of earlier
 * batches who handed in nothing now and are on no roster notes: sentences: what came and is not
 * used, such as times in a form that is not known encodings: [{encoding, names, example}]: names
 * that were no UTF-8, and what they were taken for strays: [{path, why, student (null: nobody's),
 * lesson (null: none's)}]: what is not graded
 *
 * grade: what a gradebook is told: "points", "none" (an empty cell) or "excused". Where nothing was
 * handed in it is as `missing` says, but "none" as long as files for the lesson came in whose
 * people are not on the roster: one may be this student's. status: as in task.h, or "not run"
 * (reason: why; the next batch tries again), or "excused". A lesson of which nothing was handed in,
 * or nothing that could be taken, is "not attempted", and its reason says which. time_from: who
 * says when it was handed in (intake.h); encoding: what it was taken for, where it was not UTF-8.
 * due: this student's own, or null. attempt: which one counts, 0 for none; `current` false: it is
 * not of the file that lies there now, because that one could not be graded or the rule says so.
 * key: the attempt's (ledger.h), null for none. Scores are points, at most three decimals.
 *
 * share: how much of the reference's pace was reached. Of a part: the reference's makespan over the
 * submission's on the same simulated card (report.h), in thousandths rounded down, where every
 * check of the part passed; 0 where not; null where the reference leaves the device idle, or
 * nothing was run. More than 1 is possible. Of a lesson: the mean of its parts'. A lesson of which
 * nothing was run counts 0 in a student's mean once another one has a share.
 */
#ifndef GRADER_BATCH_RESULTS_RESULTS_H
#define GRADER_BATCH_RESULTS_RESULTS_H

#include "grader/batch/intake/intake.h"
#include "grader/batch/files/roster.h"
#include "grader/batch/files/rubric.h"
#include "grader/batch/files/times.h"
#include "grader/batch/jobs/plan.h"

struct class {
    const struct plan *plan;
    const struct rubric *rubric;
    const struct roster *roster;
    const struct intake *intake;
    struct times *times;
    const bool *wanted;      /* by lessons[] */
};

/* The object, the caller's. */
json_t *results_make(const struct class *c);

#endif
