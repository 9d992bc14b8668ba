/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <jansson.h>

#include "grader/report/report.h"
#include "trace/record/memory.h"

static bool passes(const struct evidence *e, struct finding *f, const char *part)
{
    (void)e, (void)f, (void)part;
    return true;
}

static bool fails(const struct evidence *e, struct finding *f, const char *part)
{
    (void)e, (void)part;
    f->call = 1;
    expected(f, "one thing");
    seen(f, "another thing");
    return why(f, "a \"reason\" & <more>");
}

static const struct part parts[] = { { "a", "the only part", "one" } };
static const struct check checks[] = {
    { "a-output", "a", OUTPUT, 1, "it is right", NULL, passes, "Right and wrong",
      { "Is it?", "", "" } },
    { "a-order", "a", ORDER, 2, "it is in order", "a-output", fails, "Order",
      { "Is it in order?", "", "" } },
    { "a-overlap", "a", OVERLAP, 4, "it overlaps", "a-order", passes, "Overlap",
      { "Does it?", "", "" } },
};
static const struct lesson lesson = { .number = 42, .folder = "42-made-up", .title = "Made up",
                                      .parts = parts, .part_count = 1, .checks = checks,
                                      .check_count = 3 };
static const struct card card = { .name = "h200", .title = "NVIDIA H200" };
static const char text[] = "one\n    two(three);\n";
static const struct submission submission = { .path = (char *)"work/x.cu", .text = (char *)text,
                                              .bytes = sizeof text - 1 };
static struct timeline timeline;
static struct view view = { .card = &card, .timeline = &timeline, .order = NULL };
static struct verdict v;

static void add(uint32_t kind, const char *name)
{
    struct call c = { .kind = kind, .name = timeline_intern(&timeline, name, strlen(name)),
                      .line = 2, .file = timeline_intern(&timeline, "work/x.cu", 9),
                      .node = NO_NODE };
    timeline_add_call(&timeline, &c);
}

static int begin(void **state)
{
    (void)state;
    timeline_init(&timeline);
    add(CALL_PART, "a");
    add(CALL_COPY, "cudaMemcpyAsync");
    add(CALL_PART, "");
    v = (struct verdict){ .lesson = &lesson, .submission = &submission, .seed = INT64_MAX,
                          .card = &card, .backend = "simulator", .compiler = "",
                          .output = (char *)"", .views = 1, .yours = &view };
    v.attempted = memory_resize(NULL, 1);
    v.attempted[0] = true;
    judge(&v, NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    memory_resize(v.attempted, 0);
    memory_resize(v.results, 0);
    timeline_fini(&timeline);
    return 0;
}

static char *rendered(int width)
{
    char *buffer;
    size_t size;
    FILE *out = open_memstream(&buffer, &size);
    struct terminal t = { out, width, false, true };
    report_text(&t, &v);
    report_next(&t, &v);
    fclose(out);
    return buffer;
}

static void the_report_tells_each_check_in_words_with_its_points(void **state)
{
    (void)state;
    char *report = rendered(100);
    assert_non_null(strstr(report, "  PASS           1/1  it is right\n"));
    assert_non_null(strstr(report, "  FAIL           0/2  it is in order\n"));
    assert_non_null(strstr(
        report, "  WITHHELD       0/4  it overlaps (not judged: waits for \"it is in order\")\n"));
    assert_non_null(strstr(report, "wanting: 1 of 7 points"));
    assert_non_null(strstr(
        report,
        "Next: fix part a (\"it is in order\") at work/x.cu:2, then: make lesson42 (stuck? make hint42)\n"));
    free(report);
}

static void a_failure_is_told_with_place_line_reason_and_section(void **state)
{
    (void)state;
    char *report = rendered(100);
    assert_non_null(strstr(
        report, "      expected  one thing\n      seen      another thing\n"
                "      where     work/x.cu:2 (cudaMemcpyAsync)\n                two(three);\n"
                "      why       a \"reason\" & <more>\n"
                "      read      \"Order\" in lessons/42-made-up/chapter.md\n"));
    free(report);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
    (void)state;
    for (int width = 60; width < 100; width += 13) {
        char *report = rendered(width);
        for (char *line = strtok(report, "\n"); line; line = strtok(NULL, "\n"))
            assert_in_range(strlen(line), 0, width);
        free(report);
    }
}

/* ---- since the last time ---- */

static char *change(enum outcome then, enum outcome now, struct score last, int points,
                    enum status status)
{
    enum { MANY = 5 };
    struct check many[MANY];
    struct result results[MANY];
    struct progress_check before[MANY];
    for (int k = 0; k < MANY; k++) {
        many[k] = checks[0];
        many[k].id = (const char *const[]){ "k0", "k1", "k2", "k3", "k4" }[k];
        results[k] = (struct result){ .check = &many[k], .outcome = now };
        before[k] = (struct progress_check){ .known = true, .outcome = then };
        strcpy(before[k].id, many[k].id);
    }
    struct lesson of_many = { .number = 42, .checks = many, .check_count = MANY };
    struct verdict w = {
        .lesson = &of_many, .results = results, .points = points, .status = status
    };
    struct progress_lesson l = { .last = last, .checks = before, .check_count = MANY };
    char *buffer;
    size_t size;
    FILE *out = open_memstream(&buffer, &size);
    struct terminal t = { out, 400, false, true };
    report_change(&t, &l, &w);
    fclose(out);
    return buffer;
}

static void changes(enum outcome then, enum outcome now, struct score last, int points,
                    enum status status, const char *wanted)
{
    char *got = change(then, now, last, points, status);
    if (!strstr(got, wanted))
        fail_msg("expected '%s' in: %s", wanted, got);
    free(got);
}

static void what_has_changed_is_named_and_counted(void **state)
{
    (void)state;
    const struct score built = { .known = true, .points = 5, .status = WANTING },
                       broken = { .known = true, .status = DID_NOT_BUILD };
    changes(
        FAILED, PASSED, built, 7, WANTING,
        "2 points more. Passes now: \"it is right\" (part a), \"it is right\" (part a), \"it is right\" (part a) "
        "and 2 more.");
    changes(PASSED, FAILED, built, 4, WANTING, "1 point less. No longer passes: \"it is right\"");
    changes(PASSED, PASSED, built, 5, WANTING, "nothing has changed.");
    changes(PASSED, PASSED, built, 5, TIMED_OUT, "wanting then, timed out now.");
    changes(PASSED, PASSED, broken, 5, WANTING, "it builds again.");
    changes(PASSED, WITHHELD, built, 0, DID_NOT_BUILD, "it no longer builds.");
    changes(PASSED, WITHHELD, broken, 0, DID_NOT_BUILD, "it still does not build.");
    char *first = change(FAILED, PASSED, (struct score){ .known = false }, 7, WANTING);
    assert_string_equal(first, "");
    free(first);
}

static json_t *written(void)
{
    char path[] = "/tmp/test-report-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_true(report_json(path, &v));
    json_t *all = json_load_file(path, 0, NULL);
    assert_non_null(all);
    unlink(path);
    return all;
}

static void the_json_holds_what_the_header_lists(void **state)
{
    (void)state;
    static const char *const keys[] = { "version",   "backend",    "machine",    "pairs",  "card",
                                        "real_card", "seed",       "file",       "lesson", "status",
                                        "points",    "max_points", "parts",      "checks", "ending",
                                        "compiler",  "output",     "output_cut", "refused" };
    json_t *all = written();
    assert_int_equal(json_object_size(all), sizeof keys / sizeof *keys);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(json_object_get(all, keys[i]));
    assert_true(json_integer_value(json_object_get(all, "seed")) == INT64_MAX);
    assert_string_equal(json_string_value(json_object_get(all, "status")), "wanting");
    assert_true(json_is_null(json_object_get(all, "ending")));
    json_decref(all);
}

static void a_check_in_the_json_tells_outcome_and_finding(void **state)
{
    (void)state;
    json_t *all = written(), *list = json_object_get(all, "checks");
    json_t *failed = json_array_get(list, 1), *held = json_array_get(list, 2);
    json_t *finding = json_object_get(failed, "finding");
    assert_string_equal(json_string_value(json_object_get(failed, "outcome")), "failed");
    assert_int_equal(json_integer_value(json_object_get(failed, "points")), 0);
    assert_string_equal(json_string_value(json_object_get(finding, "source")), "two(three);");
    assert_string_equal(json_string_value(json_object_get(finding, "call")), "cudaMemcpyAsync");
    assert_int_equal(json_integer_value(json_object_get(finding, "line")), 2);
    assert_string_equal(json_string_value(json_object_get(held, "withheld_by")), "a-order");
    assert_true(json_is_null(json_object_get(held, "finding")));
    json_decref(all);
}

static void a_verdict_that_cannot_be_written_leaves_the_old_one(void **state)
{
    (void)state;
    char folder[] = "/tmp/test-report-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/is-a-folder", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_false(report_json(path, &v));
    assert_int_equal(rmdir(path), 0);
    assert_int_equal(rmdir(folder), 0);     /* and no temporary file beside it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_report_tells_each_check_in_words_with_its_points, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_failure_is_told_with_place_line_reason_and_section, begin,
                                        end),
        cmocka_unit_test_setup_teardown(no_line_is_wider_than_the_terminal, begin, end),
        cmocka_unit_test(what_has_changed_is_named_and_counted),
        cmocka_unit_test_setup_teardown(the_json_holds_what_the_header_lists, begin, end),
        cmocka_unit_test_setup_teardown(a_check_in_the_json_tells_outcome_and_finding, begin, end),
        cmocka_unit_test_setup_teardown(a_verdict_that_cannot_be_written_leaves_the_old_one, begin,
                                        end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
