/* SPDX-License-Identifier: MIT */
/* compile.h - from a source to an object: g++ -E, rewrite.h, g++ once for each build that is
 * wanted. */
#ifndef SIMCC_COMPILE_H
#define SIMCC_COMPILE_H

#include "simcc/options.h"

struct spaces;

/* Columns and carets would show the rewritten line. */
#define PLAIN_MESSAGES "-fno-diagnostics-show-caret", "-fno-show-column"

/* Adds g++, the options of `job` and those with which it preprocesses CUDA C++. */
void preprocess_options(struct words *command, const struct job *job);
/* Adds g++, the options of `job` and those with which it compiles rewritten text, in one of the two
 * builds. */
void compile_options(struct words *command, const struct job *job, bool instrumented);
/* What the rewriter makes of this text, and what it has learnt from precompiled headers ("": there
 * are none). False: it refuses the program, and has said why. `spaces`: as in rewrite.h. */
bool rewrite_text(const struct job *job, const struct bytes *text, const char *calls,
                  struct bytes *out, struct spaces **spaces);

/* Makes `object`, which is to be called `name`. False: the source has errors, and g++ has said
 * which. With -E the text goes to stdout, with -M what the source depends on. */
bool compile(const struct job *job, const char *source, const char *name, const char *object);

#endif
