/* SPDX-License-Identifier: MIT */
/* What two programs call otherwise: it is told where it is one thing, and nothing is where there
 * are more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "grader/judge/difference.h"

static struct timeline logs[2];         /* yours, the reference's */
static struct difference found;

static int set_up(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        timeline_init(&logs[side]);
        timeline_add_call(&logs[side], &(struct call){ .kind = CALL_PART,
                                                       .name = timeline_intern(&logs[side], "a", 1),
                                                       .node = NO_NODE });
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    timeline_fini(&logs[0]);
    timeline_fini(&logs[1]);
    return 0;
}

static void add(int side, const char *name, struct call c)
{
    struct timeline *t = &logs[side];
    c.name = timeline_intern(t, name, strlen(name));
    c.file = timeline_intern(t, "x.cu", 4);
    c.line = (uint32_t)t->call_count + 10;      /* the first has 11 */
    c.node = NO_NODE;
    timeline_add_call(t, &c);
}

static void both(const char *name, struct call c)
{
    add(0, name, c);
    add(1, name, c);
}

#define COPY(size, in) (struct call){ .kind = CALL_COPY, .bytes = (size), .stream = (in) }
#define LAUNCH(in) (struct call){ .kind = CALL_LAUNCH, .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .stream = (in) }

static bool differ_in(const char *part, enum check_kind kind)
{
    struct card card = { .name = "h200" };
    struct view v[2];
    for (int side = 0; side < 2; side++) {
        timeline_add_call(&logs[side], &(struct call){ .kind = CALL_PART, .node = NO_NODE });
        v[side] = (struct view){ .card = &card, .timeline = &logs[side] };
    }
    return difference_find(&v[0], &v[1], &(struct check){ .part = part, .kind = kind }, &found);
}

static bool differ_for(enum check_kind kind)
{
    return differ_in("a", kind);
}

static bool differ(void)
{
    return differ_for(OVERLAP);
}

static void assert_reported(const char *words, uint32_t call)
{
    assert_true(differ());
    assert_string_equal(found.text, words);
    assert_int_equal(found.call, call);
}

static void the_same_calls_differ_in_nothing(void **state)
{
    (void)state;
    both("cudaMemcpyAsync", COPY(8, 1));
    both("scale", LAUNCH(1));
    assert_false(differ());
}

static void a_call_that_is_never_made_is_named(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(1, "cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1 });
    assert_reported("cudaStreamSynchronize(): 1 call there, none here", ANY);
}

static void what_cannot_be_the_cause_is_not_named(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(1, "cudaMemPrefetchAsync", (struct call){ .kind = CALL_PREFETCH, .stream = 1 });
    assert_false(differ_for(OUTPUT));
    assert_false(differ_for(ORDER));
    assert_true(differ_for(OVERLAP));
}

static void what_is_not_given_back_is_a_mistake_of_its_own(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(1, "cudaStreamDestroy", (struct call){ .kind = CALL_STREAM_DESTROY, .stream = 1 });
    assert_false(differ());
    assert_true(differ_for(HYGIENE));
}

static void a_call_that_is_made_too_often_is_blamed(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(0, "scale", LAUNCH(1));
    assert_reported("scale(): 1 call there, 2 here (the first in line 11)", 1);
}

static void a_call_that_was_refused_is_not_called_missing(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(0, "cudaEventRecord",
        (struct call){ .kind = CALL_EVENT_RECORD, .stream = 1, .status = 400 });
    add(1, "cudaEventRecord", (struct call){ .kind = CALL_EVENT_RECORD, .stream = 1 });
    assert_false(differ());
}

static void two_names_that_are_missing_are_two_things(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(1, "cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1 });
    add(1, "cudaEventRecord", (struct call){ .kind = CALL_EVENT_RECORD, .stream = 1 });
    assert_false(differ());
}

static void how_often_a_program_polls_is_its_own_affair(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    both("cudaStreamQuery", (struct call){ .kind = CALL_STREAM_QUERY, .stream = 1 });
    add(0, "cudaStreamQuery", (struct call){ .kind = CALL_STREAM_QUERY, .stream = 1 });
    assert_false(differ());
}

static void to_ask_where_the_other_waits_not_at_all_is_no_difference(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(0, "cudaStreamQuery", (struct call){ .kind = CALL_STREAM_QUERY, .stream = 1 });
    assert_false(differ());
}

static void to_wait_for_a_stream_and_not_for_the_device_is_no_difference(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(0, "cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1 });
    add(1, "cudaDeviceSynchronize", (struct call){ .kind = CALL_DEVICE_SYNC });
    assert_false(differ());
}

static void to_wait_for_the_device_and_not_for_a_stream_is_told(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(0, "cudaDeviceSynchronize", (struct call){ .kind = CALL_DEVICE_SYNC });
    add(1, "cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1 });
    assert_reported(
        "cudaStreamSynchronize(): 1 call there, none here; cudaDeviceSynchronize(): no call there, 1 here (line 12)",
        2);
}

static void another_size_is_told_with_both(void **state)
{
    (void)state;
    both("cudaMemcpyAsync", COPY(8, 1));
    add(0, "cudaMemcpyAsync", COPY(4, 1));
    add(1, "cudaMemcpyAsync", COPY(8, 1));
    assert_reported("cudaMemcpyAsync() in line 12 is about 4 bytes, and there 8", 2);
}

static void the_same_sizes_in_another_order_are_the_same(void **state)
{
    (void)state;
    add(0, "cudaMemcpyAsync", COPY(4, 1));
    add(0, "cudaMemcpyAsync", COPY(8, 1));
    add(1, "cudaMemcpyAsync", COPY(8, 1));
    add(1, "cudaMemcpyAsync", COPY(4, 1));
    assert_false(differ());
}

static void streams_with_other_numbers_are_the_same(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        add(0, "scale", LAUNCH(5));
        add(1, "scale", LAUNCH(2));
    }
    assert_false(differ());
}

static void the_one_call_in_another_stream_is_told(void **state)
{
    (void)state;
    both("cudaMemcpyAsync", COPY(8, 1));
    both("scale", LAUNCH(1));
    add(0, "shift", LAUNCH(2));
    add(1, "shift", LAUNCH(1));
    assert_reported(
        "shift() in line 13 names another stream than cudaMemcpyAsync() in line 11, and there the same",
        3);
}

static void several_streams_that_are_one_here_are_no_call_in_another_stream(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 2; k++) {
        add(0, "cudaMemcpyAsync", COPY(8, 1));
        add(0, "scale", LAUNCH(1));
        add(1, "cudaMemcpyAsync", COPY(8, k));
        add(1, "scale", LAUNCH(k));
        both("cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = k });
    }
    assert_false(differ());
}

static void a_call_that_has_moved_is_told_with_what_it_has_passed(void **state)
{
    (void)state;
    add(0, "cudaEventRecord", (struct call){ .kind = CALL_EVENT_RECORD, .stream = 1 });
    both("scale", LAUNCH(1));
    add(1, "cudaEventRecord", (struct call){ .kind = CALL_EVENT_RECORD, .stream = 1 });
    assert_reported(
        "scale() in line 12 comes after cudaEventRecord() in line 11, and there before it", 2);
}

#define MAKE(what) (struct call){ .kind = (what), .flags = 0 }

static void two_names_for_the_same_are_no_difference(void **state)
{
    (void)state;
    add(0, "cudaEventCreateWithFlags", MAKE(CALL_EVENT_CREATE));
    add(1, "cudaEventCreate", MAKE(CALL_EVENT_CREATE));
    add(0, "cudaHostAlloc", MAKE(CALL_MALLOC));
    add(1, "cudaMallocHost", MAKE(CALL_MALLOC));
    add(0, "cudaStreamCreateWithFlags", MAKE(CALL_STREAM_CREATE));
    add(1, "cudaStreamCreate", MAKE(CALL_STREAM_CREATE));
    both("scale", LAUNCH(1));
    assert_false(differ());
}

static void what_was_made_before_the_part_is_no_difference(void **state)
{
    for (int made = 1; made >= 0; made--) {
        if (made)
            add(0, "cudaEventCreateWithFlags", MAKE(CALL_EVENT_CREATE));
        for (int side = 0; side < 2; side++)
            timeline_add_call(&logs[side],
                              &(struct call){ .kind = CALL_PART,
                                              .name = timeline_intern(&logs[side], "b", 1),
                                              .node = NO_NODE });
        add(1, "cudaEventCreate", MAKE(CALL_EVENT_CREATE));
        both("scale", LAUNCH(1));
        assert_int_equal(differ_in("b", OVERLAP), !made);
        tear_down(state);
        set_up(state);
    }
}

static void memory_of_before_the_part_serves_each_time(void **state)
{
    for (int made = 1; made >= 0; made--) {
        if (made)
            add(0, "cudaMalloc", MAKE(CALL_MALLOC));
        for (int side = 0; side < 2; side++)
            timeline_add_call(&logs[side],
                              &(struct call){ .kind = CALL_PART,
                                              .name = timeline_intern(&logs[side], "b", 1),
                                              .node = NO_NODE });
        add(1, "cudaMallocAsync", MAKE(CALL_MALLOC));
        add(1, "cudaMallocAsync", MAKE(CALL_MALLOC));
        both("scale", LAUNCH(1));
        assert_int_equal(differ_in("b", OVERLAP), !made);
        tear_down(state);
        set_up(state);
    }
}

static void the_name_that_is_written_here_is_told(void **state)
{
    (void)state;
    add(0, "cudaEventCreateWithFlags", MAKE(CALL_EVENT_CREATE));
    add(0, "cudaEventCreateWithFlags", MAKE(CALL_EVENT_CREATE));
    add(1, "cudaEventCreate", MAKE(CALL_EVENT_CREATE));
    both("scale", LAUNCH(1));
    assert_reported("cudaEventCreateWithFlags(): 1 call there, 2 here (the first in line 11)", 1);
}

static void a_non_blocking_stream_is_another_one_beside_the_default_stream(void **state)
{
    (void)state;
    both("cudaFree",
         (struct call){ .kind = CALL_STREAM_CREATE, .stream = 7, .flags = STREAM_LEGACY });
    add(0, "cudaStreamCreateWithFlags",
        (struct call){ .kind = CALL_STREAM_CREATE, .flags = STREAM_NON_BLOCKING });
    add(1, "cudaStreamCreate", MAKE(CALL_STREAM_CREATE));
    both("scale", LAUNCH(7));
    assert_reported("cudaStreamCreate(): 1 call there, none here; cudaStreamCreateWithFlags(): no call "
                    "there, 1 here (line 12)",
                    2);
}

static void a_non_blocking_stream_is_the_same_where_nothing_is_in_the_default_stream(void **state)
{
    (void)state;
    both("cudaFree",
         (struct call){ .kind = CALL_STREAM_CREATE, .stream = 7, .flags = STREAM_LEGACY });
    add(0, "cudaStreamCreateWithFlags",
        (struct call){ .kind = CALL_STREAM_CREATE, .stream = 1, .flags = STREAM_NON_BLOCKING });
    add(1, "cudaStreamCreate", (struct call){ .kind = CALL_STREAM_CREATE, .stream = 1 });
    both("scale", LAUNCH(1));
    assert_false(differ());
}

static void what_is_made_or_given_back_in_another_order_is_no_difference(void **state)
{
    (void)state;
    add(0, "cudaMalloc", MAKE(CALL_MALLOC));
    both("cudaStreamCreate", MAKE(CALL_STREAM_CREATE));
    add(1, "cudaMalloc", MAKE(CALL_MALLOC));
    both("scale", LAUNCH(1));
    add(0, "cudaFree", MAKE(CALL_FREE));
    both("cudaStreamDestroy", MAKE(CALL_STREAM_DESTROY));
    add(1, "cudaFree", MAKE(CALL_FREE));
    assert_false(differ());
}

static void what_is_given_back_too_early_is_told(void **state)
{
    (void)state;
    both("cudaMalloc", MAKE(CALL_MALLOC));
    add(0, "cudaFree", MAKE(CALL_FREE));
    both("scale", LAUNCH(1));
    add(1, "cudaFree", MAKE(CALL_FREE));
    assert_reported("scale() in line 13 comes after cudaFree() in line 12, and there before it", 3);
}

static void to_wait_once_more_is_no_cause_of_a_wrong_output(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(0, "cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1 });
    assert_false(differ_for(OUTPUT));
    assert_false(differ_for(ORDER));
    assert_true(differ_for(OVERLAP));
}

static void to_wait_for_more_is_no_cause_of_a_wrong_output(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(0, "cudaDeviceSynchronize", MAKE(CALL_DEVICE_SYNC));
    add(1, "cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1 });
    assert_false(differ_for(OUTPUT));
    assert_true(differ_for(OVERLAP));
}

static void a_wait_that_is_missing_is_no_matter_of_hygiene(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(1, "cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1 });
    assert_false(differ_for(HYGIENE));
    assert_true(differ_for(OUTPUT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_same_calls_differ_in_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_call_that_is_never_made_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_cannot_be_the_cause_is_not_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_given_back_is_a_mistake_of_its_own, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_call_that_is_made_too_often_is_blamed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_call_that_was_refused_is_not_called_missing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(two_names_that_are_missing_are_two_things, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(how_often_a_program_polls_is_its_own_affair, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(to_ask_where_the_other_waits_not_at_all_is_no_difference,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(to_wait_for_a_stream_and_not_for_the_device_is_no_difference,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(to_wait_for_the_device_and_not_for_a_stream_is_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(another_size_is_told_with_both, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_sizes_in_another_order_are_the_same, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(streams_with_other_numbers_are_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_one_call_in_another_stream_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(several_streams_that_are_one_here_are_no_call_in_another_stream,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_call_that_has_moved_is_told_with_what_it_has_passed,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_names_for_the_same_are_no_difference, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_was_made_before_the_part_is_no_difference, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(memory_of_before_the_part_serves_each_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_name_that_is_written_here_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_non_blocking_stream_is_another_one_beside_the_default_stream,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            a_non_blocking_stream_is_the_same_where_nothing_is_in_the_default_stream, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(what_is_made_or_given_back_in_another_order_is_no_difference,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_given_back_too_early_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(to_wait_once_more_is_no_cause_of_a_wrong_output, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(to_wait_for_more_is_no_cause_of_a_wrong_output, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_wait_that_is_missing_is_no_matter_of_hygiene, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
