/* SPDX-License-Identifier: MIT */
/* csv.h - comma-separated values, RFC 4180, with any of , ; and tab between. A text is taken apart
 * in place. */
#ifndef GRADER_BATCH_FILES_CSV_H
#define GRADER_BATCH_FILES_CSV_H

#include <stddef.h>

#define CSV_COLUMNS 1000        /* Canvas has one for each assignment */

/* The sign between the fields of the first line. */
char csv_separator(const char *text);
/* One record into fields, from *at on; returns how many. */
size_t csv_record(char **at, char separator, char *field[CSV_COLUMNS]);
/* Without the white space at both ends. */
char *csv_trimmed(char *s);

#endif
