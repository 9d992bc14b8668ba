/* SPDX-License-Identifier: MIT */
/*
 * card_slowed.h - a card on which everything that the device does takes that many times as long.
 *
 * What is right only because the device was done soon enough is wrong there. What the host does takes as long as before.
 */
#ifndef MODEL_HOSTED_CARD_SLOWED_H
#define MODEL_HOSTED_CARD_SLOWED_H

#include "model/card.h"

#ifdef __cplusplus
extern "C" {
#endif

struct card card_slowed(const struct card *card, unsigned times);

#ifdef __cplusplus
}
#endif
#endif
