/* SPDX-License-Identifier: MIT */
/* buffers.h - the judges of part (c) (grader/check.h): buffers of a pool that queued copies still read. */
#ifndef BUFFERS_H
#define BUFFERS_H

#include "grader/check.h"

/* Is a buffer packed, or given back, while a queued copy may still read it? */
bool judge_refill(const struct evidence *e, struct finding *f, const char *part);
bool judge_give_back(const struct evidence *e, struct finding *f, const char *part);
/* Do copies to the slot and kernels take turns? */
bool judge_turns(const struct evidence *e, struct finding *f, const char *part);
bool judge_total(const struct evidence *e, struct finding *f, const char *part);
/* Does the part end while the neighbour's kernel runs? */
bool judge_neighbour(const struct evidence *e, struct finding *f, const char *part);
/* Is every buffer back in the pool? */
bool judge_pool(const struct evidence *e, struct finding *f, const char *part);

#endif
