/* SPDX-License-Identifier: MIT */
#include "fed_order.h"

/* ---- graphs ---- */

/* One more node of the graph that is launched in `stream`, after `count` of its nodes. */
static uint32_t node(uint32_t stream, size_t count, const uint32_t *after)
{
    for (size_t i = 0; i < count; i++)
        feed((struct call){ .kind = CALL_GRAPH_EDGE, .stream = stream, .src = after[i] });
    return feed((struct call){ .kind = CALL_LAUNCH, .stream = stream, .flags = GRAPH_NODE })
        .operation;
}

/* Two branches from a root. */
static void fork_graph(uint32_t stream, uint32_t n[3])
{
    feed((struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = stream });
    n[0] = node(stream, 0, NULL);
    n[1] = node(stream, 1, (uint32_t[]){ 0 });
    n[2] = node(stream, 1, (uint32_t[]){ 0 });
    feed((struct call){ .kind = CALL_GRAPH_END, .stream = stream });
}

static void a_graphs_own_edges_order_its_nodes_and_nothing_else_does(void **state)
{
    (void)state;
    uint32_t n[3];
    fork_graph(FIRST, n);
    assert_true(before(n[0], n[1]));
    assert_true(before(n[0], n[2]));
    assert_false(before(n[1], n[2]));
    assert_false(before(n[2], n[1]));
}

static void a_graph_is_ordered_in_its_stream_like_one_operation(void **state)
{
    (void)state;
    uint32_t n[3], earlier = launch(FIRST), aside = launch(SECOND);
    fork_graph(FIRST, n);
    uint32_t other = launch(SECOND), later = launch(FIRST);
    assert_true(before(earlier, n[0]));
    assert_false(before(aside, n[0]));
    for (int i = 0; i < 3; i++) {
        assert_true(before(n[i], later));
        assert_false(before(n[i], other));
    }
    uint32_t barrier = launch(LEGACY);
    assert_true(before(n[1], barrier));
    assert_true(before(n[2], barrier));
}

static void each_root_of_a_graph_waits_for_the_stream(void **state)
{
    (void)state;
    uint32_t earlier = launch(FIRST), legacy = launch(LEGACY);
    feed((struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = FIRST });
    uint32_t a = node(FIRST, 0, NULL), b = node(FIRST, 0, NULL);
    feed((struct call){ .kind = CALL_GRAPH_END, .stream = FIRST });
    assert_true(before(earlier, a));
    assert_true(before(earlier, b));
    assert_true(before(legacy, b));
    assert_false(before(a, b));
}

static void a_host_that_waits_for_the_stream_has_waited_for_the_whole_graph(void **state)
{
    (void)state;
    uint32_t n[3];
    fork_graph(FIRST, n);
    uint32_t wait = feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST }).wait;
    assert_true(before(n[1], wait));
    assert_true(before(n[2], wait));
}

static void launches_of_one_executable_graph_wait_for_each_other_in_any_stream(void **state)
{
    (void)state;
    uint32_t root[3];
    for (uint32_t k = 0; k < 3; k++) {          /* the last is of another one */
        feed((struct call){
            .kind = CALL_GRAPH_LAUNCH, .stream = k == 0 ? FIRST : FREE_STREAM, .src = 1 + k / 2 });
        root[k] = feed((struct call){ .kind = CALL_LAUNCH,
                                      .stream = k == 0 ? FIRST : FREE_STREAM,
                                      .flags = GRAPH_NODE })
                      .operation;
        feed((struct call){ .kind = CALL_GRAPH_END, .stream = k == 0 ? FIRST : FREE_STREAM });
    }
    assert_true(before(root[0], root[1]));
    feed((struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = SECOND, .src = 3 });
    uint32_t other =
        feed((struct call){ .kind = CALL_LAUNCH, .stream = SECOND, .flags = GRAPH_NODE }).operation;
    feed((struct call){ .kind = CALL_GRAPH_END, .stream = SECOND });
    assert_false(before(root[0], other));
    assert_false(before(root[2], other));
}

static void a_graph_with_no_nodes_keeps_its_place_in_the_stream(void **state)
{
    (void)state;
    uint32_t first = launch(FIRST);
    feed((struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = FIRST, .src = 1 });
    feed((struct call){ .kind = CALL_GRAPH_END, .stream = FIRST });
    assert_true(before(first, launch(FIRST)));
}

static void a_chain_in_a_graph_needs_no_node_to_join_it_and_a_fork_does(void **state)
{
    (void)state;
    feed((struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = FIRST });
    uint32_t a = node(FIRST, 0, NULL), b = node(FIRST, 1, (uint32_t[]){ 0 });
    assert_int_equal(feed((struct call){ .kind = CALL_GRAPH_END, .stream = FIRST }).operation,
                     NO_NODE);
    uint32_t later = launch(FIRST), n[3];
    assert_true(before(a, b) && before(b, later));
    fork_graph(FIRST, n);
    assert_int_equal(launch(FIRST), n[2] + 2);
}

static void a_copy_in_a_graph_holds_nobody(void **state)
{
    (void)state;
    feed((struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = FIRST });
    uint32_t wait;
    assert_int_not_equal(copy(FIRST, MEM_DEVICE, MEM_PAGEABLE, 4, GRAPH_NODE, &wait), NO_NODE);
    assert_int_equal(wait, NO_NODE);
}

static void nodes_of_no_graph_and_edges_to_no_node_make_nothing(void **state)
{
    (void)state;
    assert_int_equal(node(FIRST, 0, NULL), NO_NODE);
    assert_int_equal(feed((struct call){ .kind = CALL_GRAPH_END, .stream = FIRST }).operation,
                     NO_NODE);
    feed((struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = FIRST });
    assert_int_equal(node(SECOND, 0, NULL), NO_NODE);
    uint32_t earlier = launch(FIRST), a = node(FIRST, 1, (uint32_t[]){ 7 });
    assert_true(before(earlier, a));
    assert_int_equal(feed((struct call){ .kind = CALL_GRAPH_END, .stream = 99 }).operation,
                     NO_NODE);
}

static void a_dependent_launch_comes_after_the_kernel_before_it_with_its_rest_alone(void **state)
{
    (void)state;
    o.dependents = true;
    uint32_t oldest = launch(FREE_STREAM), primary = launch(FREE_STREAM);
    struct step s = feed(
        (struct call){ .kind = CALL_LAUNCH, .stream = FREE_STREAM, .flags = LAUNCH_DEPENDENT });
    uint32_t later = launch(FREE_STREAM);
    assert_true(before(oldest, s.operation));
    assert_false(hb_before(&o, primary, s.operation, OBSERVED));
    assert_true(before(primary, s.rest) && before(s.operation, s.rest) && before(s.rest, later));
}

static void awaits(uint64_t member, uint32_t flags)
{
    feed((struct call){
        .kind = CALL_GRAPH_EDGE, .stream = FREE_STREAM, .src = member, .flags = flags });
}

static void so_does_one_in_a_graph_for_each_edge_that_says_so(void **state)
{
    (void)state;
    o.dependents = true;
    const struct call dependent = { .kind = CALL_LAUNCH,
                                    .stream = FREE_STREAM,
                                    .flags = GRAPH_NODE | LAUNCH_DEPENDENT };
    feed((struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = FREE_STREAM });
    uint32_t first =
        feed((struct call){ .kind = CALL_LAUNCH, .stream = FREE_STREAM, .flags = GRAPH_NODE })
            .operation;
    uint32_t set =
        feed((struct call){
                 .kind = CALL_SET, .stream = FREE_STREAM, .flags = GRAPH_NODE | CALL_ASYNC })
            .operation;
    awaits(0, LAUNCH_DEPENDENT);
    struct step early = feed(dependent);
    awaits(1, LAUNCH_DEPENDENT);
    struct step after_set = feed(dependent);
    awaits(0, LAUNCH_DEPENDENT), awaits(1, LAUNCH_DEPENDENT);
    struct step after_both = feed(dependent);
    awaits(0, LAUNCH_DEPENDENT), awaits(2, LAUNCH_DEPENDENT);
    struct step after_kernels = feed(dependent);
    awaits(0, 0), awaits(2, LAUNCH_DEPENDENT);
    struct step after_one_whole = feed(dependent);
    awaits(0, 0);
    struct step ordinary = feed(dependent);
    uint32_t joint = feed((struct call){ .kind = CALL_GRAPH_END, .stream = FREE_STREAM }).operation;
    assert_false(hb_before(&o, first, early.operation, OBSERVED));
    assert_true(before(first, early.rest) && before(early.operation, early.rest)
                && before(early.rest, joint));
    assert_true(before(set, after_set.operation) && after_set.rest == NO_NODE);
    assert_true(before(set, after_both.operation));
    assert_false(hb_before(&o, first, after_both.operation, OBSERVED));
    assert_true(before(first, after_both.rest));
    assert_false(hb_before(&o, first, after_kernels.operation, OBSERVED));
    assert_false(hb_before(&o, early.operation, after_kernels.operation, OBSERVED));
    assert_true(before(first, after_kernels.rest) && before(early.rest, after_kernels.rest));
    assert_true(before(first, after_one_whole.operation));
    assert_false(hb_before(&o, early.operation, after_one_whole.operation, OBSERVED));
    assert_true(before(early.rest, after_one_whole.rest));
    assert_true(before(first, ordinary.operation) && ordinary.rest == NO_NODE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_graphs_own_edges_order_its_nodes_and_nothing_else_does),
        TEST(a_graph_is_ordered_in_its_stream_like_one_operation),
        TEST(each_root_of_a_graph_waits_for_the_stream),
        TEST(a_host_that_waits_for_the_stream_has_waited_for_the_whole_graph),
        TEST(launches_of_one_executable_graph_wait_for_each_other_in_any_stream),
        TEST(a_graph_with_no_nodes_keeps_its_place_in_the_stream),
        TEST(a_chain_in_a_graph_needs_no_node_to_join_it_and_a_fork_does),
        TEST(a_copy_in_a_graph_holds_nobody),
        TEST(nodes_of_no_graph_and_edges_to_no_node_make_nothing),
        TEST(a_dependent_launch_comes_after_the_kernel_before_it_with_its_rest_alone),
        TEST(so_does_one_in_a_graph_for_each_edge_that_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
