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
    /* TODO: this is right, but each kernel begins only when the one before it has ended.
     * - The kernel that is launched may begin when the one before it in the stream allows that.
     * - Nothing else changes: BLOCKS(n) blocks of THREADS threads, in `stream`.
     */
    kernel<<<BLOCKS(n), THREADS, 0, stream>>>(arguments...);
    CHECK(cudaGetLastError());
    //< launch
}

__global__ void layer(struct net net, int k)
{
    __shared__ unsigned own[THREADS];
    //> layer
    /* TODO: this is right, but it does not say when the next layer may begin, nor when it needs the layer before it.
     * - The next layer may begin while this one is at work, as early as that helps.
     * - The row that this layer reads is complete when it reads it. Until then it does what needs no other layer.
     */
    load(own, net, k);
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
    /* TODO: which part of the next kernel could run beside this one?
     * - The next kernel may begin as early as that helps.
     */
    collect(s);
    //< sense
}

__global__ void mix(struct step s)
{
    __shared__ struct own own;
    //> mix
    /* TODO: lesson.h says what each piece reads and writes.
     * - A piece runs before the kernels ahead are done if it touches nothing that they write, and writes nothing that they read.
     * - Each other piece runs when they are done.
     * - The next kernel may begin as early as that helps.
     */
    tune(&own, s);
    weigh(&own, s);
    blend(s, &own);
    //< mix
}

__global__ void settle(struct step s)
{
    __shared__ struct own own;
    //> settle
    /* TODO: two kernels are ahead of this one.
     * - The same as in mix(). Which kernels are certain to be done when this one begins?
     */
    tune(&own, s);
    recall(&own, s);
    mark(s);
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
    /* TODO: the audit is in the way of the layers after it.
     * - audit() comes after layer `tap`, and no layer waits for it.
     * - A layer that may begin early in forward() may do so here.
     * - All that was captured is over when a run is over.
     */
    CHECK(cudaStreamBeginCapture(r->stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < net->layers; k++) {
        launch(r->stream, net->n, layer, *net, k);
        if (k == tap) {
            audit<<<BLOCKS(net->n), THREADS, 0, r->stream>>>(*net, tap, tally);
            CHECK(cudaGetLastError());
        }
    }
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
    /* TODO
     * - Whatever else replay_open() made is given back.
     */
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
    /* TODO: how does the graph learn that there is another round, and that there is none?
     * - When changes() is 0, this round was the last. Until then another one follows.
     */
    (void)more;
    changes(ring);
    //< decide
}

void loop_open(struct loop *r, const struct ring *ring)
{
    CHECK(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    CHECK(cudaGraphCreate(&r->graph, 0));
    //> loop
    /* TODO: this graph has one round, and no loop.
     * - A run has a first round in any case, and the next one as long as decide() says so; the second run, too.
     * - The host does not know how many rounds there are.
     */
    cudaGraph_t round = r->graph;
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
