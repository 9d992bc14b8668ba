/* SPDX-License-Identifier: MIT */
/*
 * card_varied.h - cards that a program might have been run on instead, to see what it owes to luck.
 *
 * What is right only because the device was done soon enough is wrong on a slower one, and what is
 * right only because one queue holds the work of all streams is wrong where there are more.
 */
#ifndef MODEL_HOSTED_CARD_VARIED_H
#define MODEL_HOSTED_CARD_VARIED_H

#include "model/card.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that the device does takes that many times as long. What the host does takes as long
 * as before. */
struct card card_slowed(const struct card *card, unsigned times);

/* Is there one hardware queue for all streams? */
bool card_is_narrow(const struct card *card);
/* With as many queues as there can be, in which nothing waits for what its own stream does not wait
 * for. */
struct card card_widened(const struct card *card);

#ifdef __cplusplus
}
#endif
#endif
