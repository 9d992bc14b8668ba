/* SPDX-License-Identifier: MIT */
/* real_card.h - a real device as judges know devices: by its properties. Its times are those of its
 * own timeline. */
#ifndef GRADER_JUDGE_SHARED_REAL_CARD_H
#define GRADER_JUDGE_SHARED_REAL_CARD_H

#include "model/card.h"
#include "trace/record/timeline.h"

#define REAL_CARD "cuda"        /* its name, whatever it is */

/* From what the recorder says of device 0 of the log. What that does not say comes from the
 * built-in card of the same name, or else from h200, the one that is measured most. The title has "
 * (real)" after it. */
void real_card(struct card *card, const struct timeline *log);

#endif
