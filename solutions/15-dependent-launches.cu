/* SPDX-License-Identifier: MIT */
/*
 * Lesson 15: launches that say more.
 *
 * Grade it:  make lesson15        Run it:  make run15
 * Read:      lessons/15-dependent-launches/chapter.md; lesson.h beside it is the
 *            contract, with the pieces that the kernels are made of.
 */
#include "lesson.h"

/*
 * (a) A chain of small kernels. Parts (b) and (c) launch with this, too.
 */

/* One thread for each of n elements. */
template <typename... Parameters, typename... Arguments>
static void launch(cudaStream_t stream, int n, void (*kernel)(Parameters...), Arguments... arguments)
{
    //> launch
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t how = {};
    how.gridDim = BLOCKS(n);
    how.blockDim = THREADS;
    how.stream = stream;
    how.attrs = &early;
    how.numAttrs = 1;
    CHECK(cudaLaunchKernelEx(&how, kernel, arguments...));
    //< launch
}

__global__ void layer(struct net net, int k)
{
    __shared__ unsigned own[THREADS];
    //> layer
    cudaTriggerProgrammaticLaunchCompletion();      // the next layer may begin with its load()
    load(own, net, k);
    cudaGridDependencySynchronize();                // row k is there
    apply(net, k, own);
    //< layer
}

void forward(const struct net *net, cudaStream_t stream)
{
    for (int k = 0; k < net->layers; k++)
        launch(stream, net->n, layer, *net, k);
}

/*
 * (b) What may move.
 */

__global__ void sense(struct step s)
{
    //> sense
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
    collect(s);
    //< sense
}

__global__ void mix(struct step s)
{
    __shared__ struct own own;
    //> mix
    cudaTriggerProgrammaticLaunchCompletion();
    tune(&own, s);
    weigh(&own, s);                         // `in` was copied before sense() began
    cudaGridDependencySynchronize();
    blend(s, &own);
    //< mix
}

__global__ void settle(struct step s)
{
    __shared__ struct own own;
    //> settle
    tune(&own, s);
    cudaGridDependencySynchronize();
    recall(&own, s);                        // sense() wrote `a`, and may still be at work before the wait
    mark(s);                                // mix() and sense() read `seen`
    finish(s, &own);
    //< settle
}

void all_steps(const struct step *s, cudaStream_t stream)
{
    size_t bytes = s->n * sizeof *s->in;
    for (int k = 0; k < s->count; k++) {
        CHECK(cudaMemcpyAsync(s->in, s->from + k * s->n, bytes, cudaMemcpyHostToDevice, stream));
        launch(stream, s->n, sense, *s);
        launch(stream, s->n, mix, *s);
        launch(stream, s->n, settle, *s);
        CHECK(cudaMemcpyAsync(s->to + k * s->n, s->out, bytes, cudaMemcpyDeviceToHost, stream));
    }
}

/*
 * (c) The chain as a graph, and an audit beside it.
 */

void replay_open(struct replay *r, const struct net *net, int tap, unsigned *tally)
{
    CHECK(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    //> open
    CHECK(cudaStreamCreateWithFlags(&r->side, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&r->fork, cudaEventDisableTiming));
    CHECK(cudaEventCreateWithFlags(&r->join, cudaEventDisableTiming));
    CHECK(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < net->layers; k++) {
        launch(r->stream, net->n, layer, *net, k);
        if (k == tap) {
            CHECK(cudaEventRecord(r->fork, r->stream));
            CHECK(cudaStreamWaitEvent(r->side, r->fork, 0));
            audit<<<BLOCKS(net->n), THREADS, 0, r->side>>>(*net, tap, tally);
            CHECK(cudaGetLastError());
            CHECK(cudaEventRecord(r->join, r->side));
        }
    }
    CHECK(cudaStreamWaitEvent(r->stream, r->join, 0));      // after the last layer: no kernel waits for two
    CHECK(cudaStreamEndCapture(r->stream, &r->graph));
    //< open
    CHECK(cudaGraphInstantiate(&r->ready, r->graph, 0));
}

void replay_run(struct replay *r, cudaStream_t stream)
{
    CHECK(cudaGraphLaunch(r->ready, stream));
}

void replay_close(struct replay *r)
{
    CHECK(cudaGraphExecDestroy(r->ready));
    CHECK(cudaGraphDestroy(r->graph));
    CHECK(cudaStreamDestroy(r->stream));
    //> close
    CHECK(cudaStreamDestroy(r->side));
    CHECK(cudaEventDestroy(r->fork));
    CHECK(cudaEventDestroy(r->join));
    //< close
}

/*
 * (d) A loop that needs no host.
 */

__global__ void spread(struct ring ring) { offer(ring); }
__global__ void merge(struct ring ring) { take(ring); }

/* One thread. */
__global__ void decide(struct ring ring, cudaGraphConditionalHandle more)
{
    //> decide
    cudaGraphSetConditional(more, changes(ring) != 0);      // 0: this round was the last
    //< decide
}

void loop_open(struct loop *r, const struct ring *ring)
{
    CHECK(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    CHECK(cudaGraphCreate(&r->graph, 0));
    //> loop
    CHECK(cudaGraphConditionalHandleCreate(&r->more, r->graph, 1, cudaGraphCondAssignDefault));     // 1 anew in each run
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeConditional;
    params.conditional.handle = r->more;
    params.conditional.type = cudaGraphCondTypeWhile;
    params.conditional.size = 1;
    cudaGraphNode_t node;
    CHECK(add_graph_node(&node, r->graph, NULL, 0, &params));
    cudaGraph_t round = params.conditional.phGraph_out[0];
    CHECK(cudaStreamBeginCaptureToGraph(r->stream, round, NULL, NULL, 0, cudaStreamCaptureModeThreadLocal));
    spread<<<BLOCKS(ring->n), THREADS, 0, r->stream>>>(*ring);
    CHECK(cudaGetLastError());
    merge<<<BLOCKS(ring->n), THREADS, 0, r->stream>>>(*ring);
    CHECK(cudaGetLastError());
    decide<<<1, 1, 0, r->stream>>>(*ring, r->more);
    CHECK(cudaGetLastError());
    CHECK(cudaStreamEndCapture(r->stream, &round));
    //< loop
    CHECK(cudaGraphInstantiate(&r->ready, r->graph, 0));
}

void loop_run(struct loop *r, cudaStream_t stream)
{
    CHECK(cudaGraphLaunch(r->ready, stream));
}

void loop_close(struct loop *r)
{
    CHECK(cudaGraphExecDestroy(r->ready));
    CHECK(cudaGraphDestroy(r->graph));
    CHECK(cudaStreamDestroy(r->stream));
}
