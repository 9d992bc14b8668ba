/* SPDX-License-Identifier: MIT */
/*
 * text_line.h - one line of a text picture: cells to be filled in any order.
 *
 * Colours are the numbers of ANSI's "select graphic rendition", "" for none.
 */
#ifndef TRACE_DRAW_TEXT_LINE_H
#define TRACE_DRAW_TEXT_LINE_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

struct line_cell {
    char glyph[5];              /* one character; "" for the right half of a wide one */
    const char *color;
};

struct text_line {
    struct line_cell *cells;
    unsigned width;
    bool ascii, color;
};

void line_init(struct text_line *l, unsigned width, bool ascii, bool color);
void line_fini(struct text_line *l);

void line_clear(struct text_line *l);
void line_put(struct text_line *l, unsigned column, const char *glyph, const char *color);

/* Puts a text of any origin into columns [column, limit), harmless to a
 * terminal; returns the column after it. */
unsigned line_put_text(struct text_line *l, unsigned column, unsigned limit, const char *s,
                       const char *color);

/* How many columns such a text takes. */
unsigned line_columns(const char *s);

/* Without trailing blanks, with a newline. */
void line_print(const struct text_line *l, FILE *out);

#ifdef __cplusplus
}
#endif
#endif
