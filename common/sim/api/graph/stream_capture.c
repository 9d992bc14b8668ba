/* SPDX-License-Identifier: MIT */
/* The calls that begin, end and show captures of streams. */
#include "sim/api/api_call.h"
#include "sim/api/graph/graph_edges.h"
#include "sim/api/stream.h"
#include "sim/graph/capture_state.h"
#include "trace/record/memory.h"

static cudaError_t open_stream(struct api_call *e, const char *name, cudaStream_t stream)
{
    cudaError_t status = api_open(e, CALL_OTHER, name);
    return status != cudaSuccess ? status : stream_find(e, stream);
}

static cudaError_t open_capture(struct api_call *e, const char *name, cudaStream_t stream,
                                enum cudaStreamCaptureMode mode)
{
    cudaError_t status = open_stream(e, name, stream);
    status = REFUSE(e, status, (unsigned)mode > cudaStreamCaptureModeRelaxed, cudaErrorInvalidValue,
                    "the argument mode is %d, which is not a capture mode", (int)mode);
    status = REFUSE(e, status, stream_is_legacy(e->call.stream), cudaErrorStreamCaptureUnsupported,
                    "the stream is the legacy default stream, which cannot capture"); /* [M] */
    const struct capture *before =
        status == cudaSuccess ? captured_stream(e->call.stream)->capture : NULL;
    return REFUSE(e, status, before, cudaErrorIllegalState, "the stream captures already: %s %s",
                  before->origin == e->call.stream ? "its capture began"
                                                   : "it takes part in the capture that began",
                  words_of_location(&before->begun).text);
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
    struct api_call e;
    cudaError_t status = open_capture(&e, "cudaStreamBeginCapture", stream, mode);
    if (status == cudaSuccess)
        capture_new(&e.call, mode);
    return api_finish(&e, status);
}

/* Edges from the nodes of this graph that a list has go into the set. `data` may be NULL. */
static cudaError_t take_nodes(struct api_call *e, cudaError_t status, const struct graph *g,
                              const cudaGraphNode_t *nodes, const cudaGraphEdgeData *data,
                              size_t count, struct edge_set *set)
{
    status = REFUSE(e, status, !nodes && count > 0, cudaErrorInvalidValue,
                    "the argument dependencies is NULL, and %zu nodes are said to be there", count);
    for (size_t i = 0; i < count && status == cudaSuccess; i++) {
        const struct graph_node *node = handle_find(&graph_nodes, nodes[i]);
        status = REFUSE(e, status, !node || node->graph != g, cudaErrorInvalidValue,
                        "dependencies[%zu] is not a node of this graph", i);
        if (status == cudaSuccess && data)
            status = edge_refuse_data(e, status, &data[i], node->type, cudaGraphNodeTypeKernel);
        if (status == cudaSuccess)
            edge_set_add(set, edge_with_data(graph_number(node), data ? &data[i] : NULL));
    }
    return status;
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t *after,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode)
{
    struct api_call e;
    cudaError_t status = open_capture(&e, "cudaStreamBeginCaptureToGraph", stream, mode);
    struct graph *g = handle_find(&graphs, graph);
    struct edge_set set = { 0 };
    status = REFUSE(&e, status, !g, cudaErrorInvalidValue, "the graph is not valid: %s",
                    words_of_handle(&graphs, graph, "cudaGraphDestroy").text);
    if (status == cudaSuccess)
        status = take_nodes(&e, status, g, after, edges, count, &set);
    if (status == cudaSuccess) {
        capture_into(&e.call, mode, g, graph);
        for (size_t i = 0; i < set.count; i++)
            edge_set_add(&captured_stream(e.call.stream)->last, set.list[i]);
    }
    memory_resize(set.list, 0);
    return api_finish(&e, status);
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                const cudaGraphEdgeData *edges, size_t count,
                                                unsigned int flags)
{
    struct api_call e;
    cudaError_t status = open_stream(&e, "cudaStreamUpdateCaptureDependencies", stream);
    const struct capture *c =
        status == cudaSuccess ? captured_stream(e.call.stream)->capture : NULL;
    struct edge_set set = { 0 };
    status = REFUSE(&e, status, !c, cudaErrorIllegalState, "the stream does not capture");
    status = REFUSE(&e, status, flags > cudaStreamSetCaptureDependencies, cudaErrorInvalidValue,
                    "the argument flags is %#x, which is not known", flags);
    if (status == cudaSuccess)
        status = c->invalid ? capture_is_broken(c, &e.call)
                            : take_nodes(&e, status, c->graph, nodes, edges, count, &set);
    if (status == cudaSuccess) {
        struct edge_set *last = &captured_stream(e.call.stream)->last;
        if (flags == cudaStreamSetCaptureDependencies)
            last->count = 0;
        for (size_t i = 0; i < set.count; i++)
            edge_set_add(last, set.list[i]);
    }
    memory_resize(set.list, 0);
    return api_finish(&e, status);
}

/* The first node from which nothing leads back to the stream that the capture began in; NULL: there
 * is none. */
static const struct graph_node *first_unjoined(const struct capture *c)
{
    const struct edge_set *last = &captured_stream(c->origin)->last;
    bool *followed = memory_resize(NULL, c->graph->count + 1);
    memory_zero(followed, c->graph->count + 1);
    for (size_t i = 0; i < c->graph->count; i++)
        for (size_t k = 0; k < c->graph->nodes[i]->after_count; k++)
            followed[c->graph->nodes[i]->after[k].node] = true;
    for (size_t i = 0; i < last->count; i++)
        followed[last->list[i].node] = true;
    size_t joined = c->first;
    while (joined < c->graph->count && followed[joined])
        joined++;
    memory_resize(followed, 0);
    return joined < c->graph->count ? c->graph->nodes[joined] : NULL;
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    struct api_call e;
    cudaError_t status = open_stream(&e, "cudaStreamEndCapture", stream);
    struct capture *c = status == cudaSuccess ? captured_stream(e.call.stream)->capture : NULL;
    const struct graph_node *unjoined;
    status = REFUSE(&e, status, !c, cudaErrorIllegalState, "the stream does not capture");
    status = REFUSE(
        &e, status, c->origin != e.call.stream, cudaErrorStreamCaptureUnmatched,
        "the stream has only joined the capture; it ends in the stream in which it began (%s)",
        words_of_location(&c->begun).text);
    status = REFUSE(
        &e, status, c->mode != cudaStreamCaptureModeRelaxed && c->thread != e.thread->number,
        cudaErrorStreamCaptureWrongThread,
        "another thread began the capture (%s), and only a relaxed one may be ended by any thread",
        words_of_location(&c->begun).text);
    if (graph)
        *graph = NULL;
    if (status != cudaSuccess)
        return api_finish(&e, status);
    if (c->invalid)
        status = capture_is_broken(c, &e.call);
    else if ((unjoined = first_unjoined(c)))
        status = because(
            &e.call, cudaErrorStreamCaptureUnjoined,
            "a stream that joined the capture was not joined back, and nothing waits for %.160s: " /* [M] */
            "before the end, the stream in which it began (%s) has to wait (cudaStreamWaitEvent) for an event that is recorded (cudaEventRecord) after the other's last work",
            words_of_call(&unjoined->call).text, words_of_location(&c->begun).text);
    if (status == cudaSuccess && graph)
        *graph = c->handle;
    if (status == cudaSuccess && graph && !c->given)
        e.call.dst = (uintptr_t)*graph;
    if (!c->given && (status != cudaSuccess || !graph)) {
        handle_take_back(&graphs, c->handle);
        graph_free(c->graph);
    }
    capture_free(c);
    return api_finish(&e, status);
}

static enum cudaStreamCaptureStatus status_of(const struct capture *c)
{
    return !c ? cudaStreamCaptureStatusNone
         : c->invalid ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

/* Asks without harm: a blocking stream that captures is told of, and left alone [H]. */
static cudaError_t look_at_capture(struct api_call *e, const char *name, cudaStream_t stream,
                                   enum cudaStreamCaptureStatus *capturing, struct capture **c)
{
    cudaError_t status = open_stream(e, name, stream);
    status = refuse_null(e, status, capturing, "second argument, captureStatus");
    if (status == cudaSuccess)
        status = capture_meets_legacy(&e->call, false);
    *c = status == cudaSuccess ? captured_stream(e->call.stream)->capture : NULL;
    if (status == cudaSuccess)
        *capturing = status_of(*c);
    return status;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *capturing)
{
    struct api_call e;
    struct capture *c;
    return api_finish(&e, look_at_capture(&e, "cudaStreamIsCapturing", stream, capturing, &c));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *capturing,
                                     unsigned long long *id, cudaGraph_t *graph,
                                     const cudaGraphNode_t **last, const cudaGraphEdgeData **edges,
                                     size_t *last_count)
{
    struct api_call e;
    struct capture *c;
    cudaError_t status = look_at_capture(&e, "cudaStreamGetCaptureInfo", stream, capturing, &c);
    if (edges)
        *edges = NULL;
    if (status != cudaSuccess || status_of(c) != cudaStreamCaptureStatusActive)
        return api_finish(&e, status);
    const struct edge_set *set = &captured_stream(e.call.stream)->last;
    c->asked_count = 0;
    for (size_t i = 0; i < set->count; i++) {
        status = edge_refuse_lossy(&e, status, last && !edges && set->list[i].port);
        MEMORY_GROW(c->asked_data, c->asked_count, c->asked_data_capacity);
        MEMORY_GROW(c->asked, c->asked_count, c->asked_capacity);
        c->asked_data[c->asked_count] = edge_data(set->list[i].port);
        c->asked[c->asked_count++] = c->graph->nodes[set->list[i].node]->handle;
    }
    if (status != cudaSuccess)
        return api_finish(&e, status);
    if (id)
        *id = c->id;
    if (graph)
        *graph = c->handle;
    if (last)
        *last = c->asked;
    if (edges)
        *edges = c->asked_data;
    if (last_count)
        *last_count = c->asked_count;
    return api_finish(&e, status);
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
    struct api_call e;
    cudaError_t status = api_open(&e, CALL_OTHER, "cudaThreadExchangeStreamCaptureMode");
    status = refuse_null(&e, status, mode, "argument, mode");
    status =
        REFUSE(&e, status, (unsigned)*mode > cudaStreamCaptureModeRelaxed, cudaErrorInvalidValue,
               "the argument, *mode, is %d, which is not a capture mode", (int)*mode);
    if (status == cudaSuccess) {
        enum cudaStreamCaptureMode before = e.thread->capture_mode;
        e.thread->capture_mode = *mode;
        *mode = before;
    }
    return api_finish(&e, status);
}
