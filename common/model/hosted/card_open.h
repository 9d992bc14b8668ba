/* SPDX-License-Identifier: MIT */
/*
 * card_open.h - the card that a user named: one of those that are built in, or a file.
 *
 * What has a slash in it or ends in ".card" is a file: SIM_PROFILE=./mine.card. The only
 * part of the model's room that needs an operating system.
 */
#ifndef MODEL_HOSTED_CARD_OPEN_H
#define MODEL_HOSTED_CARD_OPEN_H

#include "model/card.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL or "": h200. The card lives as long as the process; the latest file opened alone does. NULL
 * when there is none: `trouble` (room for CARD_TROUBLE) then has one line with no newline:
 * "FILE:LINE: what is wrong", "FILE: why it cannot be read", or the names that there are. */
const struct card *card_open(const char *request, char *trouble);
enum { CARD_TROUBLE = 4608 };

/* What names the card to another process in another folder: its name, or its file's whole path. */
const char *card_request(const struct card *card);

#ifdef __cplusplus
}
#endif
#endif
