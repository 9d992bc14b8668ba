/* SPDX-License-Identifier: MIT */
/*
 * Pictures are compared with files in golden/, byte for byte. Run this program
 * with GOLDEN=write to write them anew, and look at them before you commit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdlib.h>
#include <time.h>

#include "hand_made.h"
#include "trace/draw/draw.h"
#include "trace/draw/scale.h"

#define HUGE_TIME ((INT64_C(1) << 53) + 1)

typedef void drawer(FILE *out, const struct timeline *t, const struct drawing *d);

static const struct drawing both = { .title = "Overlap", .streams = true, .engines = true, .width = 80 };

static struct drawing with_width(int width)
{
    struct drawing d = both;
    d.width = width;
    return d;
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

/* The picture as a string that the caller frees. */
static char *picture(drawer *draw, const struct timeline *t, const struct drawing *d)
{
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    draw(out, t, d);
    fclose(out);
    assert_int_equal(strlen(text), length);
    return text;
}

static void assert_golden(char *shown, const char *name)
{
    char path[128], *golden = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "tests/trace/golden/%s", name);
    if (getenv("GOLDEN")) {
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(shown, out);
        fclose(out);
    }
    FILE *in = fopen(path, "r");
    if (!in)
        fail_msg("there is no %s", path);
    if (getdelim(&golden, &size, '\0', in) < 0)
        fail_msg("%s is empty", path);
    fclose(in);
    if (strcmp(shown, golden) != 0)
        fail_msg("not as in %s:\n%s", path, shown);
    free(golden);
    free(shown);
}

/* Line number `n` (from 0) of a text, in a static buffer. */
static const char *line_of(const char *text, int n)
{
    static char line[2000];
    for (; n > 0 && text; n--)
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    assert_non_null(text);
    snprintf(line, sizeof line, "%.*s", (int)strcspn(text, "\n"), text);
    return line;
}

/* The line that begins with this label. */
static const char *lane_of(const char *text, const char *label)
{
    for (int n = 0;; n++) {
        const char *line = line_of(text, n);
        if (strncmp(line, label, strlen(label)) == 0)
            return line;
    }
}

static size_t occurrences(const char *text, const char *what)
{
    size_t found = 0;
    for (; (text = strstr(text, what)); text += strlen(what))
        found++;
    return found;
}

static size_t lines_of(const char *text)
{
    return occurrences(text, "\n");
}

/* Columns of the widest line; escape sequences take none. All glyphs take one. */
static size_t widest(const char *text)
{
    size_t most = 0, columns = 0;
    for (; *text; text++) {
        if (*text == '\033')
            text += strcspn(text, "m");
        else if (*text == '\n')
            columns = 0;
        else if ((*text & 0xc0) != 0x80)
            columns++;
        most = columns > most ? columns : most;
    }
    return most;
}

static void wait_for_all(struct timeline *t, int64_t begin, int64_t end)
{
    struct span *wait = add_operation(t, ENGINE_WAIT, 0, begin, begin, end);
    t->calls[wait->call].end = end;
}

/* Copy in, kernel, copy out in `streams` streams, one after another, from `start`. */
static void add_pipeline(struct timeline *t, int streams, int64_t start)
{
    for (int i = 0; i < streams; i++) {
        int64_t call = start + 6000 * i, copy = start + 10000 + 400000 * i;
        add_operation(t, ENGINE_H2D, (uint32_t)i + 1, call, copy, copy + 400000)->bytes = 4 << 20;
        add_operation(t, ENGINE_KERNEL, (uint32_t)i + 1, call + 2000, copy + 400000, copy + 500000);
        add_operation(t, ENGINE_D2H, (uint32_t)i + 1, call + 4000, copy + 520000, copy + 900000)->bytes = 4 << 20;
    }
    uint32_t work = add_call(t, CALL_HOST_WORK, "host_work", 0, start + 6000 * streams, start + 300000);
    t->calls[work].end = start + 300000;
    wait_for_all(t, start + 300000, start + 510000 + 400000 * streams);
}

/* ---- text ---- */

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
        char *early_shown = picture(drawers[i], *state, &both), *late_shown = picture(drawers[i], &late, &both);
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
        d.title = "A title that goes on and on, with → arrows and \"quotes\", and then some more of it";
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

static void the_legend_explains_what_is_there_and_no_more(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_D2D, 0, 0, 10, 20);
    uint32_t legacy = add_call(t, CALL_STREAM_CREATE, "", 0, 0, 0);
    t->calls[legacy].flags = STREAM_LEGACY;
    struct drawing d = both;
    d.ascii = true;
    char *shown = picture(draw_text, t, &d);
    assert_string_equal(line_of(shown, (int)lines_of(shown) - 1), "= D2D  v queues  D default stream");
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
    assert_string_equal(line_of(shown, (int)lines_of(shown) - 1), "a kernel's time does not depend on how much it computes");
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

/* Copies from one device to the other and back, kernels and a copy to the host on each. */
static void two_devices(struct timeline *t)
{
    for (uint32_t device = 0; device < 2; device++) {
        int64_t begin = 10 * (int64_t)device;
        struct span *peer;
        for (uint32_t copy = 0; copy < 2; copy++) {
            add_operation(t, ENGINE_KERNEL, 2 + 2 * device, begin, begin + 200 * copy, begin + 200 * copy + 180)->device = device;
            peer = add_operation(t, ENGINE_PEER, 3 + 2 * device, begin + 4, begin + 200 * copy + 180, begin + 200 * copy + 230);
            peer->device = device;
            peer->bytes = 4 << 20;
            t->calls[peer->call].src_device = device;
            t->calls[peer->call].dst_device = 1 - device;
            t->calls[peer->call].flags = copy ? COPY_DIRECT : 0;
        }
        add_operation(t, ENGINE_D2H, 3 + 2 * device, begin + 6, begin + 430, begin + 500)->device = device;
    }
}

static void two_devices_as_text_stand_apart(void **state)
{
    two_devices(*state);
    assert_golden(picture(draw_text, *state, &both), "two-devices.txt");
}

static void two_devices_as_svg_stand_apart(void **state)
{
    two_devices(*state);
    struct drawing d = both;
    d.width = 760;
    char *shown = picture(draw_svg, *state, &d);
    assert_non_null(strstr(shown, "cudaMemcpyPeerAsync peer from gpu 1 to gpu 0 through the host in stream 5"));
    assert_non_null(strstr(shown, "cudaMemcpyPeerAsync peer from gpu 0 to gpu 1 in stream 3"));
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
        { 1, 5, 1 }, { 9, 5, 2 }, { 10, 5, 2 }, { 11, 5, 2 }, { 12, 5, 5 }, { 30, 5, 10 }, { 1972000, 5, 500000 },
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

/* ---- SVG ---- */

/* Is every element closed, every attribute quoted, every '&' one of XML's own? */
static bool well_formed(const char *at)
{
    char open[16][32];
    int depth = 0, roots = 0;
    while (*at) {
        if (*at == '&') {
            static const char *const known[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
            size_t i = 0;
            while (i < 5 && strncmp(at, known[i], strlen(known[i])) != 0)
                i++;
            if (i == 5)
                return false;
        }
        if (*at != '<') {
            if (depth == 0 && !isspace((unsigned char)*at))
                return false;
            at++;
            continue;
        }
        bool closes = *++at == '/';
        char name[32];
        size_t length = strcspn(at += closes, " />");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        at += length;
        while (*at == ' ') {
            at += strcspn(at, "=<>");
            if (at[0] != '=' || at[1] != '"')
                return false;
            at += 2;
            at += strcspn(at, "\"<&");
            if (*at++ != '"')
                return false;
        }
        bool empty = *at == '/';
        at += empty;
        if (*at++ != '>')
            return false;
        if (closes && (depth == 0 || strcmp(open[--depth], name) != 0))
            return false;
        if (!closes && !empty) {
            roots += depth == 0;
            if (depth == 16)
                return false;
            memcpy(open[depth++], name, sizeof name);
        }
    }
    return depth == 0 && roots == 1;
}

static void the_checker_of_well_formedness_can_say_no(void **state)
{
    (void)state;
    assert_true(well_formed("<a b=\"c\"><d/>&lt;</a>\n"));
    assert_false(well_formed("<a>"));
    assert_false(well_formed("<a></b>"));
    assert_false(well_formed("<a>&nbsp;</a>"));
    assert_false(well_formed("<a b=c></a>"));
    assert_false(well_formed("<a/><b></b>x"));
}

static void a_pipeline_as_svg(void **state)
{
    struct drawing d = with_width(760);
    add_pipeline(*state, 3, 0);
    assert_golden(picture(draw_svg, *state, &d), "pipeline.svg");
}

static void svg_has_a_role_a_title_and_a_description(void **state)
{
    struct drawing d = with_width(760);
    add_pipeline(*state, 2, 0);
    char *shown = picture(draw_svg, *state, &d);
    assert_true(well_formed(shown));
    assert_non_null(strstr(shown, " role=\"img\""));
    assert_non_null(strstr(shown, ">Overlap</title>"));
    assert_non_null(strstr(shown, ">6 operations in 2 streams within 1.31 ms."));
    assert_non_null(strstr(shown, "H2D copy: busy for 61 % of the time."));
    free(shown);
    d.description = "What this shows.";
    shown = picture(draw_svg, *state, &d);
    assert_non_null(strstr(shown, "-desc\">What this shows.</desc>"));
    free(shown);
}

static void each_mark_says_what_it_is(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(760);
    add_operation(t, ENGINE_H2D, 3, 0, 250, 1500)->bytes = 3 << 20;
    t->calls[0].line = 42;
    add_operation(t, ENGINE_KERNEL, 3, 4, 2000, TIME_NEVER);
    char *shown = picture(draw_svg, t, &d);
    assert_int_equal(occurrences(shown, "<title>cudaMemcpyAsync H2D in stream 3: starts 250 ns, takes 1.25 us, 3 MiB"
                                        " (line 42)</title>"), 2);
    assert_int_equal(occurrences(shown, "<title>kernel in stream 3: starts 2 us, never finished</title>"), 2);
    assert_int_equal(occurrences(shown, "class=\"open\""), 3);      /* stream, engine, legend */
    free(shown);
}

static void strange_names_stay_text(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(760);
    d.title = "<b>\"it's\" & so</b>";
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 100)->name = text(t, "</title><script>\x01\xff" "Größe&\"");
    char *shown = picture(draw_svg, t, &d);
    assert_true(well_formed(shown));
    assert_null(strstr(shown, "<script"));
    assert_non_null(strstr(shown, "&lt;b&gt;&quot;it&#39;s&quot; &amp; so&lt;/b&gt;</title>"));
    assert_non_null(strstr(shown, "&lt;/title&gt;&lt;script&gt;\uFFFD\uFFFDGröße&amp;&quot; in stream 1"));
    free(shown);
}

static void ids_are_the_pictures_own(void **state)
{
    struct drawing d = with_width(760);
    char class[2][32], prefix[64], *shown[2];
    add_pipeline(*state, 2, 0);
    for (int i = 0; i < 2; i++) {
        shown[i] = picture(draw_svg, *state, &d);
        assert_int_equal(sscanf(strstr(shown[i], "class=\""), "class=\"%31[a-z0-9]\"", class[i]), 1);
        snprintf(prefix, sizeof prefix, " id=\"%s-", class[i]);
        assert_int_equal(occurrences(shown[i], " id=\""), occurrences(shown[i], prefix));
        snprintf(prefix, sizeof prefix, "url(#%s-", class[i]);
        assert_int_equal(occurrences(shown[i], "url(#"), occurrences(shown[i], prefix));
        add_operation(*state, ENGINE_MEMSET, 1, 100, 10, 20);
    }
    assert_string_not_equal(class[0], class[1]);
    free(shown[0]);
    free(shown[1]);
}

static void rows_that_have_to_share_say_so(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(760);
    for (uint32_t i = 0; i < 8; i++)
        add_operation(t, ENGINE_KERNEL, i + 1, i * 10, 2000, 60000);
    char *shown = picture(draw_svg, t, &d);
    assert_null(strstr(shown, ">several</text>"));
    free(shown);
    add_operation(t, ENGINE_KERNEL, 9, 90, 2000, 60000);
    shown = picture(draw_svg, t, &d);
    assert_int_equal(occurrences(shown, ">several</text>"), 1);
    free(shown);
}

static void the_same_timeline_gives_the_same_bytes(void **state)
{
    struct drawing d = with_width(761);
    add_pipeline(*state, 5, HUGE_TIME);
    char *first = picture(draw_svg, *state, &d), *second = picture(draw_svg, *state, &d);
    assert_string_equal(first, second);
    free(first);
    free(second);
}

static void an_empty_timeline_is_a_picture_too(void **state)
{
    struct drawing d = with_width(760);
    char *shown = picture(draw_svg, *state, &d);
    assert_true(well_formed(shown));
    assert_non_null(strstr(shown, ">Nothing ran.</text>"));
    free(shown);
}

static void svg_of_odd_spans_is_well_formed_at_every_width(void **state)
{
    struct timeline *t = *state;
    add_operation(t, ENGINE_KERNEL, 1, 0, HUGE_TIME, HUGE_TIME);
    add_operation(t, ENGINE_H2D, 2, 0, 5, TIME_NEVER);
    add_operation(t, ENGINE_NONE, 2, 0, 7, 7);
    add_operation(t, ENGINE_HOST_FUNC, 2, 0, TIME_NEVER, TIME_NEVER);
    for (int width = 0; width < 2000; width += 37) {
        struct drawing d = with_width(width);
        char *shown = picture(draw_svg, t, &d);
        assert_true(well_formed(shown));
        assert_null(strstr(shown, "=\"-"));
        free(shown);
    }
}

static void a_hundred_thousand_spans_stay_a_small_picture(void **state)
{
    enum { SPANS = 100000 };
    struct timeline *t = *state;
    struct drawing d = with_width(800);
    for (int i = 0; i < SPANS; i++)
        add_operation(t, ENGINE_KERNEL, 1 + (uint32_t)i % 20, i * 100, i * 100, i * 100 + 80);
    clock_t begin = clock();
    char *svg = picture(draw_svg, t, &d), *shown = picture(draw_text, t, &both);
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 10);
    assert_true(strlen(svg) < 4000000);
    assert_non_null(strstr(svg, " at this place, the first: kernel in stream 1"));
    assert_true(widest(shown) <= 80);
    free(svg);
    free(shown);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
        TEST(many_streams_fold_to_a_screen),
        TEST(ten_streams_are_not_folded),
        TEST(kernels_at_the_same_time_get_rows_and_share_the_last),
        TEST(neighbours_that_look_the_same_are_told_apart),
        TEST(a_span_shorter_than_a_column_still_shows),
        TEST(more_than_a_column_can_hold_is_said_to_be_more),
        TEST(what_never_finished_is_open_to_the_right),
        TEST(an_operation_that_alone_never_ended_still_shows),
        TEST(the_legend_explains_what_is_there_and_no_more),
        TEST(where_kernels_declared_no_time_the_legend_says_what_it_is),
        TEST(events_show_beside_what_is_longer),
        TEST(host_threads_queue_work_and_wait),
        TEST(many_host_threads_fold_too),
        TEST(devices_are_told_apart),
        TEST(two_devices_as_text_stand_apart),
        TEST(two_devices_as_svg_stand_apart),
        TEST(calls_around_the_work_do_not_squeeze_it),
        TEST(only_the_calls_asked_for_are_drawn),
        TEST(streams_and_engines_can_be_drawn_alone),
        TEST(busy_shares_are_of_the_devices_extent),
        TEST(a_strangers_title_cannot_write_to_the_terminal),
        TEST(wide_characters_count_twice),
        TEST(ticks_are_round),
        TEST(times_are_written_exactly),
        TEST(places_are_rounded_to_the_nearest_and_never_overflow),
        TEST(the_checker_of_well_formedness_can_say_no),
        TEST(a_pipeline_as_svg),
        TEST(svg_has_a_role_a_title_and_a_description),
        TEST(each_mark_says_what_it_is),
        TEST(strange_names_stay_text),
        TEST(ids_are_the_pictures_own),
        TEST(rows_that_have_to_share_say_so),
        TEST(the_same_timeline_gives_the_same_bytes),
        TEST(an_empty_timeline_is_a_picture_too),
        TEST(svg_of_odd_spans_is_well_formed_at_every_width),
        TEST(a_hundred_thousand_spans_stay_a_small_picture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
