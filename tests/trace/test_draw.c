/* SPDX-License-Identifier: MIT */
/* Timelines as text: widths, colours, legends, times. */
#include "drawing.h"

#include "trace/draw/scale.h"

static void an_empty_timeline_says_that_nothing_ran(void **state)
{
    struct drawing d = both;
    char *shown = picture(draw_text, *state, &d);
    assert_string_equal(shown, "Overlap\nNothing ran.\n");
    free(shown);
    d.title = NULL;
    shown = picture(draw_text, *state, &d);
    assert_string_equal(shown, "Nothing ran.\n");
    free(shown);
}

static void a_pipeline_shows_streams_engines_and_what_the_host_did(void **state)
{
    add_pipeline(*state, 3, 0);
    assert_golden(picture(draw_text, *state, &both), "pipeline-80.txt");
}

static void a_wide_terminal_shows_more(void **state)
{
    struct drawing d = with_width(120);
    add_pipeline(*state, 3, 0);
    assert_golden(picture(draw_text, *state, &d), "pipeline-120.txt");
}

static void forty_columns_of_seven_bits_are_enough(void **state)
{
    struct drawing d = with_width(40);
    d.ascii = true;
    add_pipeline(*state, 3, 0);
    assert_golden(picture(draw_text, *state, &d), "pipeline-40-ascii.txt");
}

static void colour_adds_nothing_but_colour(void **state)
{
    struct drawing d = both;
    add_pipeline(*state, 3, 0);
    add_operation(*state, ENGINE_KERNEL, 1, 30, 1000000, TIME_NEVER);
    char *plain = picture(draw_text, *state, &d), *to;
    d.color = true;
    char *colored = picture(draw_text, *state, &d);
    assert_true(occurrences(colored, "\033[") > 10);
    assert_null(strchr(plain, '\033'));
    to = colored;
    for (const char *from = colored; *from; from++) {
        if (*from == '\033')
            from += strcspn(from, "m");
        else
            *to++ = *from;
    }
    *to = '\0';
    assert_string_equal(colored, plain);
    free(plain);
    free(colored);
}

static void colours_begin_and_end_where_they_should(void **state)
{
    struct drawing d = with_width(40);
    d.color = true;
    add_pipeline(*state, 1, 0);
    assert_golden(picture(draw_text, *state, &d), "colour.txt");
}

static void times_are_told_from_the_start_however_late_it_is(void **state)
{
    struct timeline late;
    timeline_init(&late);
    add_pipeline(*state, 3, 0);
    add_pipeline(&late, 3, HUGE_TIME);
    drawer *const drawers[] = { draw_text, draw_svg };
    for (int i = 0; i < 2; i++) {
        char *early_shown = picture(drawers[i], *state, &both),
             *late_shown = picture(drawers[i], &late, &both);
        if (drawers[i] == draw_text)
            assert_string_equal(early_shown, late_shown);
        else
            assert_int_equal(strlen(early_shown), strlen(late_shown));
        free(early_shown);
        free(late_shown);
    }
    timeline_fini(&late);
}

static void nothing_is_wider_than_it_may_be(void **state)
{
    struct timeline *t = *state;
    add_pipeline(t, 32, 0);
    add_operation(t, ENGINE_MEMSET, 40, 0, 100, TIME_NEVER)->device = 1;
    add_operation(t, ENGINE_NONE, 40, 0, TIME_NEVER, TIME_NEVER)->device = 1;
    add_call(t, CALL_MALLOC, "cudaMalloc", 0, 2000, 400000);
    for (int width = 24; width < 200; width++) {
        struct drawing d = with_width(width);
        d.title =
            "A title that goes on and on, with → arrows and \"quotes\", and then some more of it";
        d.ascii = width % 2;
        d.color = width % 3 == 0;
        char *shown = picture(draw_text, t, &d);
        if (widest(shown) > (size_t)width)
            fail_msg("%zu columns for %d:\n%s", widest(shown), width, shown);
        if (d.ascii)
            for (const char *at = shown; *at; at++)
                assert_true((unsigned char)*at < 0x80);
        free(shown);
    }
}

static void the_legend_explains_what_is_there_and_no_more(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_D2D, 0, 0, 10, 20);
    uint32_t legacy = add_call(t, CALL_STREAM_CREATE, "", 0, 0, 0);
    t->calls[legacy].flags = STREAM_LEGACY;
    struct drawing d = both;
    d.ascii = true;
    char *shown = picture(draw_text, t, &d);
    assert_string_equal(line_of(shown, (int)lines_of(shown) - 1),
                        "= D2D  v queues  D default stream");
    assert_non_null(strstr(shown, "\ndefault (D) |"));
    free(shown);
}

static void where_kernels_declared_no_time_the_legend_says_what_it_is(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_KERNEL, 1, 0, 10, 20);
    struct drawing d = both;
    char *shown = picture(draw_text, t, &d);
    assert_null(strstr(shown, "computes"));
    free(shown);
    d.undeclared = true;
    shown = picture(draw_text, t, &d);
    assert_string_equal(line_of(shown, (int)lines_of(shown) - 1),
                        "a kernel's time does not depend on how much it computes");
    free(shown);
}

static void calls_around_the_work_do_not_squeeze_it(void **state)
{
    struct timeline *t = *state;
    add_call(t, CALL_MALLOC, "cudaMalloc", 0, 0, 5000000);
    add_pipeline(t, 3, 5000000);
    add_call(t, CALL_FREE, "cudaFree", 0, 7000000, 90000000);
    assert_golden(picture(draw_text, t, &both), "pipeline-80.txt");
}

static void only_the_calls_asked_for_are_drawn(void **state)
{
    struct timeline *t = *state;
    struct drawing d = both;
    add_operation(t, ENGINE_MEMSET, 7, 0, 0, 1000000);
    d.first_call = t->call_count;
    add_pipeline(t, 3, 2000000);
    d.end_call = t->call_count;
    add_operation(t, ENGINE_MEMSET, 8, 8000000, 9000000, 9500000);
    assert_golden(picture(draw_text, t, &d), "pipeline-80.txt");
}

static void streams_and_engines_can_be_drawn_alone(void **state)
{
    struct drawing d = both;
    add_pipeline(*state, 3, 0);
    d.engines = false;
    char *shown = picture(draw_text, *state, &d);
    assert_non_null(strstr(shown, "\nstream 1 "));
    assert_null(strstr(shown, "\nkernel "));
    free(shown);
    d.engines = true;
    d.streams = false;
    shown = picture(draw_text, *state, &d);
    assert_null(strstr(shown, "\nstream 1 "));
    assert_non_null(strstr(shown, "\nkernel "));
    assert_non_null(strchr(lane_of(shown, "kernel"), '3'));
    free(shown);
}

static void busy_shares_are_of_the_devices_extent(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_H2D, 1, 0, 1000, 1500);
    add_operation(t, ENGINE_KERNEL, 1, 2, 1500, 1999);
    add_operation(t, ENGINE_D2H, 1, 4, 1999, 2000);
    wait_for_all(t, 6, 5000);
    char *shown = picture(draw_text, t, &both);
    assert_non_null(strstr(lane_of(shown, "H2D copy"), " 50 %"));
    assert_non_null(strstr(lane_of(shown, "kernel"), " 49 %"));
    assert_non_null(strstr(lane_of(shown, "D2H copy"), "  0 %"));
    free(shown);
}

static void a_strangers_title_cannot_write_to_the_terminal(void **state)
{
    struct drawing d = both;
    add_pipeline(*state, 1, 0);
    d.title = "a\033[2Jb\nc\x9b" "d \xe2\x80\xae reversed \xff";
    char *shown = picture(draw_text, *state, &d);
    assert_null(strchr(shown, '\033'));
    assert_non_null(strstr(line_of(shown, 0), "a?[2Jb?c?d ? reversed ?"));
    free(shown);
}

static void wide_characters_count_twice(void **state)
{
    struct drawing d = with_width(40);
    add_pipeline(*state, 1, 0);
    d.title = "核核核核核核核核核核核核核核核核核核核核核核核核核核核核核核";
    char *shown = picture(draw_text, *state, &d);
    const char *first = line_of(shown, 0);
    assert_true(2 * occurrences(first, "核") + strlen("0.91 ms") < 40);
    assert_true(occurrences(first, "核") >= 15);
    free(shown);
}

static void ticks_are_round(void **state)
{
    (void)state;
    static const struct { int64_t length; unsigned most; int64_t step; } cases[] = {
        { 1, 5, 1 }, { 9, 5, 2 }, { 10, 5, 2 }, { 11, 5, 2 }, { 12, 5, 5 }, { 30, 5, 10 },
        { 1972000, 5, 500000 },
        { 999, 1, 500 }, { INT64_MAX - 1, 10, INT64_C(1000000000000000000) },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(time_step(cases[i].length, cases[i].most), cases[i].step);
}

static void times_are_written_exactly(void **state)
{
    (void)state;
    char text[TIME_TEXT];
    assert_string_equal(time_text(text, 0, 1), "0 ns");
    assert_string_equal(time_text(text, 999, 1), "999 ns");
    assert_string_equal(time_text(text, 1500, 1000), "1.5 us");
    assert_string_equal(time_text(text, 1000001, 1000000), "1.000001 ms");
    assert_string_equal(time_text(text, HUGE_TIME, 1000000000), "9007199.254740993 s");
    assert_string_equal(time_about(text, 1972499), "1.972 ms");
    assert_string_equal(time_about(text, 1972500), "1.973 ms");
    assert_int_equal(time_unit(999), 1);
    assert_int_equal(time_unit(1000), 1000);
    assert_int_equal(time_unit(INT64_MAX), 1000000000);
}

static void places_are_rounded_to_the_nearest_and_never_overflow(void **state)
{
    (void)state;
    assert_int_equal(scale_x(0, 0, 60), 0);
    assert_int_equal(scale_x(149, 300, 3), 1);
    assert_int_equal(scale_x(150, 300, 3), 2);
    assert_int_equal(scale_x(300, 300, 3), 3);
    assert_int_equal(scale_x(INT64_MAX / 2, INT64_MAX - 1, 400000), 200000);
    assert_int_equal(scale_x(INT64_MAX - 1, INT64_MAX - 1, 400000), 400000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_timeline_says_that_nothing_ran),
        TEST(a_pipeline_shows_streams_engines_and_what_the_host_did),
        TEST(a_wide_terminal_shows_more),
        TEST(forty_columns_of_seven_bits_are_enough),
        TEST(colour_adds_nothing_but_colour),
        TEST(colours_begin_and_end_where_they_should),
        TEST(times_are_told_from_the_start_however_late_it_is),
        TEST(nothing_is_wider_than_it_may_be),
        TEST(the_legend_explains_what_is_there_and_no_more),
        TEST(where_kernels_declared_no_time_the_legend_says_what_it_is),
        TEST(calls_around_the_work_do_not_squeeze_it),
        TEST(only_the_calls_asked_for_are_drawn),
        TEST(streams_and_engines_can_be_drawn_alone),
        TEST(busy_shares_are_of_the_devices_extent),
        TEST(a_strangers_title_cannot_write_to_the_terminal),
        TEST(wide_characters_count_twice),
        TEST(ticks_are_round),
        TEST(times_are_written_exactly),
        TEST(places_are_rounded_to_the_nearest_and_never_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
