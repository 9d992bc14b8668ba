/* SPDX-License-Identifier: MIT */
/*
 * export.h - a class's grades in the formats of others, all made of results.json alone.
 *
 *   OUT/exports/gradebook.csv              for a spreadsheet
 *   OUT/exports/canvas.csv                 for Canvas' gradebook
 *   OUT/exports/moodle/LESSON.csv          for a Moodle assignment's grading worksheet
 *   OUT/exports/grades.json                for programs: grades.schema.json beside it says what is in it
 *   OUT/exports/junit.xml                  for what shows tests
 *   OUT/exports/gradescope/STUDENT.json    what Gradescope's run_autograder hands over
 *   OUT/exports/autolab/STUDENT.txt        the last two lines that Autolab's driver prints
 *   OUT/exports/classroom/STUDENT.txt      what a step of GitHub Classroom's hands to the reporter
 *   OUT/exports/prairielearn/STUDENT.json  what PrairieLearn's external grader hands over
 *
 * None says more than disclosure.h has at the level that results.json names. Same
 * results: same bytes. A format is a row of the table in export.c.
 */
#ifndef GRADER_EXPORT_EXPORT_H
#define GRADER_EXPORT_EXPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Of the whole class, of one of its lessons, or of one student: the other two are NULL, or not looked at. */
struct export_of { const json_t *results, *student; const char *lesson; };

struct export_format {
    const char *name;           /* "canvas" */
    const char *path;           /* under OUT/exports; %s: the student's folder or the lesson's */
    enum { OF_CLASS, OF_LESSON, OF_STUDENT } scope;
    void (*write)(FILE *out, const struct export_of *of);
};

extern const struct export_format export_formats[];
extern const size_t export_format_count;
/* NULL: there is none. */
const struct export_format *export_find(const char *name);

/* All of them; those of a former time that are no longer made go (batch/written.h). What cannot be written is the
 * environment's trouble. */
void export_all(const char *out, const json_t *results);

/* ---- the formats ---- */

void export_gradebook(FILE *out, const struct export_of *of);
void export_canvas(FILE *out, const struct export_of *of);
void export_moodle(FILE *out, const struct export_of *of);
void export_grades(FILE *out, const struct export_of *of);
void export_schema(FILE *out, const struct export_of *of);
void export_junit(FILE *out, const struct export_of *of);
void export_gradescope(FILE *out, const struct export_of *of);
void export_autolab(FILE *out, const struct export_of *of);
void export_classroom(FILE *out, const struct export_of *of);
void export_prairielearn(FILE *out, const struct export_of *of);

#endif
