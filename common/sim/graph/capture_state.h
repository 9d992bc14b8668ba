/* SPDX-License-Identifier: MIT */
/* capture_state.h - the inside of captures: capture.c keeps it, stream_capture.c begins, ends and
 * shows it. */
#ifndef SIM_GRAPH_CAPTURE_STATE_H
#define SIM_GRAPH_CAPTURE_STATE_H

#include "sim/graph/graph.h"
#include "sim/memory/because.h"

/* What the next node is to wait for. */
struct edge_set { struct graph_edge *list; size_t count, capacity; };
void edge_set_add(struct edge_set *s, struct graph_edge edge);

struct capture {
    uint64_t id;                /* from 1 */
    struct graph *graph;
    void *handle;               /* of the graph */
    bool given;                 /* the graph is the program's; this is how many nodes it had: */
    size_t first;
    enum cudaStreamCaptureMode mode;
    uint32_t origin, thread;    /* the stream that it began in, and the thread */
    struct call begun;          /* the call that began it */
    struct call
        idle; /* the latest wait that added nothing to what its stream waits for; line 0: none */
    unsigned
        blocking; /* bits: devices on which one of its streams takes part in the legacy barrier */
    bool invalid;
    uint32_t broken_by;         /* string: which call made it so, where, and why */
    cudaGraphNode_t *asked;     /* what cudaStreamGetCaptureInfo showed last, */
    cudaGraphEdgeData *asked_data;      /* the edges from there, */
    size_t asked_count, asked_capacity, asked_data_capacity;    /* and how many */
    struct capture *next;
};

struct captured_stream {
    struct capture *capture;    /* NULL: it does not capture */
    struct edge_set last;       /* what its next node waits for */
};

struct captured_event {
    uint64_t id;                /* of the capture that it was recorded in, ended or not; 0: none */
    struct edge_set last;
};

/* Makes the place for the number; valid until the next. */
struct captured_stream *captured_stream(uint32_t stream);
/* The event is one of the stream's latest launch, which is the latest node if that captures. */
void capture_records_launch(uint32_t stream, uint32_t event);
/* By the call that begins it. */
struct capture *capture_new(const struct call *begun, enum cudaStreamCaptureMode mode);
/* Into a graph that is there. */
struct capture *capture_into(const struct call *begun, enum cudaStreamCaptureMode mode,
                             struct graph *g, void *handle);
/* As an error of this call: the capture is invalid, and why. */
cudaError_t capture_is_broken(const struct capture *capture, struct call *c);
/* Do calls go into this graph now? */
bool graph_is_captured(const struct graph *g);
/* The capture is over; its graph stays. */
void capture_free(struct capture *c);
/* Work in the legacy stream, and what asks about it, would depend on blocking streams that capture
 * [H]. */
cudaError_t capture_meets_legacy(struct call *c, bool invalidates);

#endif
