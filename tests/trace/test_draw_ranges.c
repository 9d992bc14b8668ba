/* SPDX-License-Identifier: MIT */
/* Ranges and marks of NVTX in both drawings. */
#include "drawing.h"

/* The call is thread 0's. */
static struct call *say(struct timeline *t, const char *name, uint32_t flags, int64_t at)
{
    uint32_t call = add_call(t, CALL_RANGE, name, 0, at, at);
    t->calls[call].flags = flags;
    return &t->calls[call];
}

static struct call *push(struct timeline *t, const char *name, int64_t at)
{
    return say(t, name, 0, at);
}

static struct call *pop(struct timeline *t, int64_t at)
{
    return say(t, "", 0, at);
}

static struct call *start(struct timeline *t, const char *name, uint64_t number, int64_t at)
{
    struct call *c = say(t, name, RANGE_FREE, at);
    c->src = number;
    return c;
}

static struct call *mark(struct timeline *t, const char *name, int64_t at)
{
    return say(t, name, RANGE_MARK, at);
}

/* A kernel that makes the window [0, 1000000]. */
static void a_window(struct timeline *t)
{
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 1000000);
}

/* Two threads: in the first ranges in a range, and marks; in the second a colored one in a domain.
 */
static void two_threads(struct timeline *t)
{
    start(t, "run", 1, 0);
    push(t, "epoch", 0);
    push(t, "load", 0);
    add_operation(t, ENGINE_H2D, 1, 0, 10000, 300000);
    pop(t, 300000);
    struct call *c = push(t, "train", 100000);
    c->thread = 1;
    c->message = text(t, "app");
    c->bytes = RANGE_COLORED | 0x2040a0;
    push(t, "step", 300000);
    mark(t, "go", 310000);
    add_operation(t, ENGINE_KERNEL, 1, 310000, 320000, 900000);
    wait_for_all(t, 320000, 900000);
    pop(t, 900000);
    c = pop(t, 950000);
    c->thread = 1;
    c->message = text(t, "app");
    pop(t, 900000);
    start(t, "", 1, 960000);
    add_operation(t, ENGINE_D2H, 1, 900000, 910000, 1000000);
}

static void ranges_lie_above_their_threads_calls(void **state)
{
    two_threads(*state);
    assert_golden(picture(draw_text, *state, &both), "ranges.txt");
}

static void ranges_as_svg(void **state)
{
    struct drawing d = with_width(760);
    two_threads(*state);
    assert_golden(picture(draw_svg, *state, &d), "ranges.svg");
}

static void a_range_has_its_own_color_and_names_its_domain(void **state)
{
    struct drawing d = with_width(760);
    two_threads(*state);
    char *shown = picture(draw_svg, *state, &d);
    assert_non_null(strstr(shown, "<title>train of app: starts 100 us, takes 850 us</title>"));
    assert_int_equal(occurrences(shown, " style=\"fill:#2040a0\""), 1);
    assert_int_equal(occurrences(shown, " style=\"fill:#fff;stroke:#2040a0\">train</text>"), 1);
    assert_non_null(strstr(shown, "<title>go: starts 310 us</title>"));
    assert_non_null(strstr(shown, " 5 NVTX ranges. "));
    free(shown);
}

static void of_a_shape_names_are_not_told(void **state)
{
    struct drawing d = with_width(760);
    d.shape = true;
    two_threads(*state);
    char *shown = picture(draw_svg, *state, &d);
    assert_null(strstr(shown, "epoch"));
    assert_null(strstr(shown, "app"));
    assert_null(strstr(shown, ">go<"));
    assert_int_equal(occurrences(shown, "<g class=\"range\"><title>range: "), 5);
    free(shown);
}

static void a_name_is_cut_to_its_bar(void **state)
{
    struct timeline *t = *state;
    struct drawing narrow = with_width(40), svg = with_width(300);
    a_window(t);
    push(t, "0123456789", 0);
    pop(t, 300000);
    push(t, "a short one", 300001);
    pop(t, 1000000);
    narrow.ascii = true;
    char *shown = picture(draw_text, t, &narrow);
    assert_non_null(strstr(lane_of(shown, "ranges"), "|[01234][a short one----]"));
    free(shown);
    shown = picture(draw_svg, t, &svg);
    assert_non_null(strstr(shown, ">01234…</text>"));
    assert_non_null(strstr(shown, ">a short one</text>"));
    free(shown);
}

static void a_range_of_a_column_has_a_glyph(void **state)
{
    struct timeline *t = *state;
    struct drawing d = both;
    a_window(t);
    push(t, "short", 500000);
    pop(t, 500001);
    char *shown = picture(draw_text, t, &d);
    assert_int_equal(occurrences(lane_of(shown, "ranges"), "□"), 1);
    assert_non_null(strstr(shown, "□ short range"));
    assert_null(strstr(shown, "[ ] range"));
    free(shown);
    push(t, "next", 516500);
    pop(t, 516501);
    shown = picture(draw_text, t, &d);
    assert_int_equal(occurrences(lane_of(shown, "ranges"), "□□"), 1);
    free(shown);
    for (int i = 0; i < 9; i++) {
        push(t, "short", 500001 + i);
        pop(t, 500002 + i);
    }
    shown = picture(draw_text, t, &d);
    assert_int_equal(occurrences(lane_of(shown, "ranges"), "≡"), 1);
    free(shown);
}

static void a_range_that_nothing_closes_is_open_to_the_end(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(760);
    a_window(t);
    push(t, "never popped", 200000);
    start(t, "never ended", 7, 400000);
    char *shown = picture(draw_text, t, &both);
    const char *line = lane_of(shown, "ranges");
    assert_string_equal(line + strlen(line) - strlen("─╳"), "─╳");
    assert_int_equal(occurrences(shown, "╳"), 3);       /* two ranges, legend */
    assert_non_null(strstr(shown, "╳ never finished"));
    assert_non_null(strstr(lane_of(shown, "kernel"), "100 %"));     /* has nothing to do with it */
    free(shown);
    shown = picture(draw_svg, t, &d);
    assert_non_null(
        strstr(shown, "<title>never popped: starts 200 us, never finished</title>"));
    assert_int_equal(occurrences(shown, "class=\"open\""), 3);
    free(shown);
}

static void a_close_without_a_range_is_ignored(void **state)
{
    struct timeline *t = *state;
    a_window(t);
    pop(t, 100000);
    start(t, "", 99, 200000);
    pop(t, 300000)->thread = 5;
    char *shown = picture(draw_text, t, &both);
    assert_null(strstr(shown, "ranges"));
    assert_null(strstr(shown, "host 0"));
    free(shown);
}

static void labels_of_the_exercises_are_no_ranges(void **state)
{
    struct timeline *t = *state;
    a_window(t);
    push(t, "range", 100000);
    say(t, "label", 0, 200000);
    say(t, "", 0, 300000);
    pop(t, 400000);
    char *shown = picture(draw_text, t, &both);
    assert_null(strstr(shown, "label"));
    assert_int_equal(occurrences(shown, "[range"), 1);
    assert_null(strstr(shown, "╳"));
    free(shown);
}

/* "one" would last to 300 if a pop closed another domain's. */
static void domains_nest_apart(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(760);
    a_window(t);
    push(t, "one", 0)->message = text(t, "app");
    push(t, "two", 100);
    pop(t, 200)->message = text(t, "app");
    pop(t, 300);
    char *shown = picture(draw_svg, t, &d);
    assert_non_null(strstr(shown, "one of app: starts 0 ns, takes 200 ns"));
    assert_non_null(strstr(shown, "two: starts 100 ns, takes 200 ns"));
    free(shown);
}

static void another_thread_may_close_a_started_range(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(760);
    a_window(t);
    start(t, "first", 1, 100000);
    start(t, "second", 2, 200000);
    start(t, "", 1, 300000)->thread = 1;
    start(t, "", 2, 150000)->thread = 1;        /* whose present lies before */
    char *shown = picture(draw_svg, t, &d);
    assert_non_null(strstr(shown, "first: starts 100 us, takes 200 us"));
    assert_non_null(strstr(shown, "second: starts 200 us, takes 0 ns"));
    assert_non_null(strstr(shown, ">ranges<"));
    free(shown);
}

static void a_name_stands_beside_its_mark_where_there_is_room_for_all_of_it(void **state)
{
    struct timeline *t = *state;
    struct drawing d = both, svg = with_width(760);
    d.ascii = true;
    a_window(t);
    mark(t, "here", 100000);
    mark(t, "not here", 200000);
    mark(t, "there", 300000);
    mark(t, "gone", 1000000);
    char *shown = picture(draw_text, t, &d);
    assert_non_null(strstr(lane_of(shown, "ranges"), "^here  ^"));
    assert_null(strstr(shown, "not"));
    assert_non_null(strstr(lane_of(shown, "ranges"), "^there"));
    assert_null(strstr(shown, "gone"));
    free(shown);
    shown = picture(draw_svg, t, &svg);
    assert_non_null(strstr(shown, ">here</text>"));
    assert_null(strstr(shown, ">gone</text>"));
    assert_int_equal(occurrences(shown, "<g class=\"mark\">"), 5);      /* and the legend's */
    free(shown);
}

static void ranges_do_not_widen_the_window(void **state)
{
    struct timeline *t = *state;
    struct drawing svg = with_width(760);
    push(t, "before", 100);
    pop(t, 1000);
    push(t, "around", 500);
    add_operation(t, ENGINE_KERNEL, 1, 1000, 1000, 2000);
    pop(t, 3000);
    push(t, "after", 2000);
    pop(t, 2500);
    char *shown = picture(draw_text, t, &both);
    assert_null(strstr(shown, "before"));
    assert_null(strstr(shown, "after"));
    assert_non_null(strstr(lane_of(shown, "ranges"), "│around─"));
    assert_null(strstr(lane_of(shown, "ranges"), "]"));
    free(shown);
    shown = picture(draw_svg, t, &svg);
    assert_non_null(strstr(shown, "around: starts earlier, takes 2.5 us"));
    free(shown);
}

static void of_some_calls_the_ranges_that_are_open_between_them_are_drawn(void **state)
{
    struct timeline *t = *state;
    struct drawing d = both;
    push(t, "over", 0);
    pop(t, 10);
    push(t, "outer", 10);
    push(t, "inner", 20);
    d.first_call = t->call_count - 1;
    add_operation(t, ENGINE_KERNEL, 1, 20, 30, 1000);
    pop(t, 500);
    d.end_call = t->call_count;
    push(t, "new", 600);
    pop(t, 700);
    pop(t, 800);
    char *shown = picture(draw_text, t, &d);
    assert_non_null(strstr(shown, "│outer─"));
    assert_non_null(strstr(shown, "[inner─"));
    assert_null(strstr(shown, "over"));
    assert_null(strstr(shown, "new"));
    assert_null(strstr(shown, "╳"));
    free(shown);
}

static void ranges_too_deep_are_counted(void **state)
{
    struct timeline *t = *state;
    struct drawing svg = with_width(760);
    char name[] = "level 0";
    a_window(t);
    for (int i = 0; i < 10; i++, name[6]++)
        push(t, name, 10000 * i);
    start(t, "no row", 1, 100000);      /* what is not drawn is not said to be open */
    for (int i = 0; i < 10; i++)
        pop(t, 900000 + 1000 * i);
    char *shown = picture(draw_text, t, &both);
    assert_non_null(strstr(shown, "[level 3─"));
    assert_null(strstr(shown, "level 4"));
    assert_non_null(strstr(lane_of(shown, "ranges"), " 7 deeper"));
    assert_null(strstr(shown, "≡"));
    assert_int_equal(widest(shown), 80);
    free(shown);
    shown = picture(draw_svg, t, &svg);
    assert_non_null(strstr(shown, ">level 7</text>"));
    assert_null(strstr(shown, "level 8"));
    assert_non_null(strstr(shown, ">3 deeper</text>"));
    assert_null(strstr(shown, "never finished"));
    free(shown);
}

static void a_thread_with_two_lanes_is_folded_as_one(void **state)
{
    struct timeline *t = *state;
    for (uint32_t i = 0; i < 9; i++) {
        push(t, "work", 0)->thread = i;
        uint32_t work = add_call(t, CALL_HOST_WORK, "host_work", 0, 0, 500);
        t->calls[work].thread = i;
        pop(t, 500)->thread = i;
    }
    char *shown = picture(draw_text, t, &both);
    assert_non_null(strstr(shown, "\nranges 3 "));
    assert_null(strstr(shown, "\nranges 4 "));
    assert_null(strstr(shown, "\nhost 4 "));
    assert_int_equal(occurrences(shown, "more host threads"), 1);
    assert_non_null(strstr(shown, "\n… 5 more host threads\n"));
    free(shown);
}

static void strange_names_stay_text(void **state)
{
    struct timeline *t = *state;
    struct drawing svg = with_width(2000);
    a_window(t);
    push(t, "</title><script>\x01\xff\033[31m", 0)->message = text(t, "\"><b>");
    mark(t, "\033]0;x\007<i>", 100000);
    push(t, "x漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字漢字", 500000);
    char *shown = picture(draw_text, t, &both);
    assert_null(strchr(shown, '\033'));
    assert_null(strchr(shown, '\007'));
    assert_non_null(strstr(shown, "[</title><script>???[31m─"));
    size_t columns = widest(lane_of(shown, "ranges"));
    const char *wide = line_of(shown, 4);       /* its letters have two columns */
    assert_int_equal(widest(wide) + occurrences(wide, "漢") + occurrences(wide, "字"), columns);
    assert_true(widest(shown) <= 80);
    free(shown);
    shown = picture(draw_svg, t, &svg);
    assert_null(strstr(shown, "<script"));
    assert_null(strstr(shown, "<b>"));
    assert_null(strstr(shown, "<i>"));
    assert_null(strchr(shown, '\033'));
    assert_non_null(strstr(shown, "&lt;script&gt;\uFFFD\uFFFD\uFFFD[31m of &quot;&gt;&lt;b&gt;: "));
    free(shown);
}

static void a_very_long_name_is_cut_within_its_characters(void **state)
{
    struct timeline *t = *state;
    char name[4000];
    for (size_t i = 0; i < sizeof name; i++)
        name[i] = "\xe6\xbc\xa2"[i % 3];
    name[3999] = '\0';
    a_window(t);
    push(t, name, 0);
    for (int width = 0; width < 3000; width += 7) {
        struct drawing d = with_width(width);
        char *shown = picture(draw_svg, t, &d);
        assert_null(strstr(shown, "\uFFFD"));
        free(shown);
        d.width = width / 10;
        shown = picture(draw_text, t, &d);
        assert_null(strstr(shown, "\uFFFD"));
        free(shown);
    }
}

static void many_ranges_are_drawn_in_no_time(void **state)
{
    enum { RANGES = 100000 };
    struct timeline *t = *state;
    struct drawing d = with_width(800);
    a_window(t);
    for (int i = 0; i < RANGES; i++) {
        push(t, "a", i)->message = (uint32_t)i;         /* each in a domain of its own */
        start(t, "b", (uint64_t)i + 1, i);
        mark(t, "c", i);
    }
    char *svg = picture(draw_svg, t, &d), *shown = picture(draw_text, t, &both);
    assert_true(strlen(svg) < 1000000);
    assert_true(lines_of(shown) <= 24);
    free(svg);
    free(shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ranges_lie_above_their_threads_calls),
        TEST(ranges_as_svg),
        TEST(a_range_has_its_own_color_and_names_its_domain),
        TEST(of_a_shape_names_are_not_told),
        TEST(a_name_is_cut_to_its_bar),
        TEST(a_range_of_a_column_has_a_glyph),
        TEST(a_range_that_nothing_closes_is_open_to_the_end),
        TEST(a_close_without_a_range_is_ignored),
        TEST(labels_of_the_exercises_are_no_ranges),
        TEST(domains_nest_apart),
        TEST(another_thread_may_close_a_started_range),
        TEST(a_name_stands_beside_its_mark_where_there_is_room_for_all_of_it),
        TEST(ranges_do_not_widen_the_window),
        TEST(of_some_calls_the_ranges_that_are_open_between_them_are_drawn),
        TEST(ranges_too_deep_are_counted),
        TEST(a_thread_with_two_lanes_is_folded_as_one),
        TEST(strange_names_stay_text),
        TEST(a_very_long_name_is_cut_within_its_characters),
        TEST(many_ranges_are_drawn_in_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
