/* SPDX-License-Identifier: MIT */
/*
 * space.h - calls that nvcc refuses because of whose the function is: one of the host in code of
 * the device, one of the device in code of the host, a kernel without its <<< >>>; and arrays of
 * variable length in code of the device.
 *
 * Which function a call means, g++ alone knows: overloads, templates, operators, conversions. So
 * each function of the program that is one side's gets an attribute, deprecated("simcc:host"), and
 * g++ warns at each use of it. spaces_refuse() takes these warnings out again. Whose code the line
 * is that they name, and which functions a GPU would have at all, is read from the text.
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

#endif
