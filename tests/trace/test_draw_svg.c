/* SPDX-License-Identifier: MIT */
/* Timelines as SVG. */
#include "drawing.h"

#include <ctype.h>
#include <time.h>

static void two_devices_as_svg_stand_apart(void **state)
{
    two_devices(*state);
    struct drawing d = both;
    d.width = 760;
    char *shown = picture(draw_svg, *state, &d);
    assert_non_null(
        strstr(shown, "cudaMemcpyPeerAsync peer from gpu 1 to gpu 0 through the host in stream 5"));
    assert_non_null(strstr(shown, "cudaMemcpyPeerAsync peer from gpu 0 to gpu 1 in stream 3"));
    free(shown);
}

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
    assert_int_equal(
        occurrences(shown,
                    "<title>cudaMemcpyAsync H2D in stream 3: starts 250 ns, takes 1.25 us, 3 MiB"
                    " (line 42)</title>"),
        2);
    assert_int_equal(
        occurrences(shown, "<title>kernel in stream 3: starts 2 us, never finished</title>"), 2);
    assert_int_equal(occurrences(shown, "class=\"open\""), 3);      /* stream, engine, legend */
    free(shown);
}

static void the_legend_is_of_what_can_be_seen(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(760);
    add_operation(t, ENGINE_KERNEL, 1, 0, 1000, 2000000);
    add_call(t, CALL_MALLOC, "cudaMalloc", 0, 500000, 500001);      /* a millionth of the picture */
    char *shown = picture(draw_svg, t, &d);
    assert_null(strstr(shown, ">other call</text>"));
    free(shown);
    add_call(t, CALL_MALLOC, "cudaMalloc", 0, 600000, 900000);
    shown = picture(draw_svg, t, &d);
    assert_non_null(strstr(shown, ">other call</text>"));
    free(shown);
}

static void strange_names_stay_text(void **state)
{
    struct timeline *t = *state;
    struct drawing d = with_width(760);
    d.title = "<b>\"it's\" & so</b>";
    add_operation(t, ENGINE_KERNEL, 1, 0, 0, 100)->name = text(t, "</title><script>\x01\xff"
                                                                  "Größe&\"");
    char *shown = picture(draw_svg, t, &d);
    assert_true(well_formed(shown));
    assert_null(strstr(shown, "<script"));
    assert_non_null(strstr(shown, "&lt;b&gt;&quot;it&#39;s&quot; &amp; so&lt;/b&gt;</title>"));
    assert_non_null(
        strstr(shown, "&lt;/title&gt;&lt;script&gt;\uFFFD\uFFFDGröße&amp;&quot; in stream 1"));
    free(shown);
}

static void ids_are_the_pictures_own(void **state)
{
    struct drawing d = with_width(760);
    char class[2][32], prefix[64], *shown[2];
    add_pipeline(*state, 2, 0);
    for (int i = 0; i < 2; i++) {
        shown[i] = picture(draw_svg, *state, &d);
        assert_int_equal(sscanf(strstr(shown[i], "class=\""), "class=\"%31[a-z0-9]\"", class[i]),
                         1);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(two_devices_as_svg_stand_apart),
        TEST(the_checker_of_well_formedness_can_say_no),
        TEST(a_pipeline_as_svg),
        TEST(svg_has_a_role_a_title_and_a_description),
        TEST(each_mark_says_what_it_is),
        TEST(the_legend_is_of_what_can_be_seen),
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
