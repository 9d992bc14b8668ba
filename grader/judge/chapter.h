/* SPDX-License-Identifier: MIT */
/*
 * chapter.h - finding a place in the text of a chapter.
 *
 * A section goes from its heading to the next heading of the same or a higher
 * level; what stands between ``` fences is no heading. A paragraph is what
 * stands between blank lines: a row, where that is a table. Words match
 * whatever white space lies between them.
 */
#ifndef GRADER_JUDGE_CHAPTER_H
#define GRADER_JUDGE_CHAPTER_H

#include <stddef.h>

/* A piece of the text, whole lines; line: its first, from 1. */
struct passage {
    const char *text;
    size_t length;
    unsigned line;
    /* Of a table's row: the table's first line, which names the columns. */
    const char *columns;
    size_t columns_length;
};

/* The section under this heading, heading included; line 0: there is none. */
struct passage chapter_section(const char *text, const char *heading);

/* How many paragraphs of the section have these words; *p (may be NULL) gets the first. */
size_t chapter_find(const char *text, const char *heading, const char *words, struct passage *p);

#endif
