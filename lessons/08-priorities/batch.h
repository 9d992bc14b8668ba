/* SPDX-License-Identifier: MIT */
/* batch.h - what the judges of part (c) share (batch.c): its launches, and when requests came. */
#ifndef BATCH_H
#define BATCH_H

#include "judges.h"

/* The next launch of grind() in the part, from a span on; ANY for none. */
uint32_t batch_next_grind(const struct view *v, const char *part, uint32_t from);
/* Blocks of grind() that run at once on this card. */
int64_t batch_wave(const struct view *v);
/* The call at which the driver's label opens; k < 0: the label has no number. ANY for none. */
uint32_t batch_mark(const struct view *v, const char *what, int k);
/* The batch's items on this card; when it began, from which requests' arrivals count: ns. */
int64_t batch_items(const struct evidence *e, const struct view *v);
int64_t batch_begin(const struct view *v);
/* When request k came, and how much longer it took than on an idle device: ns. */
int64_t batch_came(const struct evidence *e, const struct view *v, int k);
int64_t batch_late_by(const struct evidence *e, const struct view *v, const struct view *reference,
                      int k);
/* The copy that brings the answer of request k home; the reply() that this copy waits for. ANY for
 * none. */
uint32_t batch_copy_home(const struct evidence *e, size_t view, const char *part, int k);
uint32_t batch_reply_before(const struct view *v, const char *part, uint32_t copy);
/* Does the caller of that call know that `node` is done? */
bool batch_is_known(const struct view *v, uint32_t node, uint32_t call);
/* The result of an element that one launch does; of one that two do. */
uint32_t batch_ground(uint32_t x);
/* Which items the results lack, or have twice, and which launch makes it so: fills in `f`. False:
 * none. */
bool batch_why_items(const struct evidence *e, size_t view, struct finding *f, const char *part);
/* What is to blame is how many items a block gets: the line where that is computed, if there is one
 * that uses an item's time, else the launch's. */
void batch_say_items(struct finding *f);
/* struct lesson.explain: a hazard inside request_came(), which is the driver's, when two threads
 * call it at once. */
void batch_explain(const struct evidence *e, const struct check *c, struct finding *f);
/* The call that held the host longest in that time: of this thread, or ANY. */
uint32_t batch_held_between(const struct view *v, const char *part, uint32_t thread, int64_t from,
                            int64_t to);

#endif
