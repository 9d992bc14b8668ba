/* SPDX-License-Identifier: MIT */
/*
 * stage.h - a batch's folder on one machine: STAGE/toolchain, STAGE/tmp.
 *
 * It lies in $TMPDIR or /tmp (where root's $TMPDIR is for root alone), so that
 * other users come to it and to nothing else of the workbook's. It goes when the program ends; what a killed one left is
 * removed by the next batch with the same OUT on that machine.
 */
#ifndef GRADER_BATCH_STAGE_H
#define GRADER_BATCH_STAGE_H

/* Makes it, the toolchain in it. The name lives as long as the program. */
const char *stage_make(const char *out);

#endif
