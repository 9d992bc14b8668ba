/* SPDX-License-Identifier: MIT */
/*
 * lanes.h - what a picture of a timeline shows, before anybody draws it.
 *
 * A lane is a host thread, its ranges, a stream or an engine; a piece (pieces.h) is what
 * lies in it. Pieces keep their times: the drawers turn time into columns or
 * pixels, and choose a glyph or a fill for each look. For draw_*.c alone.
 */
#ifndef TRACE_DRAW_LANES_H
#define TRACE_DRAW_LANES_H

#include <limits.h>

#include "trace/draw/draw.h"
#include "trace/draw/pieces.h"

#ifdef __cplusplus
extern "C" {
#endif

struct lane {
    enum lane_kind kind;
    uint32_t device;            /* of a stream, of an engine */
    char label[40];
    const struct piece *piece;  /* by start */
    size_t piece_count;
    unsigned rows;              /* at least 1 */
    bool shared;                /* in the last row, pieces lie over each other */
    unsigned never_begun;       /* streams: operations that were queued and never ran */
    unsigned deeper;            /* ranges: that many have no row, the innermost ones */
    int busy; /* engines: thousandths of the device's extent; -1: none, or never finished */
    size_t more;                /* not 0: stands for that many lanes that are left out; no pieces */
};

struct lanes {
    struct pieces pieces;       /* of all lanes, those left out too */
    struct lane *lane;
    size_t count, capacity;
    unsigned looks;             /* bits of the looks in it */
    bool open;                  /* something never finished */
};

/* At most that many lanes of a kind, and rows a lane; what has no row of its own shares the last. A
 * range shares none: ROW_NONE. */
#define ROW_NONE UINT_MAX
struct lane_limits { size_t threads, streams; unsigned rows; };

void lanes_init(struct lanes *l, const struct timeline *t, const struct drawing *d,
                struct lane_limits limits);
void lanes_fini(struct lanes *l);
/* Does another group begin with lane `i`: other things, or another device's? */
enum lane_group { GROUP_SAME, GROUP_DEVICE, GROUP_KIND };
enum lane_group lanes_group(const struct lanes *l, size_t i);
/* Rows of all lanes together. */
size_t lanes_rows(const struct lanes *l);

#ifdef __cplusplus
}
#endif
#endif
