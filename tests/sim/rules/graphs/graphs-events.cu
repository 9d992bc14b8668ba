/* SPDX-License-Identifier: MIT */
/*
 * Nodes that record events and wait for them. [H]: the comments of cudaGraphAddEventRecordNode, cudaGraphAddEventWaitNode and
 * cudaEventRecordExternal.
 */
#include "../rule.h"

static long long between(cudaEvent_t a, cudaEvent_t b)
{
    float ms;
    CHECK(cudaEventElapsedTime(&ms, a, b));
    return (long long)(ms * 1e6);
}

/* A record, a long kernel, a record, a longer one, a wait for `awaited`. */
static cudaGraph_t captured(cudaStream_t s, cudaEvent_t first, cudaEvent_t second, cudaEvent_t awaited)
{
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    CHECK(cudaEventRecordWithFlags(first, s, cudaEventRecordExternal));
    busy<<<1, 1, 0, s>>>(LONG);
    CHECK(cudaEventRecordWithFlags(second, s, cudaEventRecordExternal));
    busy<<<1, 1, 0, s>>>(2 * LONG);
    CHECK(cudaStreamWaitEvent(s, awaited, cudaEventWaitExternal));
    CHECK(cudaStreamEndCapture(s, &graph));
    return graph;
}

static void asks_of_captures(cudaStream_t s, cudaStream_t t)
{
    cudaEvent_t first = event(), second = event(), awaited = event();
    cudaGraph_t graph = captured(s, first, second, awaited);
    cudaGraphExec_t exec;
    size_t count;
    CHECK(cudaGraphGetNodes(graph, NULL, &count));
    rule(count == 5, "captured, records and waits with the external flags are nodes");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaEventSynchronize(second));
    rule(cudaStreamQuery(s) == cudaErrorNotReady, "the host can wait for an event that a graph records");
    cudaGetLastError();
    long long span = between(first, second);
    rule(span > LONG / 2 && span < LONG * 3 / 2, "such events have the time between them");
    CHECK(cudaStreamSynchronize(s));

    busy<<<1, 1, 0, t>>>(6 * LONG);
    CHECK(cudaEventRecord(awaited, t));
    long long alone = took([=] {
        CHECK(cudaGraphLaunch(exec, s));
        CHECK(cudaStreamSynchronize(s));
    });
    rule(alone > 5 * LONG, "a graph waits for the event's latest record before the launch");
    CHECK(cudaStreamSynchronize(t));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamWaitEvent(t, second, 0));
    long long other = took([=] { CHECK(cudaStreamSynchronize(t)); });
    rule(other > LONG / 2 && other < 2 * LONG, "another stream can wait for what a graph records");
    CHECK(cudaStreamSynchronize(s));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

static void asks_of_nodes(cudaStream_t s)
{
    cudaEvent_t one = event(), two = event(), got;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t record, wait;
    cudaGraphNodeType type;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddEventRecordNode(&record, graph, NULL, 0, one));
    CHECK(cudaGraphAddEventWaitNode(&wait, graph, &record, 1, two));
    CHECK(cudaGraphNodeGetType(wait, &type));
    CHECK(cudaGraphEventRecordNodeGetEvent(record, &got));
    rule(type == cudaGraphNodeTypeWaitEvent && got == one, "a node knows its event");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphExecEventRecordNodeSetEvent(exec, record, two));
    CHECK(cudaGraphLaunch(exec, s));
    CHECK(cudaStreamSynchronize(s));
    float ms;
    rule(cudaEventElapsedTime(&ms, one, two) == cudaErrorInvalidResourceHandle && cudaEventElapsedTime(&ms, two, two) == cudaSuccess,
         "an executable graph can be given another one");
    cudaGetLastError();
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

int main()
{
    cudaStream_t s = stream(cudaStreamNonBlocking), t = stream(cudaStreamNonBlocking);
    asks_of_captures(s, t);
    asks_of_nodes(s);
    return rules_end();
}
