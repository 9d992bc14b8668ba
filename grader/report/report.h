/* SPDX-License-Identifier: MIT */
/*
 * report.h - a verdict, told: on a terminal, and as JSON for programs.
 *
 * Neither holds anything that differs between two runs with the same seed: no
 * time of day, no duration of the host, no temporary name.
 *
 * The JSON object (all keys always there; null where there is nothing):
 *   version, backend ("simulator" | "cuda" | "both"), machine: a sentence on why, pairs: of runs on
 * a real card, card, real_card: its title, seed, file lesson: {number, folder, title} status:
 * "passed" | "wanting" | "not attempted" | "did not build" | "timed out" | "crashed" | "refused"
 *   points, max_points
 *   parts: [{id, title, attempted, reached_end,
 *            makespan_ns, reference_makespan_ns: from the device's first operation in it to its
 * last, of the submission and of the reference solution on the same card; null where there was
 * none, or the part did not end}] checks: [{id, part, kind, name, needs, points, max_points, hint,
 * read, chapter: folder of the lesson whose chapter has it, outcome: "passed" | "failed" |
 * "withheld" | "not attempted", withheld_by: id of the failed check, or null, seen_on:
 * ["simulator", "cuda"]: where it passed, or did not, finding: null or {expected, seen, why, card,
 * file, line, call, source, called_from: the line, or null, where the function was called that
 * makes the call}}] ending: null or {how: "early" | "check" | "timed out" | "flooded" | "damaged" |
 * "crashed", code, part, file, line, call, message, hint, called_from} compiler: text, output: text
 * that the program printed, output_cut: bool refused: null or text (grader/sandbox/sandbox.h)
 */
#ifndef GRADER_REPORT_REPORT_H
#define GRADER_REPORT_REPORT_H

#include "grader/base/terminal.h"
#include "grader/judge/judge.h"
#include "grader/learner/progress.h"

void report_text(const struct terminal *t, const struct verdict *v);
/* What to do next: the last line of a report. */
void report_next(const struct terminal *t, const struct verdict *v);
/* What the program printed, and its timeline; no checks. */
void report_run(const struct terminal *t, const struct verdict *v);

/* The part of the check that a withheld one waits for, where that is another part; else NULL. */
const char *report_other_part(const struct result *r);
/* "the program ended too soon", of a check that is withheld for that. */
void report_too_soon(const struct verdict *v, const struct result *r, char *out, size_t size);
/* How the program ended, or else how that one of its other runs did for which checks are withheld.
 */
const struct termination *report_termination(const struct verdict *v);
/* The first check with that outcome; NULL for none. */
const struct result *report_first_with(const struct verdict *v, enum outcome outcome);
/* What is different from the verdict before; nothing where there was none. */
void report_change(const struct terminal *t, const struct progress_lesson *before,
                   const struct verdict *v);
/* The check that hints are for: the first that failed; NULL where there is something else to say.
 */
const struct check *report_hint_for(const struct verdict *v);
/* The first `count` of the three hints for that check. `chapter`: its text; NULL: not to be had. */
void report_hint(const struct terminal *t, const struct verdict *v, unsigned count,
                 const char *chapter);

/* For each check a line: id, kind, what the simulator says of it, what the real card says ("-": it
 * was not asked), and the name of the card that a finding is of ("-": there is none), with tabs
 * between them; then, where both ran it, for each part "part", its id, and of both how long it took
 * (ns), which engine was busiest and in how many thousandths of that; after all "runs", the pairs
 * of runs, the verdict's status and the sentence on the machine. */
bool report_compare(const char *path, const struct verdict *v);
/* To a file, whole or not at all; "-" is stdout. False: errno says why. */
bool report_json(const char *path, const struct verdict *v);

/* Where a result was seen, of a verdict that knows a real card, or a view that is not the first:
 * "the simulated NVIDIA H200"; "" where it goes without saying. */
void report_where(const struct verdict *v, const struct result *r, char *text, size_t size);
/* The card, or cards, and what they are: "NVIDIA H200 (simulator)". */
void report_cards(const struct verdict *v, char *text, size_t size);

/* The location that a finding blames: its call and, where the line is the learner's own, its text.
 * False when there is none. */
struct location {
    char file[256];
    unsigned line;
    char call[128];
    char source[256];
    unsigned called_from;
};
bool finding_location(const struct verdict *v, const struct finding *f, struct location *p);
/* "work/06-overlap.cu:41 (cudaMemcpyAsync), called from line 60". */
void report_location(const struct location *p, char *text, size_t size);
/* The text of a line of the learner's file, without its indent; "" when `file` is another. */
void source_line(const struct submission *s, const char *file, unsigned line, char *text,
                 size_t size);

/* The line of the learner's file where the part begins; 1 where its marks are gone. */
unsigned report_part_line(const struct verdict *v, const char *part);

/* How an ending is called in the JSON. */
const char *termination_name(enum termination_how how);

#endif
