/* SPDX-License-Identifier: MIT */
/*
 * people.h - whose the files of an intake are. The layouts that are known:
 *
 *   submitted/STUDENT/LESSON/any.cu, STUDENT/LESSON/any.cu      nbgrader
 * (nbgrader/exchange/default/collect.py of 0.8.2) STUDENT/03-events.cu, STUDENT.tar.gz folders,
 * `make submit` Name_123_assignsubmission_file_/...                         Moodle
 *   lastfirst_123_456_03-events.cu, lastfirst_LATE_123_456_...  Canvas
 *   assignment_1_export/submission_4711/...                     Gradescope (gradescope.h)
 *   STUDENT-03-events.cu                                        plain files
 *
 * In folders, one level is the students', the same for all (owner.h): that at which most names are
 * known, if these are more than half. Known is who is on the roster, or has a name that a platform
 * made. If none is, it is the outermost level at which there are two names or more and no two files
 * of one name for the same lesson, else the outermost with two names or more. So a folder round the
 * whole class, or a student's own subfolder, is nobody. A file without a folder is named by itself.
 *
 * A lesson is 03-events, lesson03 or 03 in the file's name, or else in that of a folder; a file
 * whose path names none is of the lesson whose regions it has.
 */
#ifndef GRADER_BATCH_INTAKE_PEOPLE_H
#define GRADER_BATCH_INTAKE_PEOPLE_H

#include "grader/batch/intake/intake.h"
#include "grader/batch/files/roster.h"

/* Gives each file its student, as the roster calls them, and its lesson; what is nobody's or no
 * lesson's, or could be two people's, is left out. Returns how many could be two people's; stderr
 * has names them. */
size_t people_find(struct intake *in, const struct roster *roster);

#endif
