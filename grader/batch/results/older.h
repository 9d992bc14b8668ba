/* SPDX-License-Identifier: MIT */
/* older.h - results.json as earlier versions of the workbook wrote it. */
#ifndef GRADER_BATCH_RESULTS_OLDER_H
#define GRADER_BATCH_RESULTS_OLDER_H

#include <jansson.h>

/* Adds the fields that exports need and that earlier versions did not write, as those versions
 * would have meant them. What is there stays as it is. */
void older_complete(json_t *results);

#endif
