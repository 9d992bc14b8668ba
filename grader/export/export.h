/* SPDX-License-Identifier: MIT */
/*
 * export.h - a class's grades in the formats of others, all made of results.json alone.
 *
 * None says more than disclosure.h has at the level that results.json names. Same
 * results: same bytes. A format is a row of EXPORT_FORMATS, and a function in a file of its own.
 */
#ifndef GRADER_EXPORT_EXPORT_H
#define GRADER_EXPORT_EXPORT_H

#include <jansson.h>
#include <stdio.h>

/* Of the whole class, of one of its lessons, or of one student: the other two are NULL, or not
 * looked at. */
struct export_of { const json_t *results, *student; const char *lesson; };

struct export_format {
    const char *name;           /* "canvas" */
    const char *path;           /* under OUT/exports; %s: the student's folder or the lesson's */
    enum { OF_CLASS, OF_LESSON, OF_STUDENT } scope;
    const char *use;            /* "for Canvas' gradebook": `exports --help` says so */
    void (*write)(FILE *out, const struct export_of *of);
};

extern const struct export_format export_formats[];
extern const size_t export_format_count;
/* NULL: there is none. */
const struct export_format *export_find(const char *name);

/* All of them; exports of an earlier run that are no longer made are removed
 * (grader/batch/files/manifest.h). What cannot be written is the environment's trouble. */
void export_all(const char *out, const json_t *results);

/* ---- the formats ---- */

/* FORMAT(name, path, scope, use): export_NAME() writes it. */
#define EXPORT_FORMATS(FORMAT) \
    FORMAT(gradebook, "gradebook.csv", OF_CLASS, "for a spreadsheet") \
    FORMAT(canvas, "canvas.csv", OF_CLASS, "for Canvas' gradebook") \
    FORMAT(moodle, "moodle/%s.csv", OF_LESSON, "for a Moodle grading worksheet") \
    FORMAT(grades, "grades.json", OF_CLASS, "for programs") \
    FORMAT(schema, "grades.schema.json", OF_CLASS, "what is in grades.json") \
    FORMAT(junit, "junit.xml", OF_CLASS, "for what shows tests") \
    FORMAT(gradescope, "gradescope/%s.json", OF_STUDENT, "of Gradescope's run_autograder") \
    FORMAT(autolab, "autolab/%s.txt", OF_STUDENT, "the last two lines of Autolab's driver") \
    FORMAT(classroom, "classroom/%s.txt", OF_STUDENT, "of a step of GitHub Classroom's") \
    FORMAT(prairielearn, "prairielearn/%s.json", OF_STUDENT, "of PrairieLearn's external grader")

#define EXPORT_WRITER(name, path, scope, use) void export_##name(FILE *out, const struct export_of *of);
EXPORT_FORMATS(EXPORT_WRITER)

#endif
