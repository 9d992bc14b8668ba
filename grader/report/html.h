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

/* How each page begins, up to and with <body>: it asks for no other file, and runs the one script
 * whose hash its policy names ("sha256-…"; NULL: none). */
void html_begin(FILE *out, const char *title, const char *style, const char *script);
void html_end(FILE *out);

void html_text(FILE *out, const char *text);
/* The same for a formatted one. */
void html_format(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A place in a URL: all but letters, digits and -._~/ as %XX. */
void html_path(FILE *out, const char *path);
/* The name of a heading's anchor, as pandoc and code hosts make it: "The calls" is the-calls. */
void html_anchor(FILE *out, const char *heading);

#endif
