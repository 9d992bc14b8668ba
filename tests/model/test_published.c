/* SPDX-License-Identifier: MIT */
/* The model against what was published and measured: the overlap demo (16 MiB
 * in four streams) on five cards, and streams that share hardware queues. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

enum { STREAMS = 4, BLOCK = 256, FLOATS = 4 * 1024 * BLOCK * STREAMS };

static double since(struct rig *r, uint32_t begin)
{
    uint32_t end = rig_record(r, 0);
    rig_sync(r);
    return (double)(r->timeline.spans[end].end - r->timeline.spans[begin].end) / 1e6;
}

struct demo { double sequential, depth, breadth; };

static struct demo overlap_demo(const char *card)
{
    struct rig r;
    struct demo ms;
    const size_t bytes = sizeof(float) * FLOATS;
    const uint32_t blocks = FLOATS / BLOCK;
    uint32_t s[STREAMS], begin;
    rig_start(&r, card, 0, COST_UNKNOWN);
    for (int i = 0; i < STREAMS; i++)
        s[i] = rig_stream(&r, 0, 0);

    begin = rig_record(&r, 0);
    rig_copy(&r, 0, bytes, true, false);
    rig_launch(&r, 0, blocks, BLOCK);
    rig_copy(&r, 0, bytes, false, false);
    ms.sequential = since(&r, begin);

    begin = rig_record(&r, 0);
    for (int i = 0; i < STREAMS; i++) {
        rig_copy(&r, s[i], bytes / STREAMS, true, true);
        rig_launch(&r, s[i], blocks / STREAMS, BLOCK);
        rig_copy(&r, s[i], bytes / STREAMS, false, true);
    }
    ms.depth = since(&r, begin);

    begin = rig_record(&r, 0);
    for (int i = 0; i < STREAMS; i++)
        rig_copy(&r, s[i], bytes / STREAMS, true, true);
    for (int i = 0; i < STREAMS; i++)
        rig_launch(&r, s[i], blocks / STREAMS, BLOCK);
    for (int i = 0; i < STREAMS; i++)
        rig_copy(&r, s[i], bytes / STREAMS, false, true);
    ms.breadth = since(&r, begin);
    rig_finish(&r);
    return ms;
}

static void within(double share, double got, double want, const char *what)
{
    if (got < want * (1 - share) || got > want * (1 + share))
        fail_msg("%s: %.3f ms, published or measured %.3f ms", what, got, want);
}

/* Two that differ by more than a tenth are never the other way round. */
static void same_order(double a, double b, double want_a, double want_b)
{
    if (want_a > 1.1 * want_b)
        assert_true(a > b);
    if (want_b > 1.1 * want_a)
        assert_true(b > a);
}

static void the_overlap_demo_takes_the_published_time_on_every_card(void **state)
{
    (void)state;
    static const struct { const char *card; struct demo want; bool depth_known; } rows[] = {
        { "c1060", { 12.924, 13.637, 8.846 }, true },
        { "c2050", { 9.985, 5.736, 7.598 }, true },
        { "k20c", { 7.102, 3.974, 3.968 }, true },
        { "rtx2070s", { 5.685, 4.636, 4.183 }, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct demo got = overlap_demo(rows[i].card), want = rows[i].want;
        print_message("# %-9s %.3f / %.3f / %.3f ms, published %.3f / %.3f / %.3f\n", rows[i].card, got.sequential,
                      got.depth, got.breadth, want.sequential, want.depth, want.breadth);
        within(0.1, got.sequential, want.sequential, rows[i].card);
        within(0.1, got.breadth, want.breadth, rows[i].card);
        same_order(got.sequential, got.breadth, want.sequential, want.breadth);
        if (!rows[i].depth_known)
            continue;
        within(0.1, got.depth, want.depth, rows[i].card);
        same_order(got.sequential, got.depth, want.sequential, want.depth);
        same_order(got.depth, got.breadth, want.depth, want.breadth);
    }
}

static void the_overlap_demo_takes_the_measured_time_on_an_h200(void **state)
{
    (void)state;
    struct demo got = overlap_demo("h200");
    print_message("# h200      %.3f / %.3f / %.3f ms, measured 0.71 (warm) / 0.452 / 0.447\n", got.sequential,
                  got.depth, got.breadth);
    within(0.1, got.depth, 0.452, "depth first");
    within(0.1, got.breadth, 0.447, "breadth first");
    within(0.1, got.sequential, 0.71, "sequential");
}

/* N streams of three dependent one-block kernels of 3 ms. */
static double chains(unsigned queues, unsigned n, bool depth_first)
{
    struct rig r;
    uint32_t s[128];
    rig_start(&r, "h200", queues, 3000000);
    for (unsigned i = 0; i < n; i++)
        s[i] = rig_stream(&r, 0, 0);
    int64_t begin = model_now(&r.model, 0);
    for (unsigned i = 0; i < 3 * n; i++)
        rig_launch(&r, depth_first ? s[i / 3] : s[i % n], 1, 1);
    rig_sync(&r);
    double ms = (double)(model_now(&r.model, 0) - begin) / 1e6;
    rig_finish(&r);
    return ms;
}

static void streams_that_share_a_hardware_queue_hold_each_other_up_as_measured(void **state)
{
    (void)state;
    static const struct { unsigned queues, n; double depth, breadth; } rows[] = {
        { 0, 1, 9.0, 9.0 }, { 0, 4, 9.1, 9.0 }, { 0, 8, 9.1, 9.1 }, { 0, 9, 15.0, 9.1 }, { 0, 12, 15.1, 9.1 },
        { 0, 16, 15.1, 9.1 }, { 0, 24, 21.1, 9.1 }, { 0, 32, 27.1, 9.2 }, { 0, 33, 33.1, 9.2 },
        { 0, 64, 51.2, 9.4 }, { 0, 128, 99.2, 9.7 }, { 1, 8, 51.1, 0 }, { 4, 8, 15.1, 0 }, { 32, 32, 9.4, 0 },
        { 32, 33, 15.0, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double depth = chains(rows[i].queues, rows[i].n, true), breadth = chains(rows[i].queues, rows[i].n, false);
        print_message("# %u queues, %3u streams: %.2f / %.2f ms, measured %.1f / %.1f\n",
                      rows[i].queues ? rows[i].queues : 8, rows[i].n, depth, breadth, rows[i].depth, rows[i].breadth);
        within(0.1, depth, rows[i].depth, "depth first");
        if (rows[i].breadth > 0)
            within(0.1, breadth, rows[i].breadth, "breadth first");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_overlap_demo_takes_the_published_time_on_every_card),
        cmocka_unit_test(the_overlap_demo_takes_the_measured_time_on_an_h200),
        cmocka_unit_test(streams_that_share_a_hardware_queue_hold_each_other_up_as_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
