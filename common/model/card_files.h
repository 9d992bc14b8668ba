/* SPDX-License-Identifier: MIT */
/* card_files.h - the text of cards/NAME.card, built in: made by the Makefile. */
#ifndef MODEL_CARD_FILES_H
#define MODEL_CARD_FILES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct card_file { const char *name; const char *text; size_t length; };
extern const struct card_file card_files[];
extern const size_t card_file_count;

#ifdef __cplusplus
}
#endif
#endif
