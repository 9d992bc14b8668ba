/* SPDX-License-Identifier: MIT */
#include "hazard_rig.h"

/* ---- pairs by hand ---- */

static void two_streams_that_write_the_same_bytes_are_a_hazard(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST, 0, 32, true), b = launch(SECOND, 16, 48, true);
    synchronize();
    assert_int_equal(r.found_count, 1);
    assert_true(pair(0, a, b));
    assert_int_equal(r.found[0].from, 16);
    assert_int_equal(r.found[0].to, 32);
}

static void readers_and_disjoint_chunks_are_none(void **state)
{
    (void)state;
    launch(FIRST, 0, 32, false);
    launch(SECOND, 0, 32, false);
    launch(FIRST, 32, 48, true);
    launch(SECOND, 48, 64, true);
    synchronize();
    assert_int_equal(r.found_count, 0);
}

static void a_reader_and_a_writer_say_which_is_which(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST, 0, 8, false), b = launch(SECOND, 0, 8, true);
    synchronize();
    assert_int_equal(r.found_count, 1);
    assert_true(pair(0, a, b));
    assert_true(r.found[0].first == a ? !r.found[0].first_writes && r.found[0].then_writes
                                      : r.found[0].first_writes && !r.found[0].then_writes);
}

static void two_atomic_accesses_are_none_but_one_is(void **state)
{
    (void)state;
    for (uint32_t stream = FIRST; stream <= SECOND; stream++) {
        r.touch[r.order.node_count][0] = (struct touch){ .to = 4, .write = true, .atomic = true };
        call((struct call){ .kind = CALL_LAUNCH, .stream = stream });
    }
    host(0, 4, false);
    synchronize();
    assert_int_equal(r.found_count, 2);
    assert_int_equal(hazards_node(&r.hazards, 0), NO_NODE);
    assert_true(pair(0, NO_NODE, 0) && pair(1, NO_NODE, 1));
}

static void an_event_between_them_orders_them(void **state)
{
    (void)state;
    launch(FIRST, 0, 32, true);
    record(0, FIRST);
    wait_event(0, SECOND);
    launch(SECOND, 0, 32, true);
    synchronize();
    assert_int_equal(r.found_count, 0);
}

static void the_legacy_stream_orders_blocking_streams_and_no_others(void **state)
{
    (void)state;
    launch(FIRST, 0, 8, true);
    launch(LEGACY, 0, 8, true);
    launch(SECOND, 0, 8, true);
    synchronize();
    assert_int_equal(r.found_count, 0);
    launch(FREE_STREAM, 0, 8, true);
    launch(LEGACY, 0, 8, false);
    synchronize();
    assert_int_equal(r.found_count, 1);
}

static void what_only_a_card_does_is_no_order(void **state)
{
    (void)state;
    launch(FIRST, 0, 8, true);
    call((struct call){ .kind = CALL_FREE });
    launch(SECOND, 0, 8, true);
    synchronize();
    assert_int_equal(r.found_count, 1);
}

static void the_host_meets_work_that_it_did_not_wait_for(void **state)
{
    (void)state;
    uint32_t a = launch(FIRST, 0, 32, false), b = launch(SECOND, 32, 64, true);
    host(0, 8, true);
    assert_int_equal(r.found_count, 0);         /* a has not touched it yet … */
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    assert_int_equal(r.found_count, 1);         /* … now it has */
    assert_true(pair(0, NO_NODE, a));
    host(8, 16, true);
    assert_int_equal(r.found_count, 1);
    host(40, 41, false);
    synchronize();
    assert_int_equal(r.found_count, 2);
    assert_true(pair(1, NO_NODE, b));
    host(0, 64, true);
    launch(THIRD, 0, 64, true);
    synchronize();
    host(0, 64, false);
    assert_int_equal(r.found_count, 2);
}

static void a_wait_that_came_too_early_does_not_help(void **state)
{
    (void)state;
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    uint32_t a = launch(FIRST, 0, 32, true);
    call((struct call){ .kind = CALL_HOST_WORK, .cost = 10000000000 });
    synchronize();
    assert_int_equal(r.found_count, 0);
    uint32_t b = launch(SECOND, 0, 32, true);
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    host(0, 1, false);
    synchronize();
    assert_int_equal(r.found_count, 1);
    assert_true(pair(0, NO_NODE, b));
    assert_true(a < b);
}

static void one_pair_is_reported_once_however_many_pieces_it_has(void **state)
{
    (void)state;
    for (uint64_t at = 0; at < 64; at += 4)
        launch(FIRST, at, at + 2, true);
    synchronize();
    uint32_t a = launch(SECOND, 0, 64, true), b = launch(THIRD, 3, 61, true);
    synchronize();
    assert_int_equal(r.found_count, 1);
    assert_true(pair(0, a, b));
    assert_int_equal(r.found[0].from, 3);
    assert_int_equal(r.found[0].to, 61);
}

static void memory_that_was_given_back_is_forgotten(void **state)
{
    (void)state;
    launch(FIRST, 0, 64, true);
    call((struct call){ .kind = CALL_FREE });
    hazards_clear(&r.hazards, 8, 56);
    launch(SECOND, 8, 56, true);
    call((struct call){ .kind = CALL_FREE });
    assert_int_equal(r.found_count, 0);
    launch(THIRD, 0, 9, true);
    synchronize();
    assert_int_equal(r.found_count, 2);
}

static void what_one_thread_waited_for_another_may_touch(void **state)
{
    (void)state;
    launch(FIRST, 0, 8, true);
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST, .thread = 1 });
    launch(SECOND, 0, 8, true);                 /* by thread 0, who may have joined thread 1 */
    synchronize();
    assert_int_equal(r.found_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_streams_that_write_the_same_bytes_are_a_hazard),
        TEST(readers_and_disjoint_chunks_are_none),
        TEST(a_reader_and_a_writer_say_which_is_which),
        TEST(two_atomic_accesses_are_none_but_one_is),
        TEST(an_event_between_them_orders_them),
        TEST(the_legacy_stream_orders_blocking_streams_and_no_others),
        TEST(what_only_a_card_does_is_no_order),
        TEST(the_host_meets_work_that_it_did_not_wait_for),
        TEST(a_wait_that_came_too_early_does_not_help),
        TEST(one_pair_is_reported_once_however_many_pieces_it_has),
        TEST(memory_that_was_given_back_is_forgotten),
        TEST(what_one_thread_waited_for_another_may_touch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
