/* SPDX-License-Identifier: MIT */
#include "fed_order.h"

static void threads_that_begin_before_the_first_one_has_waited_are_not_one(void **state)
{
    (void)state;
    for (uint32_t thread = 1; thread <= 2; thread++)
        feed((struct call){ .kind = CALL_THREAD_BEGIN, .thread = thread, .node = NO_NODE });
    uint32_t first = launch(FIRST);
    uint32_t one = feed((struct call){ .kind = CALL_DEVICE_SYNC, .thread = 1 }).wait;
    uint32_t other = feed((struct call){ .kind = CALL_DEVICE_SYNC, .thread = 2 }).wait;
    assert_true(before(first, one));
    assert_true(before(first, other));
    assert_false(before(one, other));
}

static size_t edges_of(uint32_t node)
{
    size_t count;
    hb_edges(&o, node, &count);
    return count;
}

static void a_wait_for_the_device_names_what_came_since_the_last_one(void **state)
{
    (void)state;
    for (uint32_t stream = LEGACY; stream <= PER_THREAD; stream++)
        launch(stream);
    uint32_t free_kernel = launch(FREE_STREAM);
    uint32_t first = feed((struct call){ .kind = CALL_DEVICE_SYNC }).wait;
    uint32_t kernel = launch(SECOND);
    uint32_t freed = feed((struct call){ .kind = CALL_FREE }).wait;
    uint32_t then = feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = LEGACY }).wait;
    assert_int_equal(edges_of(first), 5);
    assert_int_equal(edges_of(freed), 2);       /* the kernel, and the wait before */
    assert_int_equal(edges_of(then), 2);
    assert_true(before(free_kernel, then) && before(kernel, then) && !before(kernel, freed));
    assert_true(hb_before(&o, kernel, freed, OBSERVED));
}

static void a_second_kernel_that_is_loaded_names_what_came_since_the_first(void **state)
{
    (void)state;
    for (uint32_t stream = LEGACY; stream <= PER_THREAD; stream++)
        feed((struct call){ .kind = CALL_LAUNCH, .stream = stream });
    uint32_t old = launch(FREE_STREAM);
    uint32_t first =
        feed((struct call){ .kind = CALL_LAUNCH, .stream = FREE_STREAM, .flags = LAUNCH_LOADS })
            .operation;
    uint32_t kernel = launch(FIRST);
    uint32_t second =
        feed((struct call){ .kind = CALL_LAUNCH, .stream = PER_THREAD, .flags = LAUNCH_LOADS })
            .operation;
    uint32_t later = launch(FREE_STREAM), latest = launch(SECOND);
    assert_int_equal(edges_of(second), 3);      /* its stream, `first`, `kernel` */
    assert_true(hb_before(&o, old, second, OBSERVED) && hb_before(&o, first, second, OBSERVED));
    assert_true(hb_before(&o, kernel, second, OBSERVED) && hb_before(&o, kernel, later, OBSERVED));
    assert_true(hb_before(&o, first, latest, OBSERVED) && hb_before(&o, old, latest, OBSERVED));
    assert_true(!hb_before(&o, second, latest, OBSERVED) && !before(first, second));
}

static void work_in_one_stream_is_ordered_and_in_two_is_not(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST), b = launch(SECOND), c = launch(FIRST);
    assert_true(before(a, c));
    assert_false(before(c, a));
    assert_false(before(a, b));
    assert_false(before(b, c));
    assert_false(before(a, a));
}

/* The matrix that was measured: rows first, columns then; 1: waits. */
static void the_default_stream_matrix_is_the_measured_one(void **state)
{
    static const bool waits[5][5] = {
        [LEGACY] = { 1, 1, 1, 0, 1 },
        [FIRST] = { 1, 1, 0, 0, 0 },
        [SECOND] = { 1, 0, 1, 0, 0 },
        [FREE_STREAM] = { 0, 0, 0, 1, 0 },
        [PER_THREAD] = { 1, 0, 0, 0, 1 },
    };
    for (uint32_t first = 0; first < 5; first++) {
        for (uint32_t then = 0; then < 5; then++) {
            tear_down(state);
            set_up(state);
            uint32_t a = launch(first), b = launch(then);
            if (before(a, b) != waits[first][then])
                fail_msg("stream %u then %u", first, then);
        }
    }
}

static void the_legacy_stream_links_two_blocking_streams(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST);
    record(0, LEGACY);                          /* any work in it will do */
    uint32_t b = launch(SECOND), c = launch(FREE_STREAM);
    assert_true(before(a, b));
    assert_false(before(a, c));
}

static void an_event_orders_what_came_before_its_record_and_what_comes_after_the_wait(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST);
    record(0, FIRST);
    uint32_t late = launch(FIRST), early = launch(SECOND);
    wait_event(0, SECOND);
    uint32_t b = launch(SECOND);
    assert_true(before(a, b));
    assert_false(before(late, b));
    assert_false(before(a, early));
}

static void a_wait_for_an_event_that_was_never_recorded_is_no_wait(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST);
    wait_event(1, SECOND);
    record(1, FIRST);
    assert_false(before(a, launch(SECOND)));
}

static void recording_an_event_again_does_not_move_an_earlier_wait(void **state)
{
    (void)state;
    record(0, FIRST);
    wait_event(0, SECOND);
    uint32_t a = launch(FIRST);
    record(0, FIRST);
    assert_false(before(a, launch(SECOND)));
}

static void what_a_host_thread_waited_for_comes_before_what_it_queues_next(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST), b = launch(FREE_STREAM);
    feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    uint32_t c = launch(SECOND);
    assert_true(before(a, c));
    assert_false(before(b, c));
    uint32_t other =
        feed((struct call){ .kind = CALL_LAUNCH, .stream = SECOND, .thread = 1 }).operation;
    assert_true(before(c, other));              /* the stream says so … */
    uint32_t apart =
        feed((struct call){ .kind = CALL_LAUNCH, .stream = FREE_STREAM, .thread = 1 }).operation;
    assert_false(before(a, apart));             /* … the other thread waited for nothing */
}

static void synchronizing_the_null_stream_sees_blocking_streams_only(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST), b = launch(FREE_STREAM);
    uint32_t wait = feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = LEGACY }).wait;
    assert_true(before(a, wait));
    assert_false(before(b, wait));
}

static void a_query_that_said_success_counts_as_a_wait(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST);
    assert_int_equal(
        feed((struct call){ .kind = CALL_STREAM_QUERY, .stream = FIRST, .status = 600 }).wait,
        NO_NODE);
    assert_false(before(a, launch(SECOND)));
    feed((struct call){ .kind = CALL_STREAM_QUERY, .stream = FIRST });
    assert_true(before(a, launch(SECOND)));
}

static void copies_hold_their_caller_as_documented_or_as_observed(void **state)
{
    (void)state;
    const size_t big = 4u << 20;
    uint32_t wait, op;
    op = copy(FIRST, MEM_PINNED, MEM_DEVICE, big, 0, &wait);
    assert_true(before(op, wait));
    copy(FIRST, MEM_PINNED, MEM_DEVICE, big, CALL_ASYNC, &wait);
    assert_int_equal(wait, NO_NODE);
    copy(FIRST, MEM_DEVICE, MEM_DEVICE, big, 0, &wait);
    assert_int_equal(wait, NO_NODE);
    copy(FIRST, MEM_PAGEABLE, MEM_DEVICE, STAGING_BYTES, CALL_ASYNC, &wait);
    assert_int_equal(wait, NO_NODE);
    op = copy(FIRST, MEM_PAGEABLE, MEM_DEVICE, big, CALL_ASYNC, &wait);
    assert_true(hb_before(&o, op, wait, OBSERVED));
    assert_false(before(op, wait));
    op = copy(FIRST, MEM_DEVICE, MEM_PAGEABLE, 4, CALL_ASYNC, &wait);
    assert_true(hb_before(&o, op, wait, OBSERVED));
    assert_false(before(op, wait));
    op = copy(FIRST, MEM_DEVICE, MEM_PAGEABLE, 4, 0, &wait);
    assert_true(before(op, wait));
    op = copy(FIRST, MEM_MANAGED, MEM_DEVICE, 4, 0, &wait);
    assert_true(hb_before(&o, op, wait, OBSERVED));
    assert_false(before(op, wait));
    copy(FIRST, MEM_MANAGED, MEM_DEVICE, 4, CALL_ASYNC, &wait);
    assert_int_equal(wait, NO_NODE);
    op = copy(FIRST, MEM_PAGEABLE, MEM_PINNED, 4, CALL_ASYNC, &wait);
    assert_true(before(op, wait));
}

static void freeing_waits_on_this_card_but_guarantees_nothing(void **state)
{
    (void)state;
    uint32_t a = launch(FREE_STREAM);
    feed((struct call){ .kind = CALL_FREE, .dst_kind = MEM_DEVICE });
    uint32_t b = launch(FIRST);
    assert_true(hb_before(&o, a, b, OBSERVED));
    assert_false(before(a, b));
}

static void who_is_woken_knows_what_the_other_had_waited_for_long_before(void **state)
{
    (void)state;
    for (uint32_t thread = 1; thread <= 2; thread++)
        feed((struct call){ .kind = CALL_THREAD_BEGIN, .thread = thread, .node = NO_NODE });
    uint32_t early = launch(FREE_STREAM);
    feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = FREE_STREAM, .thread = 1 });
    uint32_t late = launch(FIRST);
    feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST, .thread = 2 });
    feed((struct call){ .kind = CALL_THREAD_WAKE, .thread = 0, .src = 2, .node = NO_NODE });
    uint32_t known = launch(SECOND);
    assert_true(before(late, known));
    assert_false(before(early, known));
    feed((struct call){ .kind = CALL_THREAD_WAKE, .thread = 0, .src = 1, .node = NO_NODE });
    assert_true(before(early, launch(SECOND)));
}

static void a_call_knows_what_its_thread_has_waited_for(void **state)
{
    (void)state;
    struct call calls[] = {
        { .kind = CALL_LAUNCH, .stream = FIRST }, { .kind = CALL_PART },
        { .kind = CALL_STREAM_SYNC, .stream = FIRST }, { .kind = CALL_PART },
    };
    tear_down(state);
    hb_init(&o);
    /* hb_before_call counts calls from the first that was fed. */
    struct call all[4 + 2] = {
        { .kind = CALL_STREAM_CREATE, .stream = 0, .flags = STREAM_LEGACY },
        { .kind = CALL_STREAM_CREATE, .stream = 1 },
        calls[0], calls[1], calls[2], calls[3],
    };
    uint32_t kernel = NO_NODE;
    for (size_t i = 0; i < 6; i++) {
        struct step s = feed(all[i]);
        if (s.operation != NO_NODE)
            kernel = s.operation;
    }
    assert_false(hb_before_call(&o, kernel, all, 3, GUARANTEED));
    assert_true(hb_before_call(&o, kernel, all, 5, GUARANTEED));
}

static void
a_launch_that_loads_its_kernel_and_later_ones_wait_for_all_kernels_before_on_this_card(void **state)
{
    (void)state;
    uint32_t running = launch(FIRST), other = launch(FREE_STREAM), wait;
    uint32_t moved = copy(PER_THREAD, MEM_PINNED, MEM_DEVICE, 4, CALL_ASYNC, &wait);
    uint32_t loaded =
        feed((struct call){ .kind = CALL_LAUNCH, .stream = SECOND, .flags = LAUNCH_LOADS })
            .operation;
    uint32_t later = launch(FREE_STREAM);
    assert_true(hb_before(&o, running, loaded, OBSERVED) && hb_before(&o, other, loaded, OBSERVED));
    assert_true(hb_before(&o, running, later, OBSERVED));
    assert_false(hb_before(&o, loaded, later, OBSERVED) || hb_before(&o, moved, loaded, OBSERVED));
    assert_false(before(running, loaded) || before(running, later));
}

static void memory_of_a_stream_comes_and_goes_in_its_order_and_holds_nobody(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST);
    struct step made =
        feed((struct call){ .kind = CALL_MALLOC, .flags = CALL_ASYNC, .stream = FIRST });
    struct step freed =
        feed((struct call){ .kind = CALL_FREE, .flags = CALL_ASYNC, .stream = FIRST });
    assert_true(before(a, made.operation) && before(made.operation, freed.operation));
    assert_true(made.wait == NO_NODE && freed.wait == NO_NODE);
    struct step at_once =
        feed((struct call){ .kind = CALL_FREE, .flags = CALL_ASYNC, .stream = NO_STREAM });
    assert_true(at_once.operation == NO_NODE && at_once.wait == NO_NODE);

    size_t count;
    struct call next = { .kind = CALL_MALLOC, .flags = CALL_ASYNC, .stream = SECOND };
    hb_peek_work(&o, &next, &count);
    assert_int_equal(count, 0);
    feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    const struct edge *edges = hb_peek_work(&o, &next, &count);
    assert_true(count == 1 && before(freed.operation, edges[0].from));
}

static void numbers_that_were_never_announced_make_nothing(void **state)
{
    (void)state;
    assert_int_equal(launch(4000000000u), NO_NODE);
    assert_int_equal(record(77, FIRST), NO_NODE);
    feed((struct call){ .kind = CALL_STREAM_CREATE, .stream = 4000000000u });
    feed((struct call){ .kind = CALL_STREAM_SYNC, .stream = 99, .thread = 4000000000u });
    feed((struct call){ .kind = CALL_DEVICE_SYNC, .device = 99 });
    assert_true(o.stream_count == 5);
}

static void a_call_that_failed_orders_nothing(void **state)
{
    (void)state;
    assert_int_equal(
        feed((struct call){ .kind = CALL_LAUNCH, .stream = FIRST, .status = 1 }).operation,
        NO_NODE);
    assert_int_equal(feed((struct call){ .kind = CALL_DEVICE_SYNC, .status = 700 }).wait, NO_NODE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(work_in_one_stream_is_ordered_and_in_two_is_not),
        TEST(a_wait_for_the_device_names_what_came_since_the_last_one),
        TEST(a_second_kernel_that_is_loaded_names_what_came_since_the_first),
        TEST(the_default_stream_matrix_is_the_measured_one),
        TEST(the_legacy_stream_links_two_blocking_streams),
        TEST(an_event_orders_what_came_before_its_record_and_what_comes_after_the_wait),
        TEST(a_wait_for_an_event_that_was_never_recorded_is_no_wait),
        TEST(recording_an_event_again_does_not_move_an_earlier_wait),
        TEST(what_a_host_thread_waited_for_comes_before_what_it_queues_next),
        TEST(synchronizing_the_null_stream_sees_blocking_streams_only),
        TEST(a_query_that_said_success_counts_as_a_wait),
        TEST(copies_hold_their_caller_as_documented_or_as_observed),
        TEST(freeing_waits_on_this_card_but_guarantees_nothing),
        TEST(who_is_woken_knows_what_the_other_had_waited_for_long_before),
        TEST(a_call_knows_what_its_thread_has_waited_for),
        TEST(
            a_launch_that_loads_its_kernel_and_later_ones_wait_for_all_kernels_before_on_this_card),
        TEST(memory_of_a_stream_comes_and_goes_in_its_order_and_holds_nobody),
        TEST(threads_that_begin_before_the_first_one_has_waited_are_not_one),
        TEST(numbers_that_were_never_announced_make_nothing),
        TEST(a_call_that_failed_orders_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
