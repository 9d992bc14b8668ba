/* SPDX-License-Identifier: MIT */
/*
 * space.h - calls between host and device that nvcc refuses: host functions in
 * device code, device functions in host code, kernels without <<< >>>; and arrays of variable
 * length in device code.
 *
 * Only g++ knows which function a call means: overloads, templates, operators, conversions. So
 * each function of the program that is one side's gets an attribute, deprecated("simcc:host"), and
 * g++ warns at each use of it. spaces_refuse() takes these warnings out again. The text tells
 * which side's code the line is that they name, and which functions a GPU would have at all.
 */
#ifndef SIMCC_REWRITE_SPACE_SPACE_H
#define SIMCC_REWRITE_SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>

struct spaces;

/* Of g++'s warnings, what the user wants to see: any; those of arrays of variable length. */
struct spaces_shown { bool warnings, arrays; };

/* What g++ said of a text with such marks, `count` bytes. Sets *refused (malloc) to what nvcc
 * refuses, FILE:LINE: error: SENTENCE, one a line; NULL: nothing. Returns the rest (malloc), and
 * its length in *left. */
char *spaces_refuse(struct spaces *s, const char *messages, size_t count,
                    struct spaces_shown shown, size_t *left, char **refused);

void spaces_free(struct spaces *s);

/* What g++ said, without a terminal's colours (malloc); lines stay lines. */
char *messages_plain(const char *messages, size_t count);

#endif
