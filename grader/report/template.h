/* SPDX-License-Identifier: MIT */
/*
 * template.h - pages from templates: the HTML lies in an embedded file, C says what is in its
 * places.
 *
 *   {{name}}              the text or number of that name, through html_text
 *   {{{name}}}            what was made for the page, as it is: a drawing, never a stranger's text
 *   {{#name}}...{{/name}} once for each of a list, once for a text or a number; not for an empty
 *                         list, "", 0, false, or where there is no such name
 *   {{^name}}...{{/name}} where {{#name}} shows nothing
 *   {{>name}}             a template: the text of that name, filled as this one
 *
 * It is Mustache. A name is looked for in what the innermost section shows, then outwards. A line
 * that has nothing but a section's mark is not in the page.
 */
#ifndef GRADER_REPORT_TEMPLATE_H
#define GRADER_REPORT_TEMPLATE_H

#include <jansson.h>
#include <stdio.h>

/* `view`: an object, what is known by name. */
void template_write(FILE *out, const char *template, const json_t *view);

/* A whole page: frame.html around `body`, both templates. It asks for no other file, and runs the
 * one script whose hash the view has as "script" ("sha256-..."), or none. The view, which has the
 * page's title, too, is given away. */
void template_page(FILE *out, const char *body, const char *style, json_t *view);

/* Puts a text into a view. It may have any bytes: html_text escapes them. */
void view_text(json_t *view, const char *name, const char *text);
void view_format(json_t *view, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void view_number(json_t *view, const char *name, size_t number);
/* A view in a view, a list in a view, one more view in a list: they belong to what they are in. */
json_t *view_object(json_t *view, const char *name);
json_t *view_list(json_t *view, const char *name);
json_t *view_more(json_t *list);

#endif
