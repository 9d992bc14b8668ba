/* SPDX-License-Identifier: MIT */
/*
 * rubric.h - what an instructor decides: points, weights, due dates, lateness, which attempt
 * counts.
 *
 * A JSON file; all of it may be left out, and what nobody knows is an error.
 *
 *   {
 *     "title": "CUDA streams, autumn",
 *     "seed": 4711, "card": "h200",
 *     "feedback": "all" | "failures" | "score",
 *     "regrade": "latest" | "best" | "first",
 *     "late": { "grace": "15m", "per_day": 10, "most": 50, "until": "7d", "times": "known" |
 * "files", "zone": "+01:00" }, "missing": "empty" | "zero" | "excused", "lessons": { "03": {
 * "points": 20, "weight": 2, "due": "2026-12-01T23:59:00Z", "parts": { "a": 5, "c": 10 } }
 *     }
 *   }
 *
 * `card` is a card's name, or a file that ends in .card, from the folder of the rubric on.
 * `points` of a lesson are shared among its parts as its own checks share them, or as `parts` says:
 * then each part not named has none, and a lesson's points are their sum where `points` is missing.
 * A lesson's weight is its share of the student's total. per_day: percent of the points taken off
 * for each day begun after due + grace, at most `most`; after `until` there are no points. Scores
 * are counted in thousandths of a point, halves up.
 *
 * times: which submission times count. "known": those that something has written down
 * (intake.h), and nothing is taken off where none has. "files": those that files carry, too, where
 * they are submission times, and not those of a copy or a download. zone: that of the times in
 * Moodle's worksheet, which names none; without it they are not known. missing: what a gradebook is
 * told of who handed in nothing: an empty cell (no grade yet), zero, or excused. What has no grade
 * is no part of a student's total.
 */
#ifndef GRADER_BATCH_FILES_RUBRIC_H
#define GRADER_BATCH_FILES_RUBRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "grader/check.h"

enum feedback { FEEDBACK_ALL, FEEDBACK_FAILURES, FEEDBACK_SCORE };
enum missing { MISSING_EMPTY, MISSING_ZERO, MISSING_EXCUSED };
enum regrade { REGRADE_LATEST, REGRADE_BEST, REGRADE_FIRST };

struct rubric_lesson {
    const struct lesson *lesson;
    bool wanted;                /* named under "lessons" (all are where none is) */
    int64_t *part;              /* thousandths of a point, by part */
    int64_t points;             /* their sum */
    int64_t weight;             /* thousandths */
    int64_t due;                /* seconds since 1970; 0: never */
};

struct rubric {
    char title[200];
    bool has_seed;
    uint64_t seed;
    char card[4400];            /* "": not said */
    enum feedback feedback;
    enum regrade regrade;
    int64_t grace, until;       /* seconds; until 0: for ever */
    bool file_times;            /* "times": "files" */
    bool has_zone;
    int64_t zone;               /* seconds east of Greenwich */
    enum missing missing;
    int64_t per_day, most;      /* thousandths of all: 10 % are 100 */
    struct rubric_lesson *lessons;      /* by lessons[] */
};

/* path NULL: what holds where nothing is said. False: `trouble` says what is wrong. */
bool rubric_read(struct rubric *r, const char *path, char *trouble, size_t trouble_size);
void rubric_fini(struct rubric *r);

const struct rubric_lesson *rubric_lesson(const struct rubric *r, const struct lesson *lesson);

/* Thousandths of a part's points for `earned` of `most` of its checks' points. */
int64_t rubric_part_score(const struct rubric_lesson *l, size_t part, int earned, int most);
/* Thousandths of the whole that lateness costs: 0 in time, 1000 too late. `when` 0: not known, in
 * time. `marked`: others say that it was late; where the time says nothing of it, that is one day.
 */
int64_t rubric_penalty(const struct rubric *r, const struct rubric_lesson *l, int64_t when,
                       bool marked);

const char *missing_name(enum missing m);
const char *feedback_name(enum feedback f);
const char *regrade_name(enum regrade r);

#endif
