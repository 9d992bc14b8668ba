/* SPDX-License-Identifier: MIT */
/*
 * escape.h - strangers' text on its way into a file of another format.
 *
 * All of it is harmless first (grader/base/text.h). html.h has the same for pages.
 */
#ifndef GRADER_EXPORT_ESCAPE_H
#define GRADER_EXPORT_ESCAPE_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

/* A cell, in quotes. One that a spreadsheet would take for a formula (it begins with = + - @, or
 * their wide forms, or with a tab or a line's end, whatever blanks stand before) gets an apostrophe
 * in front. */
void csv_text(FILE *out, const char *text);
/* A title that others look for as it is: in quotes, harmless, and with no apostrophe. Never a
 * stranger's. */
void csv_title(FILE *out, const char *text);
/* At most three decimals, and none that say nothing. */
const char *plain_number(char text[64], double value);
void csv_number(FILE *out, double value);

/* Between tags and in quoted attributes; characters that XML 1.0 has no place for become U+FFFD. */
void xml_text(FILE *out, const char *text);

/* `all`, which is freed, as JSON; the caller's, to be given to free(). */
char *json_text(json_t *all, size_t flags);
/* The caller's, to be given to free(). */
char *base64(const void *bytes, size_t count);

#endif
