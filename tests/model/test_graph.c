/* SPDX-License-Identifier: MIT */
/* Graphs on the model: branches run side by side, a launch costs one call, a replay is the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rig.h"

static const int64_t MS = 1000000;
static struct rig r;
static uint32_t s;

static int set_up(void **state)
{
    (void)state;
    rig_start(&r, "h200", 0, MS);
    s = rig_stream(&r, 0, 0);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    rig_finish(&r);
    return 0;
}

static void graph(uint32_t kind)
{
    rig_call(&r, (struct call){ .kind = kind, .stream = s });
}

/* A kernel of one block after the nodes of a mask; its number in the timeline. */
static uint32_t kernel(uint32_t after)
{
    for (uint32_t i = 0; after >> i != 0; i++)
        if (after >> i & 1)
            rig_call(&r, (struct call){ .kind = CALL_GRAPH_EDGE, .stream = s, .src = i });
    size_t call = rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .stream = s, .grid = { 1, 1, 1 },
                                              .block = { 32, 1, 1 }, .cost = COST_UNKNOWN,
                                              .flags = GRAPH_NODE });
    uint32_t node = r.timeline.calls[call].node;
    rig_call(&r, (struct call){ .kind = CALL_COST, .node = node, .cost = r.cost });
    return node;
}

/* A root, `branches` chains of two, a kernel that joins them. */
static void launch(uint32_t branches)
{
    graph(CALL_GRAPH_LAUNCH);
    kernel(0);
    uint32_t ends = 0;
    for (uint32_t i = 0; i < branches; i++) {
        kernel(1);
        kernel(2u << 2 * i);
        ends |= 4u << 2 * i;
    }
    kernel(ends);
    graph(CALL_GRAPH_END);
}

static void branches_run_side_by_side_and_none_holds_up_another(void **state)
{
    (void)state;
    launch(12);                                 /* more than there are hardware queues */
    rig_sync(&r);
    const struct span *first = &r.timeline.spans[0], *last = &r.timeline.spans[25];
    int64_t length = last->end - first->start;
    assert_true(length >= 4 * MS && length < 4 * MS + MS / 4);
}

static void branches_that_are_ready_together_begin_one_after_the_other(void **state)
{
    (void)state;
    int64_t after_root[2];
    for (int k = 0; k < 2; k++) {           /* the second launch as the first */
        graph(CALL_GRAPH_LAUNCH);
        uint32_t root = kernel(0), branch[4];
        for (uint32_t i = 0; i < 4; i++)
            branch[i] = kernel(1);
        graph(CALL_GRAPH_END);
        rig_sync(&r);
        const struct span *spans = r.timeline.spans;
        after_root[k] = spans[branch[0]].start - spans[root].end;
        for (uint32_t i = 1; i < 4; i++)
            assert_int_equal(spans[branch[i]].start - spans[branch[i - 1]].start,
                             r.model.card->kernel_ns);
    }
    assert_int_equal(after_root[0], after_root[1]);
}

static void work_behind_a_graph_in_its_queue_is_not_held_up_by_its_branches(void **state)
{
    (void)state;
    uint32_t other = s;
    for (uint32_t i = 0; i < 8; i++)
        other = rig_stream(&r, 0, 0);           /* the eighth shares the hardware queue */
    launch(2);
    uint32_t node = rig_launch(&r, other, 1, 32);
    rig_sync(&r);
    assert_true(r.timeline.spans[node].start < MS);
}

/* It is issued while the graph's later kernels are not ready yet, and must not stand in their way.
 */
static void work_behind_a_graph_in_its_stream_waits_for_all_of_it(void **state)
{
    for (size_t i = 0; i < card_count(); i++) {
        finish(state);
        rig_start(&r, card_at(i)->name, 1, MS);
        s = rig_stream(&r, 0, 0);
        launch(2);
        uint32_t after = rig_launch(&r, s, 1, 32), home = rig_copy(&r, s, 1000, false, true);
        launch(2);
        rig_sync(&r);
        const struct span *spans = r.timeline.spans;
        for (uint32_t node = 0; node < after; node++)
            assert_true(spans[node].end <= spans[after].start);
        assert_true(spans[after].end <= spans[home].start && spans[home].end < TIME_NEVER);
        assert_true(spans[home + 1].start >= spans[home].end && spans[home + 6].end < TIME_NEVER);
    }
}

static void a_launch_of_kernels_in_a_row_costs_one_call_however_many_they_are(void **state)
{
    (void)state;
    int64_t begin = model_now(&r.model, 0);
    launch(12);
    assert_int_equal(model_now(&r.model, 0) - begin, r.model.card->call_graph);
}

/* What a call costs that does this with a graph of so many nodes, kernels and copies. */
static int64_t cost_of(uint32_t kind, uint32_t flags, uint32_t roots)
{
    size_t call = rig_call(
        &r,
        (struct call){
            .kind = kind, .stream = s, .flags = flags, .grid = { 24, 8, 16 }, .block = { roots } });
    return r.timeline.calls[call].end - r.timeline.calls[call].begin;
}

static void what_is_done_with_a_graph_costs_by_its_size(void **state)
{
    (void)state;
    const struct card *card = r.model.card;
    assert_true(card->graph_make > 0 && card->graph_load_kernel > 0 && card->graph_call_copy > 0
                && card->graph_drop_root > 0);
    int64_t made = card->call_other + card->graph_make + 24 * card->graph_make_node;
    assert_int_equal(cost_of(CALL_OTHER, GRAPH_MADE, 1), made);
    assert_int_equal(cost_of(CALL_OTHER, GRAPH_MADE, 8), made + 7 * card->graph_make_root);
    assert_int_equal(cost_of(CALL_OTHER, GRAPH_MADE | GRAPH_LOADED, 0),
                     made + 8 * card->graph_load_kernel);
    assert_int_equal(cost_of(CALL_OTHER, GRAPH_LOADED, 8),
                     card->call_other + 8 * card->graph_load_kernel);
    assert_int_equal(cost_of(CALL_OTHER, GRAPH_DROPPED, 8),
                     card->call_other + 24 * card->graph_drop_node + 7 * card->graph_drop_root);
    assert_int_equal(cost_of(CALL_OTHER, 0, 8), card->call_other);
    assert_int_equal(cost_of(CALL_OTHER, CALL_CAPTURED | GRAPH_LOADED, 8), card->call_other);
    int64_t launched = card->call_graph + 7 * card->graph_call_root + 16 * card->graph_call_copy;
    assert_int_equal(cost_of(CALL_GRAPH_LAUNCH, 0, 8), launched);
    graph(CALL_GRAPH_END);
    assert_int_equal(cost_of(CALL_GRAPH_LAUNCH, GRAPH_LOADED, 8),
                     launched + 8 * card->graph_load_kernel);
    graph(CALL_GRAPH_END);
}

static void a_graph_begins_while_its_launch_still_hands_over_copies(void **state)
{
    (void)state;
    size_t call = rig_call(&r, (struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = s,
                                              .grid = { 1000, 0, 1000 }, .block = { 1 } });
    uint32_t node = kernel(0);
    graph(CALL_GRAPH_END);
    rig_sync(&r);
    const struct call *c = &r.timeline.calls[call];
    assert_true(r.timeline.spans[node].start < c->end);
    assert_true(r.timeline.spans[node].start >= c->begin + r.model.card->call_graph);
}

static void a_replay_of_graph_launches_gives_the_same_timeline(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        launch(1 + i % 4);
        rig_copy(&r, i % 2 ? s : 0, 1000000, true, true);
    }
    rig_sync(&r);
    struct timeline t;
    struct happens_before o;
    timeline_init(&t);
    hb_init(&o);
    model_replay(&r.timeline, r.model.card, &t, &o);
    assert_int_equal(t.call_count, r.timeline.call_count);
    assert_int_equal(t.span_count, r.timeline.span_count);
    assert_memory_equal(t.calls, r.timeline.calls, t.call_count * sizeof *t.calls);
    assert_memory_equal(t.spans, r.timeline.spans, t.span_count * sizeof *t.spans);
    hb_fini(&o);
    timeline_fini(&t);
}

static void a_graph_runs_on_every_card(void **state)
{
    for (size_t i = 0; i < card_count(); i++) {
        finish(state);
        rig_start(&r, card_at(i)->name, 0, MS);
        s = rig_stream(&r, 0, 0);
        graph(CALL_GRAPH_LAUNCH);
        kernel(0);
        for (uint32_t k = 0; k < 2; k++) {
            rig_call(&r, (struct call){ .kind = CALL_GRAPH_EDGE, .stream = s });
            rig_call(&r, (struct call){ .kind = CALL_COPY, .stream = s, .bytes = 1000000,
                                        .src_kind = MEM_DEVICE, .dst_kind = MEM_PINNED,
                                        .flags = GRAPH_NODE | CALL_ASYNC });
        }
        graph(CALL_GRAPH_END);
        rig_sync(&r);
        const struct span *spans = r.timeline.spans;
        assert_true(spans[1].start >= spans[0].end && spans[2].start >= spans[0].end);
        assert_true(spans[3].start >= spans[1].end && spans[3].start >= spans[2].end);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(branches_run_side_by_side_and_none_holds_up_another),
        TEST(branches_that_are_ready_together_begin_one_after_the_other),
        TEST(work_behind_a_graph_in_its_queue_is_not_held_up_by_its_branches),
        TEST(work_behind_a_graph_in_its_stream_waits_for_all_of_it),
        TEST(a_launch_of_kernels_in_a_row_costs_one_call_however_many_they_are),
        TEST(what_is_done_with_a_graph_costs_by_its_size),
        TEST(a_graph_begins_while_its_launch_still_hands_over_copies),
        TEST(a_replay_of_graph_launches_gives_the_same_timeline),
        TEST(a_graph_runs_on_every_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
