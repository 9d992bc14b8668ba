/* SPDX-License-Identifier: MIT */
/*
 * work.h - the learner's own folder: work/.
 *
 *   work/06-overlap.cu           the copy that is edited; made once, never written again but on
 * request work/13-pytorch-streams.py   likewise; made by the lesson's judge in Python
 * (torch/grade.py) work/.base/06-overlap.cu     the starter as it was when the copy was made (.py,
 * too), and work/.base/06-overlap.h      the contract: how a lesson that changed meanwhile is
 * known, and merged work/kept/06-overlap.1.cu    what reset and merge put aside
 *
 * What cannot be read or written is the environment's trouble (one line, status 2).
 */
#ifndef GRADER_LEARNER_WORK_H
#define GRADER_LEARNER_WORK_H

#include <stdbool.h>

#include "grader/check.h"

/* The learner's copy, as a reader wants to see it; the caller frees it. */
char *work_path(const struct lesson *lesson);

/* The starter that the copy was made from, as far as that is known: what is in it is no attempt.
 * The caller frees it. */
char *work_starter(const struct lesson *lesson);

/* Makes the copy if there is none. */
void work_begin(const struct lesson *lesson);

/* Has the starter or the contract changed since the copy was made? */
bool work_changed(const struct lesson *lesson);
/* One line on stderr if it has. */
void work_tell_change(const struct lesson *lesson);

/* Puts the copies aside and the starters in their place. */
void work_reset(const struct lesson *lesson);
/* Brings what changed in the starter into the copy, region by region (merge.h); the copy of before
 * is put aside. False when both changed the same lines: then both stand in it, marked. */
bool work_merge(const struct lesson *lesson);

#endif
