/* SPDX-License-Identifier: MIT */
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "grader/batch/files/dates.h"
#include "grader/batch/files/rubric.h"
#include "grader/lessons.h"

static struct rubric r;
static char trouble[600];

static bool rubric_of(const char *text)
{
    char path[] = "/tmp/test-rubric-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_true(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    bool good = rubric_read(&r, path, trouble, sizeof trouble);
    unlink(path);
    return good;
}

static const struct rubric_lesson *lesson(const char *name)
{
    return rubric_lesson(&r, lesson_find(name));
}

static void without_a_file_a_lesson_has_its_own_points(void **state)
{
    (void)state;
    assert_true(rubric_read(&r, NULL, trouble, sizeof trouble));
    const struct lesson *own = lesson_find("01");
    int64_t points = 0;
    for (size_t i = 0; i < own->check_count; i++)
        points += own->checks[i].points;
    assert_true(lesson("01")->points == 1000 * points);
    assert_true(lesson("01")->wanted && lesson("01")->weight == 1000 && lesson("01")->due == 0);
    rubric_fini(&r);
}

static void points_are_shared_among_the_parts_and_none_is_lost(void **state)
{
    (void)state;
    assert_true(rubric_of("{\"lessons\": {\"01\": {\"points\": 10}}}"));
    const struct rubric_lesson *l = lesson("01");
    int64_t sum = 0;
    for (size_t i = 0; i < l->lesson->part_count; i++)
        sum += l->part[i];
    assert_true(l->points == 10000 && sum == 10000);
    assert_true(l->wanted && !lesson("02")->wanted);
    rubric_fini(&r);
    static const char *const odd[] = { "0.001", "1", "7", "33.333", "99.999" };
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        char text[100];
        snprintf(text, sizeof text, "{\"lessons\": {\"03\": {\"points\": %s}}}", odd[k]);
        assert_true(rubric_of(text));
        l = lesson("03");
        assert_true(l->points == (int64_t)(strtod(odd[k], NULL) * 1000 + 0.5));
        for (size_t i = 0; i < l->lesson->part_count; i++)
            assert_true(l->part[i] >= 0);
        rubric_fini(&r);
    }
}

static void parts_that_are_named_have_what_is_said_and_the_others_nothing(void **state)
{
    (void)state;
    assert_true(rubric_of("{\"lessons\": {\"01\": {\"parts\": {\"a\": 2.5, \"c\": 1}}}}"));
    const struct rubric_lesson *l = lesson("01");
    assert_true(l->part[0] == 2500 && l->part[1] == 0 && l->part[2] == 1000 && l->points == 3500);
    assert_true(rubric_part_score(l, 0, 1, 3) == 833 && rubric_part_score(l, 0, 3, 3) == 2500);
    assert_true(rubric_part_score(l, 0, 0, 0) == 0);
    rubric_fini(&r);
}

static void a_day_begun_is_a_day_late_up_to_the_most_and_until_the_end(void **state)
{
    (void)state;
    assert_true(rubric_of(
        "{\"late\": {\"grace\": \"15m\", \"per_day\": 10, \"most\": 25, \"until\": \"7d\"},"
        " \"lessons\": {\"01\": {\"due\": \"2026-12-01T12:00:00Z\"}}}"));
    static const struct { int64_t after, lost; } rows[] = {
        { -1, 0 }, { 0, 0 }, { 15 * 60, 0 }, { 15 * 60 + 1, 100 }, { 86400 + 15 * 60, 100 },
        { 86400 + 15 * 60 + 1, 200 },
        { 3 * 86400, 250 }, { 7 * 86400, 250 }, { 7 * 86400 + 1, 1000 },
    };
    const struct rubric_lesson *l = lesson("01");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(rubric_penalty(&r, l, l->due + rows[i].after, false), rows[i].lost);
    assert_int_equal(rubric_penalty(&r, l, 0, false), 0);
    assert_int_equal(rubric_penalty(&r, l, 0, true), 100);
    rubric_fini(&r);
}

static void dates_have_a_zone_or_are_whole_days(void **state)
{
    (void)state;
    int64_t when, same;
    assert_true(date_read("1970-01-02", &when));
    assert_true(when == 2 * 86400 - 1);
    assert_true(date_read("2026-12-01T13:30:00+01:30", &when));
    assert_true(date_read("2026-12-01 12:00Z", &same));
    assert_true(when == same);
    static const char *const wrong[] = {
        "",           "tomorrow",          "2026-12-01T12:00:00",     "2026-13-01",
        "2026-02-30", "2026-12-01T25:00Z", "2026-12-01T12:00:00 CET", "2026-12-01x"
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(date_read(wrong[i], &when));
}

static void what_nobody_knows_is_said(void **state)
{
    (void)state;
    static const struct { const char *text, *says; } rows[] = {
        { "{\"lesons\": {}}", "\"lesons\"" }, { "{\"lessons\": {\"77\": {}}}", "no lesson \"77\"" },
        { "{\"lessons\": {\"01\": {\"point\": 1}}}", "\"point\"" },
        { "{\"lessons\": {\"01\": {\"parts\": {\"z\": 1}}}}", "no part \"z\"" },
        { "{\"lessons\": {\"01\": {\"points\": -1}}}", "from 0" },
        { "{\"late\": {\"per_day\": 101}}", "from 0 to 100" },
        { "{\"late\": {\"grace\": \"soon\"}}", "late.grace" },
        { "{\"regrade\": \"worst\"}", "\"latest\", \"best\", \"first\"" },
        { "{\"feedback\": true}", "\"all\", \"failures\", \"score\"" },
        { "{\"seed\": -1}", "whole number" }, { "[]", "object" },
        { "{\"seed\": 1, \"seed\": 2}", "duplicate" }, { "{", ":1: " },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(rubric_of(rows[i].text));
        if (!strstr(trouble, rows[i].says))
            fail_msg("%s: %s", rows[i].text, trouble);
        rubric_fini(&r);
    }
}

static void what_costs_nothing_a_day_costs_nothing_after_years(void **state)
{
    (void)state;
    struct rubric mild = { .per_day = 0, .most = 1000 };
    struct rubric_lesson l = { .due = 1000000000 };
    assert_int_equal(rubric_penalty(&mild, &l, 1000000000 + INT64_C(86400) * 3000, false), 0);
    mild.per_day = 1;
    assert_int_equal(rubric_penalty(&mild, &l, 1000000000 + INT64_C(86400) * 3000, false), 1000);
}

static void a_platform_s_date_is_read_in_its_language(void **state)
{
    (void)state;
    setlocale(LC_CTYPE, "C.UTF-8");
    static const struct { const char *text, *is; enum date_order order; } rows[] = {
        { "Saturday, 10 January 2026, 12:59 PM", "2026-01-10T12:59:00+01:00", ORDER_UNKNOWN },
        { "Sunday, 1 February 2026, 12:05 AM", "2026-02-01T00:05:00+01:00", ORDER_UNKNOWN },
        { "January 10, 2026, 1:05 pm", "2026-01-10T13:05:00+01:00", ORDER_UNKNOWN },
        { "Samstag, 10. Januar 2026, 12:59", "2026-01-10T12:59:00+01:00", ORDER_UNKNOWN },
        { "Samstag, 14. M\xc3\xa4rz 2026, 23:59", "2026-03-14T23:59:00+01:00", ORDER_UNKNOWN },
        { "mardi 3 F\xc3\x89VRIER 2026, 09:05", "2026-02-03T09:05:00+01:00", ORDER_UNKNOWN },
        { "domingo, 11 de enero de 2026, 13:30", "2026-01-11T13:30:00+01:00", ORDER_UNKNOWN },
        { "11.01.2026 13:30", "2026-01-11T13:30:00+01:00", ORDER_UNKNOWN },
        { "2026-01-11 13:30:05", "2026-01-11T13:30:05+01:00", ORDER_UNKNOWN },
        { "25/01/26, 13:30", "2026-01-25T13:30:00+01:00", ORDER_UNKNOWN },
        { "01/25/26, 13:30:09", "2026-01-25T13:30:09+01:00", ORDER_UNKNOWN },
        { "03/04/26, 13:30", "2026-04-03T13:30:00+01:00", DAY_FIRST },
        { "03/04/26, 13:30", "2026-03-04T13:30:00+01:00", MONTH_FIRST },
        { "03/04/26, 13:30", NULL, ORDER_UNKNOWN },     /* it could be two */
        { "-", NULL, DAY_FIRST }, { "", NULL, DAY_FIRST }, { "10 January 2026", NULL, DAY_FIRST },
        { "31 February 2026, 12:00", NULL, DAY_FIRST },
        { "10 Janvember 2026, 12:00", NULL, DAY_FIRST },
        { "10 January 2026, 25:00", NULL, DAY_FIRST },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t when = 0, wanted = 0;
        bool good = date_words(rows[i].text, rows[i].order, 3600, &when);
        if (rows[i].is)
            assert_true(date_read(rows[i].is, &wanted));
        if (good != (rows[i].is != NULL) || (good && when != wanted))
            fail_msg("'%s': %d, %lld", rows[i].text, good, (long long)(when - wanted));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_file_a_lesson_has_its_own_points),
        cmocka_unit_test(points_are_shared_among_the_parts_and_none_is_lost),
        cmocka_unit_test(parts_that_are_named_have_what_is_said_and_the_others_nothing),
        cmocka_unit_test(a_day_begun_is_a_day_late_up_to_the_most_and_until_the_end),
        cmocka_unit_test(dates_have_a_zone_or_are_whole_days),
        cmocka_unit_test(what_nobody_knows_is_said),
        cmocka_unit_test(what_costs_nothing_a_day_costs_nothing_after_years),
        cmocka_unit_test(a_platform_s_date_is_read_in_its_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
