/* SPDX-License-Identifier: MIT */
/*
 * pieces.h - what is to be seen of a timeline, sorted into lanes.
 *
 * Every span is a piece in its stream's lane and one in its engine's, every
 * call one in its thread's, every range of NVTX one in the lane above that. Sorted by
 * lane, then by start, the pieces of a lane lie side by side. A wait comes after its call, so that
 * it is drawn over it.
 *
 * The window [from, to] is that of work: queueing, waiting, computing, spans.
 * Calls before and after (memory, streams that come and go) and ranges do not widen it.
 */
#ifndef TRACE_DRAW_PIECES_H
#define TRACE_DRAW_PIECES_H

#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum look {
    LOOK_NONE,
    LOOK_H2D, LOOK_KERNEL, LOOK_D2H, LOOK_D2D, LOOK_PEER, LOOK_MEMSET, LOOK_HOST_FUNC,
     /* on an engine */
    LOOK_RECORD, LOOK_STREAM_WAIT, LOOK_MEMORY,
        /* an instant in a stream: an event, memory of a pool */
    LOOK_QUEUE, LOOK_WAIT, LOOK_WORK, LOOK_OTHER,   /* what a host thread does */
    LOOK_PAGES_IN, LOOK_PAGES_OUT,
         /* managed memory on its way to the device, to the host; a host thread's page fault */
    LOOK_RANGE, LOOK_MARK,      /* what a host thread says that it does; an instant */
    LOOKS
};

/* Their numbers are part of a picture's name; their order in it is piece_compare_lanes'. */
enum lane_kind { LANE_HOST, LANE_STREAM, LANE_ENGINE, LANE_RANGE };

struct piece {
    uint8_t lane_kind, look;
    char mark;                  /* of its stream, as in the stream's label; ' ' in host lanes */
    uint32_t device, number;    /* its lane: thread, stream or look */
    uint32_t call, span;        /* span: ANY for a call itself, the kernel's for its pages */
    unsigned row;
    int64_t start, end;         /* clipped to the window; TIME_NEVER: never finished */
    int64_t whole_end;          /* not clipped */
};

struct pieces {
    struct piece *list;
    size_t count, capacity;
    int64_t from, to;           /* from < to but where there is no piece */
};

/* The pieces of what the calls [first_call, end_call) caused. An operation that
 * never began is in its stream's lane only, after the others. */
void pieces_init(struct pieces *l, const struct timeline *t, size_t first_call, size_t end_call);
void pieces_fini(struct pieces *l);

/* As for qsort; 0 for pieces of the same lane. A thread's ranges come right before its calls. */
int piece_compare_lanes(const struct piece *a, const struct piece *b);

/* Is such a lane a host thread's? */
bool lane_is_of_host(uint32_t lane_kind);

/* The colour that the program gave a range or a mark, as 0xrrggbb; -1: none. */
int32_t piece_color(const struct piece *p, const struct timeline *t);

/* "kernel", "H2D", "queues", … for legends. */
const char *look_name(enum look look);
/* Does it happen at once? */
bool look_is_instant(enum look look);
/* Does managed memory go to another side? */
bool look_is_of_pages(enum look look);

#ifdef __cplusplus
}
#endif
#endif
