/* SPDX-License-Identifier: MIT */
#include "rows.h"

static unsigned captures;       /* that are going on */
static struct map given;        /* streams that capture into a graph which was there before */

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

#if CUDA_VERSION >= 12040
static void green_made(struct made *m)
{
    PARAMS(cuGreenCtxCreate);
    m->c->dst = ADDRESS(*p->phCtx);
}

static void green_gone(struct made *m)
{
    PARAMS(cuGreenCtxDestroy);
    m->c->dst = ADDRESS(p->hCtx);
}

/* Its SMs the driver does not tell. */
static void green_stream_created(struct made *m)
{
    PARAMS(cuGreenCtxStreamCreate);
    made_stream(m, *p->phStream, p->flags, p->priority);
}
#endif

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

/* Its first parameter is the stream, too. */
static void capture_began_in_graph(struct made *m)
{
    PARAMS(cudaStreamEndCapture_v10000);
    captures++;
    map_put(&given, ADDRESS(p->stream), 1);
}

static void capture_ended(struct made *m)
{
    PARAMS(cudaStreamEndCapture_v10000);
    captures -= captures > 0;
    bool makes_none = !p->pGraph || map_get(&given, ADDRESS(p->stream)) != MAP_NONE;
    m->c->dst = makes_none ? 0 : ADDRESS(*p->pGraph);
    map_remove(&given, ADDRESS(p->stream));
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

/* It stands for another process's, whose records are not known here. */
static void event_opened(struct made *m)
{
    PARAMS(cudaIpcOpenEventHandle_v4010);
    made_event(m, *p->event, cudaEventInterprocess | cudaEventDisableTiming);
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

static void exec_updated(struct made *m)
{
    PARAMS(cudaGraphExecUpdate_v10020);
    graph_updated(p->hGraphExec, p->hGraph);
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
    { .name = "cudaEventRecord", .kind = CALL_EVENT_RECORD, .enter = record_event },
    { .name = "cudaEventRecordWithFlags", .kind = CALL_EVENT_RECORD, .enter = record_event },
    { .name = "cudaStreamWaitEvent", .kind = CALL_STREAM_WAIT, .enter = wait_event },
    { .name = "cudaGraphLaunch", .kind = CALL_GRAPH_LAUNCH, .enter = launch_graph },
    { .name = "cudaStreamSynchronize", .kind = CALL_STREAM_SYNC, .enter = the_stream },
    { .name = "cudaDeviceSynchronize", .kind = CALL_DEVICE_SYNC },
    { .name = "cudaEventSynchronize", .kind = CALL_EVENT_SYNC, .enter = the_event },
    { .name = "cudaStreamQuery", .kind = CALL_STREAM_QUERY, .enter = the_stream },
    { .name = "cudaEventQuery", .kind = CALL_EVENT_QUERY, .enter = the_event },
    { .name = "cudaStreamCreate", .kind = CALL_STREAM_CREATE, .leave = stream_created },
    { .name = "cudaStreamCreateWithFlags", .kind = CALL_STREAM_CREATE,
      .leave = stream_created_flags },
    { .name = "cudaStreamCreateWithPriority", .kind = CALL_STREAM_CREATE,
      .leave = stream_created_priority },
    { .name = "cudaStreamDestroy", .kind = CALL_STREAM_DESTROY, .enter = the_stream,
      .leave = stream_gone },
#if CUDA_VERSION >= 12040
    { .name = "cuGreenCtxCreate", .kind = CALL_OTHER, .leave = green_made },
    { .name = "cuGreenCtxDestroy", .kind = CALL_OTHER, .enter = green_gone },
    { .name = "cuGreenCtxStreamCreate", .kind = CALL_STREAM_CREATE, .leave = green_stream_created },
    { .name = "cuStreamDestroy", .kind = CALL_STREAM_DESTROY, .enter = the_stream,
      .leave = stream_gone },
    { .name = "cuStreamSynchronize", .kind = CALL_STREAM_SYNC, .enter = the_stream },
#endif
    { .name = "cudaStreamBeginCapture", .kind = CALL_OTHER, .leave = capture_began },
    { .name = "cudaStreamBeginCaptureToGraph", .kind = CALL_OTHER,
      .leave = capture_began_in_graph },
    { .name = "cudaStreamEndCapture", .kind = CALL_OTHER, .leave = capture_ended },
    { .name = "cudaEventCreate", .kind = CALL_EVENT_CREATE, .leave = event_created },
    { .name = "cudaEventCreateWithFlags", .kind = CALL_EVENT_CREATE, .leave = event_created_flags },
    { .name = "cudaIpcOpenEventHandle", .kind = CALL_EVENT_CREATE, .leave = event_opened },
    { .name = "cudaEventDestroy", .kind = CALL_EVENT_DESTROY, .enter = the_event,
      .leave = event_gone },
    { .name = "cudaGraphCreate", .kind = CALL_OTHER, .leave = graph_created },
    { .name = "cudaGraphClone", .kind = CALL_OTHER, .leave = graph_cloned },
    { .name = "cudaGraphDestroy", .kind = CALL_OTHER, .leave = graph_gone },
    { .name = "cudaGraphInstantiate", .kind = CALL_OTHER, .leave = instantiated },
    { .name = "cudaGraphInstantiateWithFlags", .kind = CALL_OTHER, .leave = instantiated },
    { .name = "cudaGraphInstantiateWithParams", .kind = CALL_OTHER, .leave = instantiated },
    { .name = "cudaGraphExecUpdate", .kind = CALL_OTHER, .leave = exec_updated },
    { .name = "cudaGraphExecDestroy", .kind = CALL_OTHER, .leave = exec_destroyed },
    { .name = "cudaDeviceReset", .kind = CALL_DEVICE_SYNC },
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
