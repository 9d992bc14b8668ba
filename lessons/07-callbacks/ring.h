/* SPDX-License-Identifier: MIT */
/* ring.h - the judges of part (b) (grader/check.h): a ring of staging slots. */
#ifndef RING_H
#define RING_H

#include "grader/check.h"

/* Do copies to the inbox and kernels take turns? */
bool judge_ring_turns(const struct evidence *e, struct finding *f, const char *part);
/* Is no slot filled while a copy may still read it? */
bool judge_ring_overrun(const struct evidence *e, struct finding *f, const char *part);
/* Who fills the slots: does he sleep until a function wakes him? */
bool judge_ring_woken(const struct evidence *e, struct finding *f, const char *part);
/* Does the host fill slots while the device works? */
bool judge_ring_beside(const struct evidence *e, struct finding *f, const char *part);
bool judge_ring_total(const struct evidence *e, struct finding *f, const char *part);

#endif
