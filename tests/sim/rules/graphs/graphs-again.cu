/* SPDX-License-Identifier: MIT */
/*
 * Launches of one executable graph, and of two of the same graph.
 * [R]: reference of cudaGraphLaunch: "only one instance of graphExec may be executing at a time".
 */
#include "../rule.h"

int main()
{
    int *d = on_device<int>(1);
    warm_up(d);
    cudaStream_t a = stream(cudaStreamNonBlocking), b = stream(cudaStreamNonBlocking);
    cudaGraph_t graph;
    CHECK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
    busy<<<1, 1, 0, a>>>(LONG);
    CHECK(cudaStreamEndCapture(a, &graph));
    cudaGraphExec_t one, two;
    CHECK(cudaGraphInstantiate(&one, graph, 0));
    CHECK(cudaGraphInstantiate(&two, graph, 0));
    CHECK(cudaGraphLaunch(one, a));
    CHECK(cudaGraphLaunch(two, b));
    CHECK(cudaDeviceSynchronize());

    long long same = took([=] {
        CHECK(cudaGraphLaunch(one, a));
        CHECK(cudaGraphLaunch(one, b));
        CHECK(cudaDeviceSynchronize());
    });
    rule(same > LONG * 3 / 2, "one executable graph launched in two streams runs one after the other");
    long long other = took([=] {
        CHECK(cudaGraphLaunch(one, a));
        CHECK(cudaGraphLaunch(two, b));
        CHECK(cudaDeviceSynchronize());
    });
    rule(other < LONG * 3 / 2, "two executable graphs of the same graph run side by side");

    /* The second launch's stream waits for the first launch, and for nothing else of its stream. */
    CHECK(cudaGraphLaunch(one, a));
    busy<<<1, 1, 0, a>>>(4 * LONG);
    long long second = took([=] {
        CHECK(cudaGraphLaunch(one, b));
        CHECK(cudaStreamSynchronize(b));
    });
    rule(second > LONG * 3 / 2 && second < LONG * 3, "a launch waits for the graph's launch before, not for what follows that");
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaGraphExecDestroy(one));
    CHECK(cudaGraphExecDestroy(two));
    CHECK(cudaGraphDestroy(graph));
    return rules_end();
}
