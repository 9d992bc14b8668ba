/* SPDX-License-Identifier: MIT */
/* cuts.h - a text in which kernels are cut at their barriers (simcc/rewrite/cut/cut.h). */
#ifndef SIMCC_CUTS_H
#define SIMCC_CUTS_H

#include "simcc/options.h"
#include "simcc/process/process.h"

bool cuts_are_in(const struct bytes *text);
/* The text for g++, with its cuts or without. */
struct bytes cuts_choose(const struct bytes *text, bool with);

/* Options that make g++ count lines or report columns at run time: for these the kernel's own text
 * has to be compiled. */
bool cuts_move_places(const struct words *options);
/* May g++ make one of a product and a sum that a cut keeps apart, or otherwise round differently,
 * so that the result is another? */
bool cuts_round_anew(const struct job *job, const struct bytes *text);

#endif
