/* SPDX-License-Identifier: MIT */
/*
 * times.h - what an instructor says of single students: a CSV file with a line of titles.
 *
 *   id,lesson,handed in,due,excused
 *   1013,03,2026-12-01T21:00:00Z,,
 *   "Smith, Anna",,,2026-12-08,
 *   1014,06,,,yes
 *
 * Who it is may stand under any title of a roster's that names people. No lesson: all of them. "handed in" counts before
 * all else that is known of the file that is there now, "due" before the rubric's, and what is excused is not counted.
 * Dates are as in the rubric. An empty cell says nothing.
 *
 * Or Gradescope's submission_metadata.json (a name that ends in .json): of the one student on the roster, when it was
 * handed in, and when it was due, an extension of the student's own before the assignment's date. (Gradescope's
 * documentation of submission_metadata.json, read in 2026: created_at, assignment.due_date, users[].assignment.due_date.)
 */
#ifndef GRADER_BATCH_FILES_TIMES_H
#define GRADER_BATCH_FILES_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grader/batch/files/roster.h"
#include "grader/check.h"

struct given_time {
    char *student;              /* as the roster calls them, or as the file does */
    const struct lesson *lesson;        /* NULL: all */
    int64_t when, due;          /* 0: not said */
    bool excused;
    bool rostered;
    size_t line;
};

struct times { struct given_time *list; size_t count, capacity; };

/* path NULL: an empty one. False: `trouble` says what is wrong. */
bool times_read(struct times *t, const char *path, const struct roster *r, char *trouble, size_t trouble_size);
void times_fini(struct times *t);
/* All that is said of this student's lesson. */
struct given_time times_find(const struct times *t, const char *student, const struct lesson *lesson);

#endif
