/* SPDX-License-Identifier: MIT */
/* driver.cu - asks part (a), and sends parts (b) and (c) their work and their requests. */
#include <atomic>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static void levels(void)
{
    const int *wish = (const int *)driver_input(IN_WISHES, NULL);
    struct answers *out = (struct answers *)driver_output(OUT_ANSWERS, NULL);
    struct levels l;
    memset(&l, 0x7f, sizeof l);
    driver_part("a");
    find_levels(&l);
    for (int k = 0; k < WISHES; k++)
        out->granted[k] = granted(wish[k]);
    driver_part(NULL);
    out->least = l.least;
    out->greatest = l.greatest;
    out->count = l.count;
}

static unsigned *on_device(const void *from, size_t bytes)
{
    unsigned *to;
    CHECK(cudaMalloc((void **)&to, bytes));
    if (from)
        CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    else
        CHECK(cudaMemset(to, 0xff, bytes));
    return to;
}

/* How many blocks of crunch(), or of grind(), run at once. */
template <class kernel> static int blocks_of_a_wave(kernel *of, size_t shared)
{
    int sms, fit;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, of, THREADS, shared));
    return sms * fit;
}

static size_t shared_per_block(void)
{
    int shared;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    return (size_t)shared;
}

/* Number `k` of those in that slot. */
static struct request request_new(const struct sizes *sizes, int slot, int k)
{
    size_t bytes = sizes->request * sizeof(unsigned);
    unsigned *in;
    struct request r = {};
    r.n = (int)sizes->request;
    r.shared = shared_per_block();
    CHECK(cudaMallocHost((void **)&in, bytes));
    CHECK(cudaMallocHost((void **)&r.out, bytes));
    memcpy(in, (const unsigned *)driver_input(slot, NULL) + k * sizes->request, bytes);
    memset(r.out, 0xff, bytes);
    r.in = in;
    r.device = on_device(NULL, bytes);
    return r;
}

static void request_end(struct request *r)
{
    CHECK(cudaFreeHost((void *)r->in));
    CHECK(cudaFreeHost(r->out));
    CHECK(cudaFree(r->device));
}

static void ask(struct service *s, const struct request *r, int k)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", REQUEST, k);
    label_push(text);
    answer(s, r);
    label_pop();
    memcpy((unsigned *)driver_output(OUT_REQUESTS, NULL) + (size_t)k * r->n, r->out, r->n * sizeof *r->out);
}

/* From the device, through a stream that waits for no other: what was left undone stays undone. */
static void bring(int slot, const unsigned *from, size_t bytes)
{
    cudaStream_t reader;
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(driver_output(slot, NULL), from, bytes, cudaMemcpyDeviceToHost, reader));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(reader));
}

/* ---- (b) ---- */

static void serve(const struct sizes *sizes)
{
    size_t bytes = sizes->bulk * sizeof(unsigned), shared = shared_per_block();
    unsigned *in = on_device(driver_input(IN_BULK, NULL), bytes), *out = on_device(NULL, bytes);
    struct request requests[REQUESTS];
    for (int k = 0; k < REQUESTS; k++)
        requests[k] = request_new(sizes, IN_REQUESTS, k);
    int wave = blocks_of_a_wave(crunch, shared), tiles = (int)tiles_of(sizes, wave);
    struct bulk b = { in, out, (int)sizes->bulk, tiles, shared };
    crunch<<<wave, THREADS, shared>>>(out, in, b.n, tiles, 0);
    reply<<<REPLY_BLOCKS, THREADS, shared>>>(requests[0].device, requests[0].n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemset(out, 0xff, bytes));
    CHECK(cudaDeviceSynchronize());

    driver_part("b");
    struct service s = {};
    service_open(&s);
    ask(&s, &requests[0], 0);
    label_push(BULK);
    bulk_begin(&s, &b);
    label_pop();
    for (int k = 1; k < REQUESTS; k++) {
        host_work(sizes->pause[k]);
        ask(&s, &requests[k], k);
    }
    service_close(&s);
    driver_part(NULL);

    bring(OUT_BULK, out, bytes);
    for (int k = 0; k < REQUESTS; k++)
        request_end(&requests[k]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

/* ---- (c) ---- */

static struct {
    const struct sizes *sizes;
    struct request request[COMERS];
    int wave;
    long long begin;
    std::atomic<int> taken;     /* one thread takes requests while others hand answers out */
    bool out[COMERS];
} desk;

static void note(const char *what, int k)
{
    char text[40];
    snprintf(text, sizeof text, "%s%d", what, k);
    label_push(text);
    label_pop();
}

bool request_came(struct request *r)
{
    host_work(ASK_NS);
    int k = desk.taken;
    if (k == COMERS || now_ns() - desk.begin < arrival_of(desk.sizes, desk.wave, k))
        return false;
    note(TAKEN, k);
    *r = desk.request[k];
    desk.taken = k + 1;
    return true;
}

void hand_out(const struct request *r)
{
    int k = 0, taken = desk.taken;
    while (k < taken && desk.request[k].out != r->out)
        k++;
    if (k == taken || desk.out[k]) {
        fprintf(stderr, k == taken ? "hand_out(): no such request has come\n" : "hand_out(): request %d is out already\n", k + 1);
        exit(1);
    }
    note(HANDED_OUT, k);
    desk.out[k] = true;
    memcpy((unsigned *)driver_output(OUT_COMERS, NULL) + (size_t)k * r->n, r->out, r->n * sizeof *r->out);
}

static void batch(const struct sizes *sizes)
{
    size_t bytes = sizes->batch * sizeof(unsigned), shared = shared_per_block();
    unsigned *in = on_device(driver_input(IN_BATCH, NULL), bytes), *out = on_device(NULL, bytes);
    int wave = blocks_of_a_wave(grind, shared);
    struct batch b = { in, out, (int)sizes->batch, (int)items_of(sizes, wave), wave, shared, setup_of(sizes, wave),
                       item_of(sizes, wave), patience_of(sizes, wave), COMERS };
    struct places *places = (struct places *)driver_output(OUT_PLACES, NULL);
    desk.sizes = sizes;
    desk.wave = wave;
    for (int k = 0; k < COMERS; k++) {
        desk.request[k] = request_new(sizes, IN_COMERS, k);
        places->out[k] = (uint64_t)(uintptr_t)desk.request[k].out;
    }
    grind<<<wave, THREADS, shared>>>(b, 0, 1);
    CHECK(cudaGetLastError());
    CHECK(cudaMemset(out, 0, bytes));
    CHECK(cudaDeviceSynchronize());

    /* Its streams are part (b)'s affair. */
    struct service s = {};
    service_open(&s);
    driver_part("c");
    label_push(CLOCK);
    desk.begin = now_ns();
    grind_all(&s, &b);
    label_pop();
    driver_part(NULL);
    service_close(&s);

    bring(OUT_BATCH, out, bytes);
    for (int k = 0; k < COMERS; k++)
        request_end(&desk.request[k]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

int main(void)
{
    const struct sizes *sizes = (const struct sizes *)driver_input(IN_SIZES, NULL);
    levels();
    serve(sizes);
    batch(sizes);
    return 0;
}
