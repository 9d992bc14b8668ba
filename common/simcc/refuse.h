/* SPDX-License-Identifier: MIT */
/* refuse.h - what g++ does not find because simcc does not have it: one sentence in place of g++'s
 * pages. */
#ifndef SIMCC_REFUSE_H
#define SIMCC_REFUSE_H

#include "simcc/process.h"

/* Prints FILE:LINE: error: simcc has no … once for each thing that these messages miss and simcc is
 * known not to have. False: they miss no such thing, and nothing was printed. */
bool refuse_missing(const struct bytes *messages);

/* The same of what a linker says of names that nothing defines. */
bool refuse_undefined(const struct bytes *messages);

#endif
