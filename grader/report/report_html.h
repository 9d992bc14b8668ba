/* SPDX-License-Identifier: MIT */
/*
 * report_html.h - a verdict as a page: one file that asks for no other.
 *
 * It has all that report.h tells, and of each part the timeline beside that of
 * the reference solution: of that, only what ran when. It needs no script; the
 * same verdict gives the same bytes.
 */
#ifndef GRADER_REPORT_REPORT_HTML_H
#define GRADER_REPORT_REPORT_HTML_H

#include "grader/report/report.h"

/* To a file, whole or not at all; its folder is made. False: errno says why. */
bool report_html(const char *path, const struct verdict *v);

/* The page itself. `root`: how the project's folder is reached from it, with a slash at the end. */
void report_html_write(FILE *out, const struct verdict *v, const char *root);

/* Which of the verdict's views to show a part on: of the card on which its first failure was seen.
 */
size_t report_html_view(const struct verdict *v, const char *part);

#endif
