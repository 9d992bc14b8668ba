/* SPDX-License-Identifier: MIT */
/*
 * options.h - what the programs' command lines share, and the files that they
 * write on request. What is wrong with a value is one line and status 2.
 */
#ifndef GRADER_BASE_OPTIONS_H
#define GRADER_BASE_OPTIONS_H

#include <stdio.h>

#include "grader/base/terminal.h"
#include "model/card.h"
#include "trace/draw/draw.h"
#include "trace/record/timeline.h"

int option_width(const char *option, const char *value);
enum color_mode option_color(const char *value);
/* Seconds. */
double option_time_limit(const char *value);
/* NULL: $SIM_PROFILE, or h200. */
const struct card *option_card(const char *name);

FILE *file_create(const char *path);
/* Closes it: all of it was written. */
void file_finish(const char *path, FILE *out);

/* Each writes one file; a `path` of NULL means that nobody asked for it. */
void export_log(const char *path, const struct timeline *t);
void export_trace(const char *path, const struct timeline *t);
void export_svg(const char *path, const struct timeline *t, const struct drawing *d);

#endif
