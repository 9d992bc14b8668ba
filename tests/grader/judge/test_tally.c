/* SPDX-License-Identifier: MIT */
/* Of several pairs of runs on a real card: when another is worth it, and what they say together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "grader/judge/tally.h"

static const struct part parts[] = { { "a", "the only part", "one" } };
static const struct check checks[] = {
    { "a-output", "a", OUTPUT, 1, "it is right", NULL, NULL, "", { "", "", "" } },
    { "a-overlap", "a", OVERLAP, 2, "it overlaps", NULL, NULL, "", { "", "", "" } },
};
static const struct lesson lesson = {
    .number = 42, .parts = parts, .part_count = 1, .checks = checks, .check_count = 2
};
static struct result results[2];
static bool attempted[1];
static struct verdict v;

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2; i++)
        results[i] = (struct result){ .check = &checks[i], .outcome = PASSED };
    attempted[0] = true;
    v = (struct verdict){
        .lesson = &lesson, .results = results, .attempted = attempted, .views = 1
    };
    return 0;
}

/* P or F, for the check of the output and that of overlap. */
static void settles(struct tally output, struct tally overlap, const char *outcomes)
{
    tally_settle((struct tally[]){ output, overlap }, &v);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(results[i].outcome, outcomes[i] == 'P' ? PASSED : FAILED);
    set_up(NULL);
}

static void more_than_half_of_the_pairs_pass_and_two_of_overlap(void **state)
{
    (void)state;
    settles((struct tally){ 3, 2 }, (struct tally){ 2, 3 }, "PP");
    settles((struct tally){ 2, 3 }, (struct tally){ 1, 4 }, "FF");
    settles((struct tally){ 2, 2 }, (struct tally){ 1, 1 }, "FF");
    settles((struct tally){ 2, 1 }, (struct tally){ 1, 0 }, "PP");
}

static bool is_open(struct tally output, struct tally overlap)
{
    return tally_is_open((struct tally[]){ output, overlap }, &v);
}

static void another_pair_is_worth_it_while_it_can_change_something(void **state)
{
    (void)state;
    assert_false(is_open((struct tally){ 1, 0 }, (struct tally){ 1, 0 }));
    assert_true(is_open((struct tally){ 0, 1 }, (struct tally){ 1, 0 }));
    assert_true(is_open((struct tally){ 2, 2 }, (struct tally){ 4, 0 }));
    assert_false(is_open((struct tally){ 3, 1 }, (struct tally){ 4, 0 }));
    assert_false(is_open((struct tally){ 0, 3 }, (struct tally){ 3, 0 }));
    assert_true(is_open((struct tally){ 3, 0 }, (struct tally){ 0, 3 }));
    assert_false(is_open((struct tally){ 4, 0 }, (struct tally){ 0, 4 }));
}

static void what_failed_on_the_simulator_has_failed(void **state)
{
    (void)state;
    struct result there[2] = { { .check = &checks[0], .outcome = FAILED },
                               { .check = &checks[1], .outcome = PASSED } };
    struct verdict simulated = { .lesson = &lesson, .results = there };
    v.simulated = &simulated;
    assert_false(is_open((struct tally){ 0, 1 }, (struct tally){ 1, 0 }));
    assert_true(is_open((struct tally){ 1, 0 }, (struct tally){ 0, 1 }));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(more_than_half_of_the_pairs_pass_and_two_of_overlap, set_up),
        cmocka_unit_test_setup(another_pair_is_worth_it_while_it_can_change_something, set_up),
        cmocka_unit_test_setup(what_failed_on_the_simulator_has_failed, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
