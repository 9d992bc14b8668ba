/* SPDX-License-Identifier: MIT */
/*
 * text_cells.h - a row of a lane, cut into the columns of a text.
 *
 * Ends are rounded to the nearest column, so that spans that touch in time
 * touch in the picture and a gap is a gap. What is shorter than a column still
 * gets one, if need be from a longer neighbour that can spare it.
 */
#ifndef TRACE_DRAW_TEXT_CELLS_H
#define TRACE_DRAW_TEXT_CELLS_H

#include "trace/draw/lanes.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cell {
    const struct piece *piece;  /* NULL: nothing */
    bool brief;                 /* shorter than the column */
    bool several;               /* more than can be told apart */
};

/* Fills `width` cells with row `row` of a lane; `l` holds the window. */
void cells_fill(struct cell *cells, unsigned width, const struct pieces *l, const struct lane *lane,
                unsigned row);

#ifdef __cplusplus
}
#endif
#endif
