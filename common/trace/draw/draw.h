/* SPDX-License-Identifier: MIT */
/*
 * draw.h - pictures of a timeline: text for a terminal, SVG for reports and the book.
 *
 * One piece of code lays the lanes out (lanes.c), two draw them. Lanes, from
 * the top: of each host thread one with its NVTX ranges, a row for each depth, and one with
 * its calls, its work, its waits; then for each stream that did something a lane with its
 * operations, and under them a lane per engine (copy H2D, kernel, copy D2H, …), so that both "what
 * did my stream do" and "was the engine idle" can be seen. Spans in one stream that overlap get a
 * row each. Time counts from the first work drawn; calls before it and after the last (memory,
 * streams that come and go) are left out. Engines show their busy share, as
 * measure.h has it, of the time from the device's first operation to its last.
 *
 * Text fits a terminal of 24 lines: what is too much is folded ("… 24 more streams").
 * SVG stands alone or inside a page: it brings its own panel, light or dark as the
 * reader prefers, and ids that no other picture has; the same timeline gives the same bytes.
 */
#ifndef TRACE_DRAW_DRAW_H
#define TRACE_DRAW_DRAW_H

#include <stdio.h>

#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct drawing {
    const char *title;          /* NULL: none */
    const char *description;    /* SVG <desc>; NULL: made from the timeline */
    size_t first_call, end_call;    /* draw what these calls caused; end_call 0: everything */
    bool streams, engines;      /* which groups of lanes; at least one */
    int width;                  /* columns (text, at least 24) or pixels (SVG) */
    bool ascii;                 /* text: 7-bit glyphs only */
    bool undeclared;            /* text: the legend says what kernels' times do not depend on */
    bool color;                 /* text: ANSI colours; a glyph says the same without */
    bool shape; /* SVG: what ran when, but no name of a kernel or a call, and no line */
    int64_t length; /* SVG: the axis has room for at least that many ns, so that pictures can be
                       compared */
};

/* Both write nothing but the picture and end it with a newline. */
void draw_text(FILE *out, const struct timeline *t, const struct drawing *d);
void draw_svg(FILE *out, const struct timeline *t, const struct drawing *d);

/* How long is what `d` draws, in ns? */
int64_t draw_length(const struct timeline *t, const struct drawing *d);

#ifdef __cplusplus
}
#endif
#endif
