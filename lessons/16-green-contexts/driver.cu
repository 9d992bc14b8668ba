/* SPDX-License-Identifier: MIT */
/* driver.cu - splits a device in part (a), sends part (b) its bulk and its requests, and part (c) its loads. */
#include <stdio.h>
#include <string.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static struct split device;
static size_t shared;           /* of a block, bytes */

/* How many blocks of the kernel an SM takes. */
template <class kernel> static int fit(kernel *of)
{
    int blocks;
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, of, THREADS, shared));
    return blocks;
}

static void ask_device(void)
{
    int sms, major, bytes;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlock, 0));
    device = split_of(sms, major);
    shared = (size_t)bytes;
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

static void label(const char *what, int k)
{
    char text[32];
    snprintf(text, sizeof text, "%s%d", what, k);
    label_push(text);
}

static void launch_hold(int blocks, long long ns, cudaStream_t stream)
{
    hold<<<blocks, THREADS, shared, stream>>>(ns);
    CHECK(cudaGetLastError());
}

/* ---- (a) ---- */

static void split(const struct sizes *sizes, struct answers *out)
{
    struct sides s = {};
    launch_hold(1, 1000, NULL);
    CHECK(cudaDeviceSynchronize());
    int per_sm = fit(hold);
    driver_part("a");
    sides_open(&s, (int)sizes->sms);
    launch_hold(URGENT_WAVES * (int)sizes->sms * per_sm, HOLD_NS, s.urgent);
    CHECK(cudaDeviceSynchronize());             /* each is alone: what it does not use is not in use */
    launch_hold(2 * device.sms * per_sm, HOLD_NS, s.bulk);
    launch_hold(1, HOLD_NS, s.urgent);
    label_push(CLOSE);
    sides_close(&s);
    label_pop();
    driver_part(NULL);
    out->urgent_sms = s.urgent_sms;
    out->bulk_sms = s.bulk_sms;
    CHECK(cudaDeviceSynchronize());
}

/* ---- (b) ---- */

static struct request request_new(const struct sizes *sizes, const unsigned *table, int urgent_sms, int k)
{
    size_t bytes = sizes->request * sizeof(unsigned);
    unsigned *in;
    struct request r = {};
    r.n = (int)sizes->request;
    r.shared = shared;
    r.blocks = urgent_sms * fit(reply);
    r.table = table;
    CHECK(cudaMallocHost((void **)&in, bytes));
    CHECK(cudaMallocHost((void **)&r.out, bytes));
    memcpy(in, (const unsigned *)driver_input(IN_REQUESTS, NULL) + k * sizes->request, bytes);
    memset(r.out, 0xff, bytes);
    r.in = in;
    r.device = on_device(NULL, bytes);
    return r;
}

/* Its result; was its input left alone? */
static void request_take(const struct request *r, int k, struct answers *out)
{
    size_t bytes = r->n * sizeof(unsigned);
    memcpy((unsigned *)driver_output(OUT_REQUESTS, NULL) + (size_t)k * r->n, r->out, bytes);
    if (memcmp(r->in, (const unsigned *)driver_input(IN_REQUESTS, NULL) + (size_t)k * r->n, bytes) != 0 && !out->changed_request)
        out->changed_request = k + 1;
}

/* The same of a bulk. */
static void bulk_take(const struct bulk *b, int in, int result, struct answers *out)
{
    size_t bytes = b->n * sizeof(unsigned);
    unsigned *left = (unsigned *)driver_output(result, NULL);
    CHECK(cudaMemcpy(left, b->in, bytes, cudaMemcpyDeviceToHost));
    if (memcmp(left, driver_input(in, NULL), bytes) != 0)
        out->changed_bulk = 1;
    CHECK(cudaMemcpy(left, b->out, bytes, cudaMemcpyDeviceToHost));
}

static void request_end(struct request *r)
{
    CHECK(cudaFreeHost((void *)r->in));
    CHECK(cudaFreeHost(r->out));
    CHECK(cudaFree(r->device));
}

/* A second bulk and its request, in the first one's memory. */
static void serve_again(struct sides *s, struct bulk b, struct request *r, const struct sizes *sizes, int wave, struct answers *out)
{
    CHECK(cudaMemcpy((void *)b.in, driver_input(IN_AGAIN, NULL), sizes->again * sizeof(unsigned), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(b.out, 0xff, sizes->again * sizeof(unsigned)));
    CHECK(cudaMemset(b.table, 0xff, TABLE * sizeof(unsigned)));
    CHECK(cudaDeviceSynchronize());
    b.n = (int)sizes->again;
    b.tiles = tiles_again(wave);
    driver_part("again b");     // what it makes has to be given back, too
    label_push(AGAIN);
    bulk_begin(s, &b);
    label(REQUEST, REQUESTS);
    answer(s, r);
    label_pop();
    request_take(r, REQUESTS, out);
    bulk_end(s);
    label_pop();
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    bulk_take(&b, IN_AGAIN, OUT_AGAIN, out);
}

static void serve(const struct sizes *sizes, struct answers *out)
{
    size_t bytes = sizes->bulk * sizeof(unsigned);
    struct bulk b = { on_device(driver_input(IN_BULK, NULL), bytes), on_device(NULL, bytes), on_device(NULL, TABLE * sizeof(unsigned)),
                      (int)sizes->bulk, 0, shared };
    struct request requests[ALL_REQUESTS];
    int urgent = part_of(device, (int)sizes->urgent);   /* as many as a part has: no more is allowed */
    for (int k = 0; k < ALL_REQUESTS; k++)
        requests[k] = request_new(sizes, b.table, urgent, k);
    int wave = (device.sms - urgent) * fit(crunch);
    b.tiles = tiles_of(sizes, wave);
    tune<<<1, THREADS>>>(b.table);
    crunch<<<1, THREADS, shared>>>(b.out, b.in, b.table, b.n, b.tiles, 0);
    reply<<<1, THREADS, shared>>>(requests[0].device, b.table, requests[0].n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemset(b.out, 0xff, bytes));
    CHECK(cudaMemset(b.table, 0xff, TABLE * sizeof(unsigned)));
    CHECK(cudaDeviceSynchronize());

    struct sides s = {};
    sides_open(&s, urgent);
    out->exact_urgent_sms = s.urgent_sms;
    out->exact_bulk_sms = s.bulk_sms;
    driver_part("b");
    label_push(BULK);
    bulk_begin(&s, &b);
    label_pop();
    for (int k = 0; k < REQUESTS; k++) {
        host_work(k < REQUESTS - 1 ? sizes->pause[k] : 2 * sizes->waves * BULK_NS);     /* by then the device is idle */
        label(REQUEST, k);
        answer(&s, &requests[k]);
        label_pop();
        request_take(&requests[k], k, out);
    }
    label_push(END);
    bulk_end(&s);
    label_pop();
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    bulk_take(&b, IN_BULK, OUT_BULK, out);
    serve_again(&s, b, &requests[REQUESTS], sizes, wave, out);
    sides_close(&s);

    for (int k = 0; k < ALL_REQUESTS; k++)
        request_end(&requests[k]);
    CHECK(cudaFree((void *)b.in));
    CHECK(cudaFree(b.out));
    CHECK(cudaFree(b.table));
}

/* ---- (c) ---- */

static struct load load_of(const struct sizes *sizes, int per_sm, long long bulk_block_ns, long long request_block_ns, int k)
{
    struct needs n = needs_of(device, sizes, k);
    struct load l = {};
    l.bulk_blocks = blocks_of(n.rest, per_sm, sizes->bulk_waves[k], is_exact(k));
    l.request_blocks = k == 2 ? just_need(n.need, per_sm, sizes->request_waves[k])
                              : blocks_of(n.need, per_sm, sizes->request_waves[k], is_exact(k));
    l.per_sm = per_sm;
    l.bulk_block_ns = bulk_block_ns;
    l.request_block_ns = request_block_ns;
    l.bulk_due_ns = due_of(sizes->bulk_waves[k], bulk_block_ns, is_exact(k));
    l.request_due_ns = due_of(sizes->request_waves[k], request_block_ns, is_exact(k));
    return l;
}

static void share(const struct sizes *sizes, struct answers *out)
{
    int per_sm = fit(hold);
    driver_part("c");
    for (int k = 0; k < LOADS; k++) {
        struct load l = load_of(sizes, per_sm, BULK_BLOCK_NS, REQUEST_BLOCK_NS, k);
        int asked = out->share[k] = urgent_share(&l);
        for (int of = 0; asked <= 0 && k < FITTING && of < 2; of++) {
            struct load easy = l;
            *(of == REQUEST_ALONE ? &easy.bulk_due_ns : &easy.request_due_ns) *= EASILY;
            out->alone[k][of] = urgent_share(&easy);
        }
        if (asked <= 0 || asked > device.sms || part_of(device, asked) == device.sms)
            continue;
        struct sides s = {};
        label(LOAD, k);
        sides_open(&s, asked);
        launch_hold(l.bulk_blocks, l.bulk_block_ns, s.bulk);
        launch_hold(l.request_blocks, l.request_block_ns, s.urgent);
        sides_close(&s);
        label_pop();
    }
    driver_part(LONG_LOADS);
    for (int k = 0; k < LOADS; k++) {
        struct load l = load_of(sizes, LONG_PER_SM, LONG_BULK_BLOCK_NS, LONG_REQUEST_BLOCK_NS, k);
        out->long_share[k] = urgent_share(&l);
    }
    driver_part(NULL);
}

int main(void)
{
    const struct sizes *sizes = (const struct sizes *)driver_input(IN_SIZES, NULL);
    struct answers *out = (struct answers *)driver_output(OUT_ANSWERS, NULL);
    out->exact_urgent_sms = out->exact_bulk_sms = 0;        /* a program may end in (a) */
    CHECK(cudaFree(NULL));
    out->changed_request = out->changed_bulk = 0;
    ask_device();
    split(sizes, out);
    serve(sizes, out);
    share(sizes, out);
    return 0;
}
