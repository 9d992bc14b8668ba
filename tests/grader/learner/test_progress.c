/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "grader/learner/progress.h"

static char path[] = "/tmp/test-progress-XXXXXX";
static struct progress p;

static int begin(void **state)
{
    (void)state;
    strcpy(path, "/tmp/test-progress-XXXXXX");
    int fd = mkstemp(path);
    p = (struct progress){ .lessons = NULL };
    return fd < 0 ? -1 : close(fd);
}

static int end(void **state)
{
    (void)state;
    progress_fini(&p);
    return unlink(path);
}

/* The line at which the text makes no sense; 0: it does. */
static unsigned bad_line(const char *text)
{
    unsigned line;
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
    progress_fini(&p);
    return progress_read(&p, path, &line) ? 0 : line;
}

static char *written(void)
{
    char *text = NULL;
    size_t size = 0;
    assert_true(progress_write(&p, path));
    FILE *in = fopen(path, "r");
    assert_true(getdelim(&text, &size, '\0', in) > 0);
    fclose(in);
    return text;
}

static const char *const whole =
    "# What you have done in the CUDA Streams Workbook. `make progress` shows it.\n"
    "01-sync-vs-async best 27/27 version 0.1 seed 9223372036854775807 card h200: passed\n"
    "01-sync-vs-async last 0/27 version 0.2 seed 1 card c1060: did not build\n"
    "01-sync-vs-async check a-output hints 0: passed\n"
    "01-sync-vs-async check b-sum hints 3: not attempted\n"
    "06-overlap check c-busy hints 1: unknown\n";

static void what_is_read_is_written_again(void **state)
{
    (void)state;
    assert_int_equal(bad_line(whole), 0);
    assert_int_equal(p.count, 2);
    assert_int_equal(progress_lesson(&p, "01-sync-vs-async")->last.status, DID_NOT_BUILD);
    assert_int_equal(progress_check(progress_lesson(&p, "01-sync-vs-async"), "b-sum")->hints, 3);
    char *text = written();
    assert_string_equal(text, whole);
    free(text);
}

static void a_line_that_makes_no_sense_is_found(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "rubbish", "06-overlap", "06-overlap best 1/2",
        "06-overlap best 3/2 version 0.1 seed 1 card h200: passed",
        "06-overlap best -1/2 version 0.1 seed 1 card h200: passed",
        "06-overlap worst 1/2 version 0.1 seed 1 card h200: passed",
        "06-overlap best 1/2 version 0.1 seed 1 card h200: superb",
        "06-overlap best 1/2 version 0.1 seed 1 card h200: passed.",
        "06-overlap check c-busy hints 4: failed", "06-overlap check c-busy hints 0: worse",
        "06-overlap check c-busy hints 0",
        "06-overlap best 1/2 version 0.1 seed x card h200: passed", "\033[2J",
        "06-overlap check c-busy-but-with-a-name-that-no-check-has hints 0: failed",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[200];
        snprintf(text, sizeof text, "# one\n\n%s\n", bad[i]);
        if (bad_line(text) != 3)
            fail_msg("taken for sense: %s", bad[i]);
    }
}

static void a_file_that_is_not_there_holds_nothing(void **state)
{
    (void)state;
    unsigned line;
    assert_true(progress_read(&p, "/nowhere/progress", &line));
    assert_int_equal(p.count, 0);
}

static bool judged(const struct evidence *e, struct finding *f, const char *part)
{
    (void)e, (void)f, (void)part;
    return true;
}

static const struct check checks[] = {
    { "a-one", "a", OUTPUT, 3, "one", NULL, judged, "", { "", "", "" } },
    { "a-two", "a", OUTPUT, 7, "two", NULL, judged, "", { "", "", "" } },
};
static const struct lesson lesson = {
    .number = 42, .folder = "42-made-up", .checks = checks, .check_count = 2
};
static const struct card card = { .name = "h200" };

static const struct progress_lesson *note(enum outcome one, enum outcome two, enum status status,
                                          uint64_t seed)
{
    struct result results[] = { { .check = &checks[0], .outcome = one },
                                { .check = &checks[1], .outcome = two } };
    struct verdict v = { .lesson = &lesson, .card = &card, .seed = seed, .status = status,
                         .results = results, .points = (one == PASSED) * 3 + (two == PASSED) * 7,
                         .points_max = 10 };
    progress_note(&p, &v);
    return progress_lesson(&p, "42-made-up");
}

static void the_best_verdict_stays_the_last_one_changes(void **state)
{
    (void)state;
    note(FAILED, PASSED, WANTING, 1);
    const struct progress_lesson *l = note(PASSED, FAILED, WANTING, 2);
    assert_int_equal(l->best.points, 7);
    assert_int_equal(l->best.seed, 1);
    assert_int_equal(l->last.points, 3);
    assert_int_equal(l->checks[1].outcome, FAILED);
    l = note(FAILED, PASSED, WANTING, 3);       /* as good, and newer */
    assert_int_equal(l->best.seed, 3);
}

static void what_does_not_build_leaves_the_checks_as_they_were(void **state)
{
    (void)state;
    note(PASSED, FAILED, WANTING, 1);
    const struct progress_lesson *l = note(WITHHELD, WITHHELD, DID_NOT_BUILD, 2);
    assert_int_equal(l->last.status, DID_NOT_BUILD);
    assert_int_equal(l->last.points, 0);
    assert_true(l->checks[0].known);
    assert_int_equal(l->checks[0].outcome, PASSED);
}

/* A lesson that has got more points since: by its share the older verdict is the better one. */
static void the_best_is_the_best_by_its_share(void **state)
{
    (void)state;
    assert_int_equal(bad_line("42-made-up best 9/9 version 0.1 seed 1 card h200: passed\n"), 0);
    const struct progress_lesson *l = note(PASSED, PASSED, ALL_PASSED, 2);
    assert_int_equal(l->best.points, 10);
    assert_int_equal(bad_line("42-made-up best 6/8 version 0.1 seed 1 card h200: wanting\n"), 0);
    l = note(FAILED, PASSED, WANTING, 2);
    assert_int_equal(l->best.points, 6);
}

static void a_check_that_is_gone_is_known_no_longer(void **state)
{
    (void)state;
    assert_int_equal(bad_line("42-made-up check a-old hints 1: failed\n"), 0);
    struct progress_lesson *l = (struct progress_lesson *)note(PASSED, FAILED, WANTING, 1);
    assert_false(progress_check(l, "a-old")->known);
    assert_int_equal(progress_check(l, "a-old")->hints, 1);
    assert_true(progress_check(l, "a-two")->known);
}

static void hints_outlive_verdicts(void **state)
{
    (void)state;
    progress_check(progress_lesson(&p, "42-made-up"), "a-two")->hints = 2;
    const struct progress_lesson *l = note(PASSED, PASSED, ALL_PASSED, 1);
    assert_int_equal(progress_check((struct progress_lesson *)l, "a-two")->hints, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_read_is_written_again, begin, end),
        cmocka_unit_test_setup_teardown(a_line_that_makes_no_sense_is_found, begin, end),
        cmocka_unit_test_setup_teardown(a_file_that_is_not_there_holds_nothing, begin, end),
        cmocka_unit_test_setup_teardown(the_best_verdict_stays_the_last_one_changes, begin, end),
        cmocka_unit_test_setup_teardown(what_does_not_build_leaves_the_checks_as_they_were, begin,
                                        end),
        cmocka_unit_test_setup_teardown(the_best_is_the_best_by_its_share, begin, end),
        cmocka_unit_test_setup_teardown(a_check_that_is_gone_is_known_no_longer, begin, end),
        cmocka_unit_test_setup_teardown(hints_outlive_verdicts, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
