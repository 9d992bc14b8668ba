/* SPDX-License-Identifier: MIT */
/*
 * joins.h - threads that a program has begun, and that nothing waits for.
 */
#ifndef GRADER_JUDGE_SHARED_JOINS_H
#define GRADER_JUDGE_SHARED_JOINS_H

#include "grader/check.h"

bool thread_is_joined(const struct timeline *t, uint32_t thread);
/* Where the program begins the thread that nothing waits for, of those that `message` names; the
 * log's end: there is none. */
size_t thread_unjoined(const struct timeline *t, const char *message);
/* Where such a thread is why the check failed, says so in f->why: it has work left when the part is
 * over, or it has waited for the device and nobody knows. */
bool why_left_thread(const struct evidence *e, const struct check *c, struct finding *f);

#endif
