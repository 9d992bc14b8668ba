/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hand_made.h"
#include "trace/record/measure.h"
#include "trace/record/memory.h"

#define HUGE_TIME ((INT64_C(1) << 53) + 1)

static struct selection every(uint32_t engines)
{
    return (struct selection){ engines, ANY, ANY, 0, SIZE_MAX };
}

static struct selection only(enum engine engine)
{
    return every(ENGINE_BIT(engine));
}

static int setup(void **state)
{
    static struct timeline t;
    timeline_init(&t);
    *state = &t;
    return 0;
}

static int teardown(void **state)
{
    timeline_fini(*state);
    return 0;
}

static void an_empty_timeline_measures_nothing(void **state)
{
    const struct timeline *t = *state;
    struct interval *list, extent = { 7, 7 };
    enum engine which = ENGINE_WAIT;
    size_t first, end;
    assert_int_equal(measure_intervals(t, every(ENGINES_DEVICE), &list), 0);
    memory_resize(list, 0);
    assert_int_equal(measure_busy(t, every(ENGINES_DEVICE)), 0);
    assert_false(measure_extent(t, every(ENGINES_DEVICE), &extent));
    assert_int_equal(extent.start, 0);
    assert_int_equal(extent.end, 0);
    assert_int_equal(measure_overlap(t, every(ENGINES_DEVICE), every(ENGINES_DEVICE)), 0);
    assert_int_equal(measure_peak(t, every(ENGINES_DEVICE)), 0);
    assert_int_equal(measure_busy_share(t, every(ENGINES_DEVICE), &which), 0);
    assert_int_equal(measure_longest_wait(t, 0, SIZE_MAX), ANY);
    assert_false(measure_part(t, "a", &first, &end));
}

static void intervals_come_sorted_and_merged_where_they_touch(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_KERNEL, 1, 0, 700, 800);
    add_operation(t, ENGINE_KERNEL, 2, 2, 100, 200);
    add_operation(t, ENGINE_KERNEL, 3, 4, 200, 300);    /* touches */
    add_operation(t, ENGINE_KERNEL, 4, 6, 150, 190);    /* inside */
    add_operation(t, ENGINE_KERNEL, 5, 8, 301, 302);    /* one off */
    add_operation(t, ENGINE_H2D, 5, 10, 0, 9000);       /* another engine */
    struct interval *list;
    assert_int_equal(measure_intervals(t, only(ENGINE_KERNEL), &list), 3);
    assert_int_equal(list[0].start, 100);
    assert_int_equal(list[0].end, 300);
    assert_int_equal(list[1].start, 301);
    assert_int_equal(list[1].end, 302);
    assert_int_equal(list[2].start, 700);
    assert_int_equal(list[2].end, 800);
    memory_resize(list, 0);
    assert_int_equal(measure_busy(t, only(ENGINE_KERNEL)), 301);
}

static void two_at_once_are_busy_once(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 100);
    add_operation(t, ENGINE_KERNEL, 2, 2, 50, 150);
    assert_int_equal(measure_busy(t, only(ENGINE_KERNEL)), 150);
    assert_int_equal(measure_overlap(t, only(ENGINE_KERNEL), only(ENGINE_KERNEL)), 150);
}

static void a_selection_tells_engine_device_stream_and_calls_apart(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 1);
    add_operation(t, ENGINE_KERNEL, 2, 2, 10, 30);
    add_operation(t, ENGINE_KERNEL, 2, 4, 100, 400)->device = 1;
    add_operation(t, ENGINE_D2H, 2, 6, 1000, 5000);
    struct selection s = only(ENGINE_KERNEL);
    assert_int_equal(measure_busy(t, s), 321);
    s.stream = 2;
    assert_int_equal(measure_busy(t, s), 320);
    s.device = 1;
    assert_int_equal(measure_busy(t, s), 300);
    s.engines |= ENGINE_BIT(ENGINE_D2H);
    s.device = 0;
    assert_int_equal(measure_busy(t, s), 4020);
    s.first_call = 3;
    assert_int_equal(measure_busy(t, s), 4000);
    s.first_call = 0;
    s.end_call = 3;
    assert_int_equal(measure_busy(t, s), 20);
}

static void a_wait_belongs_to_no_stream_and_no_device(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_WAIT, 0, 0, 10, 30);
    struct selection s = only(ENGINE_WAIT);
    assert_int_equal(measure_busy(t, s), 20);
    s.stream = 0;
    assert_int_equal(measure_busy(t, s), 0);
    s.stream = ANY;
    s.device = 0;
    assert_int_equal(measure_busy(t, s), 0);
}

static void spans_that_did_not_finish_are_left_out(void **state)
{
    struct timeline *t = *state;
    struct interval extent;
    add_operation(t, ENGINE_KERNEL, 1, 0, 5, TIME_NEVER);
    add_operation(t, ENGINE_KERNEL, 1, 2, TIME_NEVER, TIME_NEVER);
    assert_false(measure_extent(t, only(ENGINE_KERNEL), &extent));
    add_operation(t, ENGINE_KERNEL, 1, 4, 10, 20);
    assert_true(measure_extent(t, only(ENGINE_KERNEL), &extent));
    assert_int_equal(extent.start, 10);
    assert_int_equal(extent.end, 20);
    assert_int_equal(measure_busy(t, only(ENGINE_KERNEL)), 10);
    assert_int_equal(measure_peak(t, only(ENGINE_KERNEL)), 1);
}

static void spans_of_no_length_widen_the_extent_and_are_never_busy(void **state)
{
    struct timeline *t = *state;
    struct interval extent;
    add_operation(t, ENGINE_MEMSET, 1, 0, 50, 50);
    add_operation(t, ENGINE_MEMSET, 2, 2, 50, 50);
    assert_true(measure_extent(t, only(ENGINE_MEMSET), &extent));
    assert_int_equal(extent.start, 50);
    assert_int_equal(extent.end, 50);
    assert_int_equal(measure_busy(t, only(ENGINE_MEMSET)), 0);
    assert_int_equal(measure_peak(t, only(ENGINE_MEMSET)), 0);
    assert_int_equal(measure_busy_share(t, only(ENGINE_MEMSET), NULL), 0);
    add_operation(t, ENGINE_MEMSET, 1, 4, 10, 20);
    measure_extent(t, only(ENGINE_MEMSET), &extent);
    assert_int_equal(extent.end - extent.start, 40);
}

static void overlap_is_the_time_in_which_both_run(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_H2D, 1, 0, 0, 100);
    add_operation(t, ENGINE_H2D, 2, 2, 100, 200);
    add_operation(t, ENGINE_H2D, 3, 4, 300, 400);
    add_operation(t, ENGINE_D2H, 1, 6, 400, 500);       /* touches, no more */
    assert_int_equal(measure_overlap(t, only(ENGINE_H2D), only(ENGINE_D2H)), 0);
    add_operation(t, ENGINE_D2H, 1, 8, 90, 120);        /* across the seam of two */
    add_operation(t, ENGINE_D2H, 2, 10, 110, 130);      /* and at once with that */
    add_operation(t, ENGINE_D2H, 2, 12, 190, 320);      /* over a gap */
    assert_int_equal(measure_overlap(t, only(ENGINE_H2D), only(ENGINE_D2H)), 40 + 10 + 20);
    assert_int_equal(measure_overlap(t, only(ENGINE_D2H), only(ENGINE_H2D)), 40 + 10 + 20);
}

static void the_peak_counts_spans_that_run_at_the_same_moment(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 10);
    add_operation(t, ENGINE_KERNEL, 1, 2, 10, 20);      /* relieves the first: not at once */
    assert_int_equal(measure_peak(t, only(ENGINE_KERNEL)), 1);
    add_operation(t, ENGINE_KERNEL, 2, 4, 9, 11);
    assert_int_equal(measure_peak(t, only(ENGINE_KERNEL)), 2);
    add_operation(t, ENGINE_KERNEL, 3, 6, 10, 12);
    assert_int_equal(measure_peak(t, only(ENGINE_KERNEL)), 3);
    add_operation(t, ENGINE_KERNEL, 4, 8, 11, 11);      /* of no length */
    assert_int_equal(measure_peak(t, only(ENGINE_KERNEL)), 3);
}

static void the_busy_share_is_the_busiest_engines_over_the_extent_of_all(void **state)
{
    struct timeline *t = *state;
    enum engine which;
    add_operation(t, ENGINE_H2D, 1, 0, 1000, 1400);
    add_operation(t, ENGINE_KERNEL, 1, 2, 1400, 2001);
    add_operation(t, ENGINE_D2H, 1, 4, 3500, 4000);
    assert_int_equal(measure_busy_share(t, every(ENGINES_DEVICE), &which),
                     200);     /* 601 of 3000: rounded down */
    assert_int_equal(which, ENGINE_KERNEL);
    assert_int_equal(measure_busy_share(t, only(ENGINE_D2H), &which), 1000);
    assert_int_equal(which, ENGINE_D2H);
    add_operation(t, ENGINE_D2D, 1, 6, 2000, 2601); /* as busy: the first in enum engine is named */
    assert_int_equal(measure_busy_share(t, every(ENGINES_DEVICE), &which), 200);
    assert_int_equal(which, ENGINE_KERNEL);
}

static void times_beyond_what_a_double_can_hold_stay_exact(void **state)
{
    struct timeline *t = *state;
    struct interval extent;
    enum engine which;
    add_operation(t, ENGINE_H2D, 1, 0, HUGE_TIME, HUGE_TIME + 3);
    add_operation(t, ENGINE_KERNEL, 1, 0, HUGE_TIME + 2, HUGE_TIME + 4);
    assert_int_equal(measure_busy(t, every(ENGINES_DEVICE)), 4);
    assert_int_equal(measure_overlap(t, only(ENGINE_H2D), only(ENGINE_KERNEL)), 1);
    assert_int_equal(measure_busy_share(t, every(ENGINES_DEVICE), &which), 750);
    assert_true(measure_extent(t, only(ENGINE_H2D), &extent));
    assert_true(extent.start == HUGE_TIME);
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, INT64_MAX - 1);
    assert_int_equal(measure_busy_share(t, every(ENGINES_DEVICE), &which), 1000);
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 1);
    assert_int_equal(measure_peak(t, only(ENGINE_KERNEL)), 2);
}

static void the_longest_wait_names_its_call(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_WAIT, 0, 0, 5, 5);          /* nobody was held up */
    assert_int_equal(measure_longest_wait(t, 0, SIZE_MAX), ANY);
    add_operation(t, ENGINE_WAIT, 0, 10, 10, 30);
    add_operation(t, ENGINE_KERNEL, 1, 40, 40, 900);    /* long, but no wait */
    add_operation(t, ENGINE_WAIT, 0, 50, 50, 90);
    add_operation(t, ENGINE_WAIT, 0, 100, 100, 140);    /* as long: the first one is named */
    assert_int_equal(measure_longest_wait(t, 0, SIZE_MAX), 3);
    assert_int_equal(measure_longest_wait(t, 0, 3), 1);
    assert_int_equal(measure_longest_wait(t, 4, 5), 4);
}

static void a_part_runs_to_the_next_part_or_to_the_end(void **state)
{
    struct timeline *t = *state;
    size_t first = 99, end = 99;
    add_call(t, CALL_MALLOC, "cudaMalloc", 0, 0, 1);
    add_call(t, CALL_PART, "a", 0, 1, 1);
    add_call(t, CALL_LAUNCH, "kernel", 0, 1, 2);
    add_call(t, CALL_PART, "ab", 0, 2, 2);
    add_call(t, CALL_LAUNCH, "kernel", 0, 2, 3);
    add_call(t, CALL_LABEL, "b", 0, 3, 3);
    add_call(t, CALL_LAUNCH, "kernel", 0, 3, 4);
    assert_true(measure_part(t, "a", &first, &end));
    assert_int_equal(first, 1);
    assert_int_equal(end, 3);
    assert_true(measure_part(t, "ab", &first, &end));
    assert_int_equal(first, 3);
    assert_int_equal(end, 7);
    assert_false(measure_part(t, "b", &first, &end));   /* a label is no part */
    assert_int_equal(first, 3);
}

/* A range of NVTX or a mark. */
static void ranged(struct timeline *t, const char *name, uint32_t flags, uint64_t number)
{
    uint32_t call = add_call(t, CALL_RANGE, name, 0, 0, 0);
    t->calls[call].flags = flags;
    t->calls[call].src = number;
}

static void a_label_closes_where_its_own_kind_does(void **state)
{
    struct timeline *t = *state;
    size_t first = 99, end = 99;
    ranged(t, "range", RANGE_MARK, 0);                        /* a mark has no length */
    ranged(t, "started", RANGE_FREE, 1);
    ranged(t, "range", 0, 0);
    ranged(t, "other", RANGE_FREE, 2);
    ranged(t, "", RANGE_FREE, 2);
    ranged(t, "", 0, 0);
    t->calls[5].message = text(t, "app");                       /* another domain's */
    ranged(t, "mark", RANGE_MARK, 0);
    add_call(t, CALL_LABEL, "", 0, 0, 0);                         /* a label's */
    ranged(t, "", 0, 0);
    ranged(t, "", RANGE_FREE, 1);
    t->calls[9].thread = 1;
    assert_true(measure_label(t, "range", &first, &end));
    assert_int_equal(first, 2);
    assert_int_equal(end, 8);
    assert_true(measure_label(t, "started", &first, &end));
    assert_int_equal(first, 1);
    assert_int_equal(end, 9);
    assert_false(measure_label(t, "mark", &first, &end));
}

static void many_spans_in_the_worst_order_sort_right(void **state)
{
    struct timeline *t = *state;
    enum { COUNT = 5000 };
    for (int i = 0; i < COUNT; i++) {       /* every place once, in a scrambled order */
        int64_t at = 10 * ((int64_t)i * 2731 % COUNT);
        add_operation(t, ENGINE_KERNEL, 1, 0, at, at + 4);
    }
    struct interval *list;
    assert_int_equal(measure_intervals(t, only(ENGINE_KERNEL), &list), COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(list[i].start, 10 * i);
    memory_resize(list, 0);
    assert_int_equal(measure_busy(t, only(ENGINE_KERNEL)), 4 * COUNT);
    assert_int_equal(measure_peak(t, only(ENGINE_KERNEL)), 1);
}

static size_t of_thread(struct timeline *t, uint32_t thread, uint32_t kind, bool said)
{
    struct call c = { .kind = kind, .thread = thread, .node = NO_NODE };
    c.message = said ? timeline_intern(t, "0x1", 3) : 0;
    timeline_add_call(t, &c);
    return t->call_count - 1;
}

static void who_waits_again_does_not_trust_a_wake_up_whatever_is_reported_of_him(void **state)
{
    struct timeline *t = *state;
    of_thread(t, 1, CALL_SPURIOUS, true);
    of_thread(t, 1, CALL_HAZARD, true);
    of_thread(t, 2, CALL_LAUNCH, false);
    of_thread(t, 1, CALL_SPURIOUS, false);
    assert_int_equal(measure_trusted_wake(t, 0, t->call_count), t->call_count);
    size_t wake = of_thread(t, 1, CALL_SPURIOUS, true);
    of_thread(t, 1, CALL_HAZARD, true);
    of_thread(t, 1, CALL_LABEL, false);
    assert_int_equal(measure_trusted_wake(t, 0, t->call_count), wake);
    assert_int_equal(measure_trusted_wake(t, 0, wake), wake);
    assert_int_equal(measure_trusted_wake(t, wake + 1, t->call_count), t->call_count);
}

/* What it waits for may have become true meanwhile. */
static void who_goes_on_after_others_had_a_turn_may_have_looked_again(void **state)
{
    struct timeline *t = *state;
    of_thread(t, 1, CALL_SPURIOUS, true);
    of_thread(t, 2, CALL_LABEL, false);
    of_thread(t, 1, CALL_LABEL, false);
    assert_int_equal(measure_trusted_wake(t, 0, t->call_count), t->call_count);
    of_thread(t, 1, CALL_SPURIOUS, true);
    struct call lost = { .kind = CALL_HOST_WORK, .thread = 1, .node = NO_NODE,
                         .name = timeline_intern(t, LOST_TURN, strlen(LOST_TURN)) };
    timeline_add_call(t, &lost);
    of_thread(t, 1, CALL_LABEL, false);
    assert_int_equal(measure_trusted_wake(t, 0, t->call_count), t->call_count);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_timeline_measures_nothing),
        TEST(intervals_come_sorted_and_merged_where_they_touch),
        TEST(two_at_once_are_busy_once),
        TEST(a_selection_tells_engine_device_stream_and_calls_apart),
        TEST(a_wait_belongs_to_no_stream_and_no_device),
        TEST(spans_that_did_not_finish_are_left_out),
        TEST(spans_of_no_length_widen_the_extent_and_are_never_busy),
        TEST(overlap_is_the_time_in_which_both_run),
        TEST(the_peak_counts_spans_that_run_at_the_same_moment),
        TEST(the_busy_share_is_the_busiest_engines_over_the_extent_of_all),
        TEST(times_beyond_what_a_double_can_hold_stay_exact),
        TEST(the_longest_wait_names_its_call),
        TEST(a_part_runs_to_the_next_part_or_to_the_end),
        TEST(a_label_closes_where_its_own_kind_does),
        TEST(many_spans_in_the_worst_order_sort_right),
        TEST(who_waits_again_does_not_trust_a_wake_up_whatever_is_reported_of_him),
        TEST(who_goes_on_after_others_had_a_turn_may_have_looked_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
