/* SPDX-License-Identifier: MIT */
/* Timelines as text: the lanes of streams, engines, host threads and devices. */
#include "drawing.h"

static void many_streams_fold_to_a_screen(void **state)
{
    add_pipeline(*state, 32, 0);
    char *shown = picture(draw_text, *state, &both);
    assert_true(lines_of(shown) <= 24);
    assert_non_null(strstr(shown, "\nstream 8 "));
    assert_null(strstr(shown, "\nstream 9 "));
    assert_non_null(strstr(shown, "\n… 24 more streams\n"));
    assert_golden(shown, "many-streams.txt");
}

static void ten_streams_are_not_folded(void **state)
{
    add_pipeline(*state, 10, 0);
    char *shown = picture(draw_text, *state, &both);
    assert_non_null(strstr(shown, "\nstream 10 (a) "));
    assert_null(strstr(shown, "more"));
    assert_true(lines_of(shown) <= 24);
    free(shown);
}

static void kernels_at_the_same_time_get_rows_and_share_the_last(void **state)
{
    struct timeline *t = *state;
    for (uint32_t i = 0; i < 100; i++)
        add_operation(t, ENGINE_KERNEL, i + 1, i * 10, 2000 + i * 10, 60000);
    char *shown = picture(draw_text, t, &both);
    assert_true(lines_of(shown) <= 24);
    assert_true(occurrences(shown, "≡≡≡≡≡≡≡≡≡≡≡≡≡≡≡≡≡≡≡≡") >= 1);
    assert_non_null(strstr(shown, "≡ several"));
    free(shown);
}

static void neighbours_that_look_the_same_are_told_apart(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(80);
    d.ascii = true;
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 1000);
    add_operation(t, ENGINE_KERNEL, 1, 2, 1000, 2000);
    add_operation(t, ENGINE_H2D, 2, 4, 0, 1000);
    add_operation(t, ENGINE_D2H, 2, 6, 1000, 2000);
    char *shown = picture(draw_text, t, &d);
    assert_int_equal(occurrences(lane_of(shown, "stream 1"), "#|#"), 1);
    assert_int_equal(occurrences(lane_of(shown, "kernel"), "1|1"), 1);
    assert_int_equal(occurrences(lane_of(shown, "stream 2"), "><"), 1);
    assert_non_null(strstr(shown, "| next one"));
    free(shown);
}

static void a_span_shorter_than_a_column_still_shows(void **state)
{
    struct timeline *t = *state;
    struct drawing d = both;
    d.ascii = true;
    add_operation(t, ENGINE_H2D, 1, 0, 0, 500000);
    add_operation(t, ENGINE_KERNEL, 1, 2, 500000, 500001);      /* between two long ones */
    add_operation(t, ENGINE_D2H, 1, 4, 500001, 1000000);
    add_operation(t, ENGINE_KERNEL, 2, 6, 300000, 300001);      /* alone */
    add_operation(t, ENGINE_KERNEL, 3, 8, 1000000, 1000000);    /* of no length, at the very end */
    add_operation(t, ENGINE_MEMSET, 4, 10, 400000, 400000);
    char *shown = picture(draw_text, t, &d);
    assert_int_equal(occurrences(lane_of(shown, "stream 1"), ">#<"), 1);
    assert_int_equal(occurrences(lane_of(shown, "stream 2"), "#"), 1);
    assert_int_equal(occurrences(lane_of(shown, "stream 3"), "#"), 1);
    assert_int_equal(occurrences(lane_of(shown, "stream 4"), "m"), 2);      /* one is in "stream" */
    assert_int_equal(occurrences(lane_of(shown, "kernel"), "1"), 1);
    free(shown);
}

static void more_than_a_column_can_hold_is_said_to_be_more(void **state)
{
    struct timeline *t = *state;
    struct drawing d = both;
    d.ascii = true;
    add_operation(t, ENGINE_H2D, 1, 0, 0, 1000000);
    for (int i = 0; i < 5; i++)
        add_operation(t, ENGINE_KERNEL, 1, 2 + i, 1500000 + i, 1500001 + i);
    add_operation(t, ENGINE_D2H, 1, 10, 2000000, 3000000);
    char *shown = picture(draw_text, t, &d);
    assert_int_equal(occurrences(lane_of(shown, "stream 1"), "%"), 1);
    assert_non_null(strstr(shown, "% several"));
    free(shown);
}

static void what_never_finished_is_open_to_the_right(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_H2D, 1, 0, 0, 1000);
    add_operation(t, ENGINE_KERNEL, 1, 2, 1000, TIME_NEVER);
    add_operation(t, ENGINE_D2H, 1, 4, TIME_NEVER, TIME_NEVER);
    add_operation(t, ENGINE_H2D, 2, 6, 1000, 2000);
    wait_for_all(t, 8, TIME_NEVER);
    assert_golden(picture(draw_text, t, &both), "unfinished.txt");
}

static void an_operation_that_alone_never_ended_still_shows(void **state)
{
    struct timeline *t = *state;
    struct drawing d = both;
    d.ascii = true;
    add_operation(t, ENGINE_KERNEL, 1, 0, 10, TIME_NEVER);
    char *shown = picture(draw_text, t, &d);
    assert_int_equal(occurrences(lane_of(shown, "stream 1"), "!"), 1);
    assert_int_equal(occurrences(lane_of(shown, "kernel"), "!"), 1);
    assert_non_null(strstr(shown, "! never finished"));
    free(shown);
}

static void events_show_beside_what_is_longer(void **state)
{
    struct timeline *t = *state;
    struct drawing d = both;
    d.ascii = true;
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 1000);
    add_operation(t, ENGINE_NONE, 1, 2, 1000, 1000);
    uint32_t wait = add_call(t, CALL_STREAM_WAIT, "cudaStreamWaitEvent", 2, 4, 6);
    add_span(t, wait, ENGINE_NONE, 1000, 1000);
    add_operation(t, ENGINE_KERNEL, 2, 8, 1000, 2000);
    char *shown = picture(draw_text, t, &d);
    assert_int_equal(occurrences(lane_of(shown, "stream 1"), "#*"), 1);
    assert_int_equal(occurrences(lane_of(shown, "stream 2"), "o#"), 1);
    free(shown);
}

static void host_threads_queue_work_and_wait(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(60);
    d.ascii = true;
    add_operation(t, ENGINE_KERNEL, 1, 0, 100, 1000);
    t->calls[0].end = 100;
    uint32_t work = add_call(t, CALL_HOST_WORK, "host_work", 0, 0, 500);
    t->calls[work].thread = 1;
    wait_for_all(t, 100, 1000);
    char *shown = picture(draw_text, t, &d);
    const char *first = lane_of(shown, "host 0");
    assert_int_equal(occurrences(first, "v~"), 1);
    assert_int_equal(occurrences(first, "w"), 0);
    assert_true(occurrences(lane_of(shown, "host 1"), "w") > 15);
    free(shown);
}

static void many_host_threads_fold_too(void **state)
{
    struct timeline *t = *state;
    for (uint32_t i = 0; i < 9; i++) {
        uint32_t work = add_call(t, CALL_HOST_WORK, "host_work", 0, 0, 500);
        t->calls[work].thread = i;
    }
    char *shown = picture(draw_text, t, &both);
    assert_non_null(strstr(shown, "\nhost 3 "));
    assert_null(strstr(shown, "\nhost 4 "));
    assert_non_null(strstr(shown, "\n… 5 more host threads\n"));
    free(shown);
}

static void devices_are_told_apart(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 1000);
    add_operation(t, ENGINE_KERNEL, 2, 2, 0, 500)->device = 1;
    add_operation(t, ENGINE_H2D, 2, 4, 500, 1000)->device = 1;
    char *shown = picture(draw_text, t, &both);
    assert_non_null(strstr(shown, "\ngpu 0 stream 1 "));
    assert_non_null(strstr(shown, "\ngpu 1 stream 2 "));
    assert_non_null(strstr(lane_of(shown, "gpu 0 kernel"), "100 %"));
    assert_non_null(strstr(lane_of(shown, "gpu 1 kernel"), " 50 %"));
    free(shown);
}

static void two_devices_as_text_stand_apart(void **state)
{
    two_devices(*state);
    assert_golden(picture(draw_text, *state, &both), "two-devices.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(many_streams_fold_to_a_screen),
        TEST(ten_streams_are_not_folded),
        TEST(kernels_at_the_same_time_get_rows_and_share_the_last),
        TEST(neighbours_that_look_the_same_are_told_apart),
        TEST(a_span_shorter_than_a_column_still_shows),
        TEST(more_than_a_column_can_hold_is_said_to_be_more),
        TEST(what_never_finished_is_open_to_the_right),
        TEST(an_operation_that_alone_never_ended_still_shows),
        TEST(events_show_beside_what_is_longer),
        TEST(host_threads_queue_work_and_wait),
        TEST(many_host_threads_fold_too),
        TEST(devices_are_told_apart),
        TEST(two_devices_as_text_stand_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
