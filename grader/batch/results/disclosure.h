/* SPDX-License-Identifier: MIT */
/*
 * disclosure.h - what may be told of a grade, at three levels.
 *
 * "all": every check; "failures": those that did not pass; "score": points alone.
 * At no level the inputs of the grading, their seed, what was expected or what
 * came out: whatever the program printed, and whatever it could have put into
 * the name of a kernel, a label or an address, stays with the instructor. Told
 * are the lesson's own words, what the compiler said, and lines of the student's
 * file. Whatever leaves the folder of results takes its words from here.
 *
 * Texts are the caller's, to be given to free(): harmless (text.h), lines that
 * end with a newline, "" for nothing. `entry` is a lesson of a student's in
 * results.json (grader/batch/results/results.h).
 */
#ifndef GRADER_BATCH_RESULTS_DISCLOSURE_H
#define GRADER_BATCH_RESULTS_DISCLOSURE_H

#include <jansson.h>
#include <stdbool.h>

enum disclosure { DISCLOSURE_ALL, DISCLOSURE_FAILURES, DISCLOSURE_SCORE };

/* As results.json says; what it says of nothing is told least of. */
enum disclosure disclosure_level(const json_t *results);
const char *disclosure_level_name(enum disclosure level);

/* The whole: a title, status and points, parts, how it ended, checks. */
char *disclosure_lesson(const json_t *entry, enum disclosure level);
/* The same without title and points. */
char *disclosure_rest(const json_t *entry, enum disclosure level);
/* How it ended, or why it was not run; nothing where it ran to its end. */
char *disclosure_end(const json_t *entry, enum disclosure level);
/* The checks of a part that are told. */
char *disclosure_part(const json_t *entry, const char *part, enum disclosure level);
/* Is this check named, and if it is, what is said under its name? */
bool disclosure_check(const json_t *entry, const json_t *check, enum disclosure level);
char *disclosure_advice(const json_t *check);

#endif
