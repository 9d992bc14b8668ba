/* SPDX-License-Identifier: MIT */
/* Streams that have some of the SMs: waves, what waits for what, a graph's nodes, other cards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rig.h"

static const int64_t US = 1000;
enum { THREADS = 1024, PER_SM = 2 };    /* blocks of that many threads on an SM of an H200 */
static struct rig r;

/* SMs first, first + 1, …: `count` of them. */
static uint32_t green(uint32_t first, uint32_t count, int priority)
{
    struct call c = { .kind = CALL_STREAM_CREATE, .stream = r.streams, .flags = STREAM_NON_BLOCKING,
                      .priority = priority };
    for (uint32_t i = first; i < first + count; i++)
        *(i < 96 ? &c.sms_low[i / 32] : &c.sms_high[i / 32 - 3]) |= 1u << i % 32;
    rig_call(&r, c);
    return r.streams++;
}

static int begin(void **state)
{
    (void)state;
    rig_start(&r, "h200", 0, 100 * US);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    rig_finish(&r);
    return 0;
}

static const struct span *span(uint32_t node) { return &r.timeline.spans[node]; }

static int64_t waves(uint32_t node)
{
    return (span(node)->end - span(node)->start) / (100 * US);
}

static void a_kernel_takes_the_waves_that_its_sms_need(void **state)
{
    (void)state;
    uint32_t a = green(90, 16, 0),
             all = rig_stream(&r, STREAM_NON_BLOCKING, 0); /* across the two halves of the set */
    uint32_t one = rig_launch(&r, a, 16 * PER_SM, THREADS),
             two = rig_launch(&r, a, 16 * PER_SM + 1, THREADS);
    rig_sync(&r);
    uint32_t whole = rig_launch(&r, all, 132 * PER_SM, THREADS);
    rig_sync(&r);
    assert_int_equal(waves(one), 1);
    assert_int_equal(waves(two), 2);
    assert_int_equal(waves(whole), 1);
}

static void parts_do_not_wait_for_each_other(void **state)
{
    (void)state;
    uint32_t a = green(0, 16, 0), b = green(16, 116, 0);
    uint32_t bulk = rig_launch(&r, b, 10 * 116 * PER_SM, THREADS),
             small = rig_launch(&r, a, 16 * PER_SM, THREADS);
    rig_sync(&r);
    assert_int_equal(waves(bulk), 10);
    assert_true(span(small)->end < span(bulk)->start + 150 * US);
}

static void the_whole_device_is_shared_with_them(void **state)
{
    (void)state;
    uint32_t a = green(0, 16, 0), b = green(16, 116, 0),
             all = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    uint32_t bulk = rig_launch(&r, b, 10 * 116 * PER_SM, THREADS),
             beside = rig_launch(&r, all, 16 * PER_SM, THREADS);
    rig_sync(&r);
    assert_true(span(beside)->end < span(bulk)->start + 150 * US);
    uint32_t more = rig_launch(&r, b, 10 * 116 * PER_SM, THREADS),
             spread = rig_launch(&r, all, 2 * 16 * PER_SM, THREADS);
    rig_sync(&r);
    assert_int_equal(waves(spread), 2);
    assert_true(span(spread)->end < span(more)->end);
    /* One that waits for room keeps others out of the SMs that it may have, and out of no others.
     */
    uint32_t wide = rig_launch(&r, all, 3 * 132 * PER_SM, THREADS),
             late = rig_launch(&r, a, 1, THREADS);
    rig_sync(&r);
    assert_true(span(late)->start >= span(wide)->start + 200 * US);
}

static void in_a_part_the_more_urgent_go_first(void **state)
{
    (void)state;
    uint32_t a = green(0, 16, 0), urgent = green(0, 16, -5);
    uint32_t bulk = rig_launch(&r, a, 5 * 16 * PER_SM, THREADS),
             late = rig_launch(&r, urgent, 1, THREADS);
    rig_sync(&r);
    assert_true(span(late)->end < span(bulk)->start + 250 * US);
    assert_true(span(late)->start >= span(bulk)->start + 100 * US);
}

static void a_node_has_the_sms_of_its_capture(void **state)
{
    (void)state;
    uint32_t a = green(0, 16, 0), all = rig_stream(&r, STREAM_NON_BLOCKING, 0), nodes[2];
    for (uint32_t k = 0; k < 2;
         k++) { /* captured in `a` and launched into `all`; the other way round */
        uint32_t into = k == 0 ? all : a;
        rig_call(&r, (struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = into, .graph = { 1, 1, 0 },
                                    .graph_roots = 1 });
        size_t call = rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .stream = into,
                                                  .flags = GRAPH_NODE, .grid = { 64, 1, 1 },
                                                  .block = { THREADS, 1, 1 }, .cost = COST_UNKNOWN,
                                                  .dst_device = k == 0 ? a + 1 : 0 });
        nodes[k] = r.timeline.calls[call].node;
        rig_call(&r, (struct call){ .kind = CALL_GRAPH_END, .stream = into });
        rig_sync(&r);
    }
    assert_int_equal(waves(nodes[0]), 2);
    assert_int_equal(waves(nodes[1]), 1);
}

static void a_card_has_those_that_it_has(void **state)
{
    finish(state);
    rig_start(&r, "rtx3090", 0, 100 * US);      /* 82 SMs, a block of 1,024 threads each */
    uint32_t a = green(80, 16, 0), none = green(100, 16, 0);
    uint32_t two = rig_launch(&r, a, 4, THREADS);
    rig_sync(&r);
    uint32_t all = rig_launch(&r, none, 82, THREADS);
    rig_sync(&r);
    assert_int_equal(waves(two), 2);
    assert_int_equal(waves(all), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_kernel_takes_the_waves_that_its_sms_need, begin, finish),
        cmocka_unit_test_setup_teardown(parts_do_not_wait_for_each_other, begin, finish),
        cmocka_unit_test_setup_teardown(the_whole_device_is_shared_with_them, begin, finish),
        cmocka_unit_test_setup_teardown(in_a_part_the_more_urgent_go_first, begin, finish),
        cmocka_unit_test_setup_teardown(a_node_has_the_sms_of_its_capture, begin, finish),
        cmocka_unit_test_setup_teardown(a_card_has_those_that_it_has, begin, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
