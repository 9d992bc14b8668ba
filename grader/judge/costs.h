/* SPDX-License-Identifier: MIT */
/* costs.h - do the lesson's kernels cost what they cost in the reference solution? Before any share
 * of overlap is compared. */
#ifndef GRADER_JUDGE_COSTS_H
#define GRADER_JUDGE_COSTS_H

#include "grader/check.h"

/* In the part, on each card. `divided`: the lesson's kernels whose launches choose how much work a
 * block has (struct lesson). Fills f if not, and blames the launch. */
bool costs_as_reference(const struct evidence *e, const char *divided, struct finding *f,
                        const char *part);

#endif
