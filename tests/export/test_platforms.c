/* SPDX-License-Identifier: MIT */
/* What platforms are handed of one student whom nothing ordinary has happened to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <jansson.h>

#include "grader/export/export.h"

#define LESSON "01-sync-vs-async"

/* Results of one student with this entry for lesson 01. */
static json_t *results_of(const char *status, double score, double max, const char *printed)
{
    json_t *part =
        json_pack("{s:s s:f s:f s:f}", "part", "a", "points", score, "max", max, "share", 1.0);
    json_object_set_new(part, "id", json_string("a"));
    json_t *check = json_pack("{s:s s:s s:s s:s s:s s:s}", "id", "a-x", "part", "a", "kind",
                              "order", "name", "it is so", "outcome", "failed", "hint", printed);
    json_t *entry =
        json_pack("{s:s s:s s:f s:f s:i s:f s:[o] s:{s:s s:[o]} s:f}", "lesson", LESSON, "status",
                  status, "score", score, "max", max, "attempt", 1, "late_percent", 0.0, "parts",
                  part, "verdict", "file", "x.cu", "checks", check, "share", 1.0);
    return json_pack("{s:s s:[{s:s s:[o]}]}", "feedback", "all", "students", "id", "anna",
                     "lessons", entry);
}

typedef void format(FILE *out, const struct export_of *of);

static char *exported(format *write, const json_t *results)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct export_of of = { .results = results,
                            .student = json_array_get(json_object_get(results, "students"), 0) };
    write(out, &of);
    fclose(out);
    return text;
}

static json_t *exported_json(format *write, json_t *results)
{
    char *text = exported(write, results);
    json_t *all = json_loads(text, 0, NULL);
    assert_non_null(all);
    free(text);
    json_decref(results);
    return all;
}

static void prairielearn_gets_a_share_that_is_no_more_than_all(void **state)
{
    (void)state;
    json_t *all = exported_json(export_prairielearn, results_of("passed", 12, 10, ""));
    assert_true(json_number_value(json_object_get(all, "score")) == 1);
    assert_true(json_is_true(json_object_get(all, "gradable")));
    json_decref(all);
    all = exported_json(export_prairielearn, results_of("passed", 5, 10, ""));
    assert_true(json_number_value(json_object_get(all, "score")) == 0.5);
    json_decref(all);
}

static void what_could_not_be_run_costs_nothing(void **state)
{
    (void)state;
    json_t *all = exported_json(export_prairielearn, results_of("not run", 0, 10, ""));
    assert_true(json_is_false(json_object_get(all, "gradable")));
    json_decref(all);
}

/* Classroom's text is base64 of JSON: what is not run has points that look like a pass where a
 * lesson has none. */
static void what_could_not_be_run_is_no_pass(void **state)
{
    (void)state;
    json_t *results = results_of("not run", 0, 0, "");
    char *text = exported(export_classroom, results), word[9000] = "";
    size_t n = 0;
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (const char *c = text; *c != '\0' && *c != '=' && *c != '\n'; c += 4) {
        uint32_t bits = 0;
        for (int i = 0; i < 4; i++)
            bits = bits << 6
                   | (strchr(letters, c[i]) && c[i] != '\0'
                          ? (uint32_t)(strchr(letters, c[i]) - letters)
                          : 0);
        for (int i = 16; i >= 0 && n + 1 < sizeof word; i -= 8)
            word[n++] = (char)(bits >> i);
    }
    assert_non_null(strstr(word, "\"status\":\"error\",\"score\""));
    assert_null(strstr(word, "\"status\":\"pass\""));
    free(text);
    json_decref(results);
}

/* A long text is cut where a line ends: not in a character, which JSON would not take. */
static void a_long_text_is_cut_at_the_end_of_a_line(void **state)
{
    (void)state;
    char *printed = malloc(40000);
    for (size_t first = 0; first < 3; first++) { /* one of the three is whole at any place */
        size_t n = (size_t)sprintf(printed, "%.*s", (int)first, "xx");
        while (n < 30000)
            n += (size_t)sprintf(printed + n, "\u20ac");
        json_t *all = exported_json(export_gradescope, results_of("wrong", 1, 10, printed));
        const char *output = json_string_value(
            json_object_get(json_array_get(json_object_get(all, "tests"), 0), "output"));
        assert_non_null(output);
        assert_in_range(strlen(output), 1, 8000);
        assert_true(output[strlen(output) - 1] != '\n');
        json_decref(all);
    }
    free(printed);
}

/* At the level "score" a grade has no parts, no checks and no ending. */
static void at_the_level_of_points_a_grade_is_points(void **state)
{
    (void)state;
    json_t *results = results_of("wrong", 1, 10, "");
    json_object_set_new(results, "feedback", json_string("score"));
    json_t *all = exported_json(export_grades, results),
           *grade = json_array_get(
               json_object_get(json_array_get(json_object_get(all, "students"), 0), "lessons"), 0);
    assert_true(json_number_value(json_object_get(grade, "score")) == 1);
    assert_null(json_object_get(grade, "parts"));
    assert_null(json_object_get(grade, "checks"));
    assert_null(json_object_get(grade, "ending"));
    json_decref(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prairielearn_gets_a_share_that_is_no_more_than_all),
        cmocka_unit_test(what_could_not_be_run_costs_nothing),
        cmocka_unit_test(what_could_not_be_run_is_no_pass),
        cmocka_unit_test(a_long_text_is_cut_at_the_end_of_a_line),
        cmocka_unit_test(at_the_level_of_points_a_grade_is_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
