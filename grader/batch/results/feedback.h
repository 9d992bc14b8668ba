/* SPDX-License-Identifier: MIT */
/* feedback.h - OUT/feedback/STUDENT/LESSON.txt, out of results.json: what disclosure.h lets a
 * student know. Files of students and lessons that are gone are removed (manifest.h). */
#ifndef GRADER_BATCH_RESULTS_FEEDBACK_H
#define GRADER_BATCH_RESULTS_FEEDBACK_H

#include <jansson.h>

void feedback_write(const char *out, const json_t *results);

#endif
