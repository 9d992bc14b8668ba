/* SPDX-License-Identifier: MIT */
/* cuts.h - a text in which kernels are cut at their barriers (simcc/rewrite/cut/cut.h). */
#ifndef SIMCC_CUTS_H
#define SIMCC_CUTS_H

#include "simcc/process/process.h"

bool cuts_are_in(const struct bytes *text);
/* The text with them, or without: one that g++ takes. */
struct bytes cuts_choose(const struct bytes *text, bool with);

#endif
