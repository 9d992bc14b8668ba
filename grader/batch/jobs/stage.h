/* SPDX-License-Identifier: MIT */
/*
 * stage.h - a batch's folder on one machine: STAGE/toolchain, STAGE/tmp, STAGE/device.json
 * (device.h).
 *
 * It lies in $TMPDIR or /tmp (where root's $TMPDIR is for root alone), so that
 * other users come to it and to nothing else of the workbook's. It goes when the program ends; what
 * a killed one left is removed by the next batch with the same OUT on that machine.
 */
#ifndef GRADER_BATCH_JOBS_STAGE_H
#define GRADER_BATCH_JOBS_STAGE_H

#include <stdbool.h>

/* Makes it, the toolchain in it; `card`: with what a GPU needs (sandbox.h). The name lives as long
 * as the program. */
const char *stage_make(const char *out, bool card);

#endif
