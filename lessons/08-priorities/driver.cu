/* SPDX-License-Identifier: MIT */
/* driver.cu - asks part (a), and sends part (b) its bulk and its requests. */
#include <stdio.h>
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

/* How many blocks of crunch() run at once. */
static int blocks_of_a_wave(size_t shared)
{
    int sms, fit;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, crunch, THREADS, shared));
    return sms * fit;
}

static struct request request_new(const struct sizes *sizes, int k)
{
    size_t bytes = sizes->request * sizeof(unsigned);
    unsigned *in;
    struct request r = {};
    r.n = (int)sizes->request;
    CHECK(cudaMallocHost((void **)&in, bytes));
    CHECK(cudaMallocHost((void **)&r.out, bytes));
    memcpy(in, (const unsigned *)driver_input(IN_REQUESTS, NULL) + k * sizes->request, bytes);
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

static void serve(void)
{
    const struct sizes *sizes = (const struct sizes *)driver_input(IN_SIZES, NULL);
    size_t bytes = sizes->bulk * sizeof(unsigned);
    unsigned *in = on_device(driver_input(IN_BULK, NULL), bytes), *out = on_device(NULL, bytes);
    struct request requests[REQUESTS];
    for (int k = 0; k < REQUESTS; k++)
        requests[k] = request_new(sizes, k);
    int shared;
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    int wave = blocks_of_a_wave(shared), tiles = (int)tiles_of(sizes, wave);
    struct bulk b = { in, out, (int)sizes->bulk, tiles, (size_t)shared };
    crunch<<<wave, THREADS, shared>>>(out, in, b.n, tiles, 0);
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

    /* A stream that waits for no other: what was left undone stays undone. */
    cudaStream_t reader;
    CHECK(cudaStreamCreateWithFlags(&reader, cudaStreamNonBlocking));
    CHECK(cudaMemcpyAsync(driver_output(OUT_BULK, NULL), out, bytes, cudaMemcpyDeviceToHost, reader));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaStreamDestroy(reader));
    for (int k = 0; k < REQUESTS; k++)
        request_end(&requests[k]);
    CHECK(cudaFree(in));
    CHECK(cudaFree(out));
}

int main(void)
{
    levels();
    serve();
    return 0;
}
