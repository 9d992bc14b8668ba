/* SPDX-License-Identifier: MIT */
/* inputs.h - which files simcc was given, and whether it can work with them. */
#ifndef SIMCC_INPUTS_H
#define SIMCC_INPUTS_H

#include "simcc/options.h"

bool ends_with(const char *word, const char *suffix);
bool is_cxx(const char *path);
/* C, which is compiled as it is: a launch is C++. */
bool is_c(const struct job *job, const char *path);
/* Is it to be compiled? */
bool is_source(const struct job *job, const char *word);
/* Ends simcc with status 2 when it can not. */
void check_inputs(const struct job *job);
/* Is the word in the file? False as well where it cannot be read. */
bool file_says(const char *path, const char *word);
/* Says that a macro of cuda_runtime.h is defined in the source, after the header was read. */
void warn_of_late_macro(const struct job *job, const char *source);

#endif
