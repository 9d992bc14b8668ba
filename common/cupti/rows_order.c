/* SPDX-License-Identifier: MIT */
#include "rows.h"

static unsigned captures;       /* that are going on */

/* ---- streams ---- */

static void made_stream(struct made *m, cudaStream_t stream, unsigned flags, int priority)
{
    m->c->stream = stream_add(stream);
    m->c->device = stream_device(m->c->stream);
    m->c->flags = flags & cudaStreamNonBlocking ? STREAM_NON_BLOCKING : 0;
    m->c->priority = priority;
}

static void stream_created(struct made *m)
{
    PARAMS(cudaStreamCreate_v3020);
    made_stream(m, *p->pStream, 0, 0);
}

static void stream_created_flags(struct made *m)
{
    PARAMS(cudaStreamCreateWithFlags_v5000);
    made_stream(m, *p->pStream, p->flags, 0);
}

static void stream_created_priority(struct made *m)
{
    PARAMS(cudaStreamCreateWithPriority_v5050);
    made_stream(m, *p->pStream, p->flags, p->priority);
}

/* cudaStreamDestroy, Synchronize and Query have the same parameter. */
static void the_stream(struct made *m)
{
    PARAMS(cudaStreamSynchronize_v3020);
    row_stream(m, p->stream);
}

static void stream_gone(struct made *m)
{
    PARAMS(cudaStreamDestroy_v5050);
    stream_remove(p->stream);
}

static void wait_event(struct made *m)
{
    PARAMS(cudaStreamWaitEvent_v3020);
    m->c->event = event_number(p->event);
    row_stream(m, p->stream);
}

static void capture_began(struct made *m)
{
    (void)m;
    captures++;
}

static void capture_ended(struct made *m)
{
    PARAMS(cudaStreamEndCapture_v10000);
    captures -= captures > 0;
    m->c->dst = p->pGraph ? ADDRESS(*p->pGraph) : 0;
}

/* ---- events ---- */

static void made_event(struct made *m, cudaEvent_t event, unsigned flags)
{
    m->c->event = event_add(event);
    m->c->flags = (flags & cudaEventDisableTiming ? EVENT_NO_TIMING : 0u)
                  | (flags & cudaEventBlockingSync ? EVENT_BLOCKING_SYNC : 0u)
                  | (flags & cudaEventInterprocess ? EVENT_INTERPROCESS : 0u);
}

static void event_created(struct made *m)
{
    PARAMS(cudaEventCreate_v3020);
    made_event(m, *p->event, 0);
}

static void event_created_flags(struct made *m)
{
    PARAMS(cudaEventCreateWithFlags_v3020);
    made_event(m, *p->event, p->flags);
}

/* cudaEventDestroy, Synchronize and Query have the same parameter. */
static void the_event(struct made *m)
{
    PARAMS(cudaEventSynchronize_v3020);
    m->c->event = event_number(p->event);
}

static void event_gone(struct made *m)
{
    PARAMS(cudaEventDestroy_v3020);
    event_remove(p->event);
}

/* WithFlags begins with the same parameters. */
static void record_event(struct made *m)
{
    PARAMS(cudaEventRecord_v3020);
    m->c->event = event_number(p->event);
    row_stream(m, p->stream);
}

/* ---- graphs ---- */

/* All three begin with the same two. */
static void instantiated(struct made *m)
{
    PARAMS(cudaGraphInstantiateWithFlags_v11040);
    graph_instantiated(*p->pGraphExec, p->graph);
    m->c->dst = ADDRESS(*p->pGraphExec);
}

static void exec_destroyed(struct made *m)
{
    PARAMS(cudaGraphExecDestroy_v10000);
    graph_destroyed(p->graphExec);
    m->c->dst = ADDRESS(p->graphExec);
}

static void graph_created(struct made *m)
{
    PARAMS(cudaGraphCreate_v10000);
    m->c->dst = ADDRESS(*p->pGraph);
}

static void graph_cloned(struct made *m)
{
    PARAMS(cudaGraphClone_v10000);
    m->c->dst = ADDRESS(*p->pGraphClone);
}

static void graph_gone(struct made *m)
{
    PARAMS(cudaGraphDestroy_v10000);
    m->c->dst = ADDRESS(p->graph);
}

static void launch_graph(struct made *m)
{
    PARAMS(cudaGraphLaunch_v10000);
    m->c->src = graph_number(p->graphExec);
    row_stream(m, p->stream);
}

const struct row rows_of_order[] = {
    { "cudaEventRecord", CALL_EVENT_RECORD, 0, record_event, NULL },
    { "cudaEventRecordWithFlags", CALL_EVENT_RECORD, 0, record_event, NULL },
    { "cudaStreamWaitEvent", CALL_STREAM_WAIT, 0, wait_event, NULL },
    { "cudaGraphLaunch", CALL_GRAPH_LAUNCH, 0, launch_graph, NULL },
    { "cudaStreamSynchronize", CALL_STREAM_SYNC, 0, the_stream, NULL },
    { "cudaDeviceSynchronize", CALL_DEVICE_SYNC, 0, NULL, NULL },
    { "cudaEventSynchronize", CALL_EVENT_SYNC, 0, the_event, NULL },
    { "cudaStreamQuery", CALL_STREAM_QUERY, 0, the_stream, NULL },
    { "cudaEventQuery", CALL_EVENT_QUERY, 0, the_event, NULL },
    { "cudaStreamCreate", CALL_STREAM_CREATE, 0, NULL, stream_created },
    { "cudaStreamCreateWithFlags", CALL_STREAM_CREATE, 0, NULL, stream_created_flags },
    { "cudaStreamCreateWithPriority", CALL_STREAM_CREATE, 0, NULL, stream_created_priority },
    { "cudaStreamDestroy", CALL_STREAM_DESTROY, 0, the_stream, stream_gone },
    { "cudaStreamBeginCapture", CALL_OTHER, 0, NULL, capture_began },
    { "cudaStreamBeginCaptureToGraph", CALL_OTHER, 0, NULL, capture_began },
    { "cudaStreamEndCapture", CALL_OTHER, 0, NULL, capture_ended },
    { "cudaEventCreate", CALL_EVENT_CREATE, 0, NULL, event_created },
    { "cudaEventCreateWithFlags", CALL_EVENT_CREATE, 0, NULL, event_created_flags },
    { "cudaEventDestroy", CALL_EVENT_DESTROY, 0, the_event, event_gone },
    { "cudaGraphCreate", CALL_OTHER, 0, NULL, graph_created },
    { "cudaGraphClone", CALL_OTHER, 0, NULL, graph_cloned },
    { "cudaGraphDestroy", CALL_OTHER, 0, NULL, graph_gone },
    { "cudaGraphInstantiate", CALL_OTHER, 0, NULL, instantiated },
    { "cudaGraphInstantiateWithFlags", CALL_OTHER, 0, NULL, instantiated },
    { "cudaGraphInstantiateWithParams", CALL_OTHER, 0, NULL, instantiated },
    { "cudaGraphExecDestroy", CALL_OTHER, 0, NULL, exec_destroyed },
    { "cudaDeviceReset", CALL_DEVICE_SYNC, 0, NULL, NULL },
    { 0 },
};

bool captures_any(void)
{
    return captures > 0;
}

bool goes_into_graph(cudaStream_t stream)
{
    CUstreamCaptureStatus status;
    return captures > 0 && cu.is_capturing((CUstream)stream, &status) == CUDA_SUCCESS
           && status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}
