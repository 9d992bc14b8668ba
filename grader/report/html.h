/* SPDX-License-Identifier: MIT */
/*
 * html.h - text that goes into a page.
 *
 * Nothing reaches a page but through html_text: it is made harmless (text.h)
 * and escaped, good between tags and in quoted attributes.
 */
#ifndef GRADER_REPORT_HTML_H
#define GRADER_REPORT_HTML_H

#include <stdio.h>

void html_text(FILE *out, const char *text);

/* A place in a URL: all but letters, digits and -._~/ as %XX. */
void html_path(FILE *out, const char *path);
/* The name of a heading's anchor, as pandoc and code hosts make it: "The calls" is the-calls. */
void html_anchor(FILE *out, const char *heading);

#endif
