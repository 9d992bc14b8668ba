/* SPDX-License-Identifier: MIT */
/* refuse.h - what g++ does not find because simcc does not have it: one sentence in place of g++'s
 * pages. */
#ifndef SIMCC_REFUSE_H
#define SIMCC_REFUSE_H

#include "simcc/process/process.h"
#include "simcc/rewrite/space/space.h"

/* Prints FILE:LINE: error: simcc has no … once for each thing that these messages miss and simcc is
 * known not to have. False: they miss no such thing, and nothing was printed. */
bool refuse_missing(const struct bytes *messages);

/* The same of what a linker says of names that nothing defines. */
bool refuse_undefined(const struct bytes *messages);

/* Prints what the rewriter refuses, FILE:LINE: error: SENTENCE, one a line; of a missing ; also
 * where it belongs. */
void refuse_print(char *refused);

/* Do the host's text and the device's have __device__ and __host__ as often? Else a function may be
 * the host's in one and the device's in the other, which is right. */
bool refuse_same_words(const struct bytes *host, const struct bytes *device);
/* Adds the warnings that refuse_calls() reads, and takes -w out, which hides them. */
void refuse_options(struct words *command);
/* Calls between host and device that nvcc refuses (space.h), and prints them; takes what g++ says
 * of marks out of its messages. `options`: the user's. False: there are none. */
bool refuse_calls(const struct words *options, struct spaces *spaces, struct bytes *messages);

#endif
