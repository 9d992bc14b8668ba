/* SPDX-License-Identifier: MIT */
/*
 * lanes.h - what a picture of a timeline shows, before anybody draws it.
 *
 * A lane is a host thread, a stream or an engine; a piece is what lies in it.
 * Pieces keep their times: the drawers turn time into columns or pixels, and
 * choose a glyph or a fill for each look. For draw_text.c and draw_svg.c alone.
 *
 * The window [from, to] is that of work: queueing, waiting, computing, spans.
 * Calls before and after (memory, streams that come and go) do not widen it.
 */
#ifndef TRACE_LANES_H
#define TRACE_LANES_H

#include "trace/draw.h"

enum look {
    LOOK_NONE,
    LOOK_H2D, LOOK_KERNEL, LOOK_D2H, LOOK_D2D, LOOK_MEMSET, LOOK_HOST_FUNC, /* on an engine */
    LOOK_RECORD, LOOK_STREAM_WAIT,                  /* an instant in a stream */
    LOOK_QUEUE, LOOK_WAIT, LOOK_WORK, LOOK_OTHER,   /* what a host thread does */
    LOOKS
};

enum lane_kind { LANE_HOST, LANE_STREAM, LANE_ENGINE };

struct piece {
    uint8_t lane_kind, look;
    char mark;                  /* of its stream, as in the stream's label; ' ' in host lanes */
    uint32_t device, number;    /* its lane: thread, stream or look */
    uint32_t call, span;        /* span: ANY for a call itself */
    unsigned row;
    int64_t start, end;         /* clipped to the window; TIME_NEVER: never finished */
};

struct lane {
    enum lane_kind kind;
    char label[40];
    const struct piece *piece;  /* by start */
    size_t piece_count;
    unsigned rows;              /* at least 1 */
    unsigned never_begun;       /* streams: operations that were queued and never ran */
    int busy;                   /* engines: thousandths of the device's extent; -1: none, or never finished */
    size_t more;                /* not 0: stands for so many lanes that are left out; no pieces */
};

struct lanes {
    int64_t from, to;           /* from < to but where nothing is drawn */
    struct lane *lane;
    size_t count;
    unsigned looks;             /* bits of the looks in it */
    bool open;                  /* something never finished */
    /* Owned by lanes.c. */
    struct piece *pieces;
    size_t piece_count, piece_capacity, capacity;
};

/* At most so many lanes of a kind, and rows a lane; what has no row of its own shares the last. */
struct lane_limits { size_t threads, streams; unsigned rows; };

void lanes_init(struct lanes *l, const struct timeline *t, const struct drawing *d, struct lane_limits limits);
void lanes_fini(struct lanes *l);
/* Rows of all lanes together. */
size_t lanes_rows(const struct lanes *l);

/* "kernel", "H2D", "queues work", … for legends. */
const char *look_name(enum look look);

#endif
