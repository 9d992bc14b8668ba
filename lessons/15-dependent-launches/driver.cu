/* SPDX-License-Identifier: MIT */
/* driver.cu - is the caller of lesson 15: owns the memory, asks for the chain, the steps, the runs and the loops, and brings the results home. */
#include <stdio.h>

#include "driver.h"
#include "lesson.h"
#include "slots.h"

static_assert(BLOCK == THREADS, "the judges count with it");

static const struct settings *settings(void)
{
    return (const struct settings *)driver_input(IN_SETTINGS, NULL);
}

static unsigned *filled(size_t bytes, cudaStream_t stream)
{
    unsigned *to;
    CHECK(cudaMalloc((void **)&to, bytes));
    CHECK(cudaMemsetAsync(to, 0xee, bytes, stream));
    return to;
}

static unsigned *on_device(int slot, cudaStream_t stream)
{
    size_t bytes;
    const void *from = driver_input(slot, &bytes);
    unsigned *to = filled(bytes, stream);
    CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
    return to;
}

static cudaStream_t new_stream(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

/* ---- (a), (c) ---- */

static struct net new_net(cudaStream_t stream)
{
    size_t bytes;
    struct net net = {};
    const void *first = driver_input(IN_X, &bytes);
    net.layers = (int)settings()->layers;
    net.n = (int)settings()->n;
    net.weights = on_device(IN_WEIGHTS, stream);
    net.x = filled((net.layers + 1) * bytes, stream);
    CHECK(cudaMemcpyAsync(net.x, first, bytes, cudaMemcpyHostToDevice, stream));
    CHECK(cudaStreamSynchronize(stream));
    return net;
}

static void end_net(struct net *net, int slot, cudaStream_t stream)
{
    size_t bytes;
    void *to = driver_output(slot, &bytes);
    CHECK(cudaMemcpyAsync(to, net->x + (size_t)net->layers * net->n, bytes, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree((void *)net->weights));
    CHECK(cudaFree(net->x));
    CHECK(cudaStreamDestroy(stream));
}

static void chain(void)
{
    cudaStream_t stream = new_stream();
    struct net net = new_net(stream);
    size_t bytes = net.n * sizeof *net.x;
    unsigned *first = filled(bytes, stream);
    CHECK(cudaMemcpyAsync(first, net.x, bytes, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaMemsetAsync(net.x, 0xee, bytes, stream));
    CHECK(cudaStreamSynchronize(stream));
    /* Row 0 comes with what is in the stream already. */
    CHECK(cudaMemcpyAsync(net.x, first, bytes, cudaMemcpyDeviceToDevice, stream));
    driver_part("a");
    forward(&net, stream);
    driver_part(NULL);
    end_net(&net, OUT_X, stream);
    CHECK(cudaFree(first));
}

static void replays(void)
{
    size_t bytes;
    cudaStream_t stream = new_stream();
    struct net net = new_net(stream);
    struct replay r = {};
    void *to = driver_output(OUT_TALLY, &bytes);
    unsigned *tally;
    CHECK(cudaMalloc((void **)&tally, bytes));
    CHECK(cudaMemsetAsync(tally, 0, bytes, stream));
    CHECK(cudaStreamSynchronize(stream));
    driver_part("c");
    label_push(OPEN);
    replay_open(&r, &net, (int)settings()->tap, tally);
    label_pop();
    for (int k = 0; k < settings()->runs; k++) {
        char text[32];
        snprintf(text, sizeof text, "%s%d", RUN, k);
        label_push(text);
        replay_run(&r, stream);
        label_pop();
    }
    CHECK(cudaStreamSynchronize(stream));
    replay_close(&r);
    driver_part(NULL);
    CHECK(cudaMemcpyAsync(to, tally, bytes, cudaMemcpyDeviceToHost, stream));
    end_net(&net, OUT_REPLAY, stream);
    CHECK(cudaFree(tally));
}

/* ---- (b) ---- */

static void steps(void)
{
    size_t all, bytes;
    cudaStream_t stream = new_stream();
    struct step s = {};
    unsigned *from;
    const unsigned *given = (const unsigned *)driver_input(IN_STEPS, &all);
    unsigned *out = (unsigned *)driver_output(OUT_STEPS, NULL);
    s.count = (int)settings()->steps;
    s.n = (int)settings()->step_n;
    bytes = s.n * sizeof *out;
    s.table = on_device(IN_TABLE, stream);
    s.seen = on_device(IN_SEEN, stream);
    s.in = filled(bytes, stream);
    s.a = filled(bytes, stream);
    s.b = filled(bytes, stream);
    s.out = filled(bytes, stream);
    CHECK(cudaMallocHost((void **)&from, all));
    CHECK(cudaMallocHost((void **)&s.to, all));
    for (size_t i = 0; i < all / sizeof *from; i++) {
        from[i] = given[i];
        s.to[i] = ~given[i];
    }
    s.from = from;
    CHECK(cudaStreamSynchronize(stream));
    driver_part("b");
    all_steps(&s, stream);
    driver_part(NULL);
    CHECK(cudaStreamSynchronize(stream));
    for (size_t i = 0; i < all / sizeof *out; i++)
        out[i] = s.to[i];
    CHECK(cudaDeviceSynchronize());
    unsigned *device[] = { (unsigned *)s.table, s.seen, s.in, s.a, s.b, s.out };
    for (unsigned *memory : device)
        CHECK(cudaFree(memory));
    CHECK(cudaFreeHost(from));
    CHECK(cudaFreeHost(s.to));
    CHECK(cudaStreamDestroy(stream));
}

/* ---- (d) ---- */

/* A ring, and the loop that is made for it. */
struct track {
    struct ring ring;
    struct loop loop;
    size_t bytes;               /* of its elements */
};

static struct track new_track(int k, const unsigned *toll, cudaStream_t stream)
{
    struct track t = {};
    t.ring.n = (int)settings()->ring_n[k];
    t.bytes = t.ring.n * sizeof *t.ring.x;
    t.ring.toll = toll;
    t.ring.x = filled(t.bytes, stream);
    t.ring.y = filled(t.bytes, stream);
    t.ring.changed = filled(sizeof *t.ring.changed, stream);
    t.ring.rounds = filled(COUNTS * sizeof *t.ring.rounds, stream);
    t.ring.calls = t.ring.rounds + 1;
    return t;
}

static void end_track(struct track *t)
{
    unsigned *device[] = { t->ring.x, t->ring.y, t->ring.changed, t->ring.rounds };
    for (unsigned *memory : device)
        CHECK(cudaFree(memory));
}

static void loops(void)
{
    size_t all, counts;
    cudaStream_t stream = new_stream();
    struct track tracks[RINGS];
    unsigned *ends, *counted, *out = (unsigned *)driver_output(OUT_RING, &all), *out_counts = (unsigned *)driver_output(OUT_COUNTS, &counts);
    unsigned *toll = on_device(IN_TOLL, stream), *begins = on_device(IN_RING, stream);
    tracks[0] = new_track(0, toll, stream);
    tracks[1] = new_track(1, toll + tracks[0].ring.n, stream);
    CHECK(cudaMallocHost((void **)&ends, all));
    CHECK(cudaMallocHost((void **)&counted, counts));
    CHECK(cudaStreamSynchronize(stream));
    driver_part("d");
    label_push(OPEN);
    for (struct track &t : tracks)
        loop_open(&t.loop, &t.ring);
    label_pop();
    size_t at = 0;
    for (int k = 0; k < settings()->loops; k++) {
        char text[32];
        struct track &t = tracks[k % RINGS];
        CHECK(cudaMemsetAsync(t.ring.changed, 0, sizeof *t.ring.changed, stream));
        CHECK(cudaMemsetAsync(t.ring.rounds, 0, COUNTS * sizeof *t.ring.rounds, stream));
        CHECK(cudaMemcpyAsync(t.ring.x, begins + at, t.bytes, cudaMemcpyDeviceToDevice, stream));
        snprintf(text, sizeof text, "%s%d", RUN, k);
        label_push(text);
        loop_run(&t.loop, stream);
        label_pop();
        CHECK(cudaMemcpyAsync(ends + at, t.ring.x, t.bytes, cudaMemcpyDeviceToHost, stream));
        CHECK(cudaMemcpyAsync(counted + k * COUNTS, t.ring.rounds, COUNTS * sizeof *counted, cudaMemcpyDeviceToHost, stream));
        at += t.ring.n;
    }
    CHECK(cudaStreamSynchronize(stream));
    for (struct track &t : tracks)
        loop_close(&t.loop);
    driver_part(NULL);
    CHECK(cudaDeviceSynchronize());
    for (size_t i = 0; i < all / sizeof *out; i++)
        out[i] = ends[i];
    for (size_t i = 0; i < counts / sizeof *out_counts; i++)
        out_counts[i] = counted[i];
    for (struct track &t : tracks)
        end_track(&t);
    CHECK(cudaFree(toll));
    CHECK(cudaFree(begins));
    CHECK(cudaFreeHost(ends));
    CHECK(cudaFreeHost(counted));
    CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    chain();
    steps();
    replays();
    loops();
    return 0;
}
