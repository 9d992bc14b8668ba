/* SPDX-License-Identifier: MIT */
/*
 * times.h - what an instructor says of single students: a CSV file with a line of titles.
 *
 *   id,lesson,handed in,due,excused
 *   1013,03,2026-12-01T21:00:00Z,,
 *   "Smith, Anna",,,2026-12-08,
 *   1014,06,,,yes
 *
 * Who it is may stand under any title of a roster's that names people. No lesson: all of them.
 * "handed in" counts before all else that is known of the file that is there now, "due" before the
 * rubric's, and what is excused is not counted. Dates are as in the rubric. An empty cell says
 * nothing.
 *
 * Or the log of a course or an assignment of Moodle's, as a CSV file with English titles (Time,
 * User full name, Event context, Event name): when each submission was last made. Its times are of
 * the rubric's zone. An assignment is of the lesson that its name names: "Lesson 03", "03-events",
 * or the title.
 *
 * Or Gradescope's submission_metadata.json (a name that ends in .json): of the one student on the
 * roster, when it was handed in, and when it was due, an extension of the student's own before the
 * assignment's date. (Gradescope's documentation of submission_metadata.json, read in 2026:
 * created_at, assignment.due_date, users[].assignment.due_date.) Of a group the latest of its
 * members' extensions counts.
 */
#ifndef GRADER_BATCH_FILES_TIMES_H
#define GRADER_BATCH_FILES_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/batch/files/roster.h"
#include "grader/batch/files/rubric.h"
#include "grader/check.h"

struct given_time {
    char *student;              /* as the roster calls them, or as the file does */
    const struct lesson *lesson;        /* NULL: all */
    int64_t when, due;          /* 0: not said */
    bool excused;
    bool rostered;
    bool of_all;                /* from times_find: the time is of no one lesson */
    size_t line;
};

struct times {
    struct given_time *list;
    size_t count, capacity;
    bool is_log;                /* Moodle's */
    size_t lessons_wanted; /* the caller's: of a log, what is of no lesson is the one's that is
                              graded, if it is one */
    size_t vague;               /* by times_find: how often it was not used for that */
    size_t unread;              /* times of a log that are not used; why: one reason */
    char why[200];
};

/* path NULL: an empty one. False: `trouble` says what is wrong. */
bool times_read(struct times *t, const char *path, const struct roster *r,
                const struct rubric *rubric, char *trouble, size_t trouble_size);
void times_fini(struct times *t);
/* All that is said of this student's lesson. */
struct given_time times_find(struct times *t, const char *student, const struct lesson *lesson);

#endif
