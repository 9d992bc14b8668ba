/* SPDX-License-Identifier: MIT */
/*
 * feedback.h - what a student may know: OUT/feedback/STUDENT/LESSON.txt, out of results.json.
 *
 * "all": every check; "failures": those that did not pass; "score": points alone.
 * At no level the inputs of the grading, their seed, what was expected or what
 * came out: whatever the program printed, and whatever it could have put into
 * the name of a kernel, a label or an address, stays with the instructor. Told
 * are the lesson's own words, what the compiler said, and lines of the student's
 * file.
 */
#ifndef GRADER_BATCH_FEEDBACK_H
#define GRADER_BATCH_FEEDBACK_H

#include <jansson.h>

void feedback_write(const char *out, const json_t *results);

#endif
