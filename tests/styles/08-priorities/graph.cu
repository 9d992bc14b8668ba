/* SPDX-License-Identifier: MIT */
/* A request is a graph of three nodes, captured and launched in the urgent stream; the bulk in two halves, of whole waves. */
#include "lesson.h"

/*
 * (a) What has this device?
 */
void find_levels(struct levels *l)
{
    //> levels
    CHECK(cudaDeviceGetStreamPriorityRange(&l->least, &l->greatest));
    l->count = l->least - l->greatest + 1;      // the greatest priority is the lowest number
    //< levels
}

int granted(int wish)
{
    //> granted
    cudaStream_t stream;
    int priority;
    CHECK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, wish));
    CHECK(cudaStreamGetPriority(stream, &priority));
    CHECK(cudaStreamDestroy(stream));
    return priority;
    //< granted
}

void service_open(struct service *s)
{
    struct levels l;
    find_levels(&l);
    CHECK(cudaStreamCreateWithPriority(&s->bulk, cudaStreamNonBlocking, l.least));
    CHECK(cudaStreamCreateWithPriority(&s->urgent, cudaStreamNonBlocking, l.greatest));
}

void bulk_begin(struct service *s, const struct bulk *b)
{
    int sms, fit;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, crunch, THREADS, b->shared));
    int half = 10 * sms * fit;
    crunch<<<half, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, 0);
    crunch<<<b->tiles - half, THREADS, b->shared, s->bulk>>>(b->out, b->in, b->n, b->tiles, half);
    CHECK(cudaGetLastError());
}

void answer(struct service *s, const struct request *r)
{
    size_t bytes = r->n * sizeof *r->in;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(s->urgent, cudaStreamCaptureModeRelaxed));
    CHECK(cudaMemcpyAsync(r->device, r->in, bytes, cudaMemcpyHostToDevice, s->urgent));
    reply<<<REPLY_BLOCKS, THREADS, r->shared, s->urgent>>>(r->device, r->n);
    CHECK(cudaMemcpyAsync(r->out, r->device, bytes, cudaMemcpyDeviceToHost, s->urgent));
    CHECK(cudaStreamEndCapture(s->urgent, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphLaunch(exec, s->urgent));
    CHECK(cudaStreamSynchronize(s->urgent));
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
}

void service_close(struct service *s)
{
    CHECK(cudaStreamSynchronize(s->bulk));
    CHECK(cudaStreamDestroy(s->bulk));
    CHECK(cudaStreamDestroy(s->urgent));
}

/* One launch at a time: a request waits for what is left of it. */
void grind_all(struct service *s, const struct batch *b)
{
    const int each = (int)((b->patience_ns - b->setup_ns) / b->item_ns);
    int answered = 0;
    auto serve = [&] {
        struct request r;
        while (request_came(&r)) {
            answer(s, &r);
            hand_out(&r);
            answered++;
        }
    };
    for (int first = 0; first < b->items; first += b->wave * each) {
        int left = (b->items - first + each - 1) / each;
        grind<<<left < b->wave ? left : b->wave, THREADS, b->shared, s->bulk>>>(*b, first, each);
        CHECK(cudaGetLastError());
        CHECK(cudaStreamSynchronize(s->bulk));
        serve();
    }
    while (answered < b->requests)
        serve();
    CHECK(cudaStreamSynchronize(s->bulk));
}
