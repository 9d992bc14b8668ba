/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "grader/judge/judge.h"
#include "trace/record/memory.h"

/* A made-up lesson: two parts, and judges that say what a test wants. */

static bool good[6];
static unsigned asked[6];
static const char *asked_of[6];
static const struct view *bad_in[6];    /* not good there, in one of several views */

#define MADE_UP(k) \
    static bool judge_##k(const struct evidence *e, struct finding *f, const char *part) \
    { \
        asked[k]++; \
        asked_of[k] = part; \
        f->call = 1; \
        return (good[k] && (!bad_in[k] || e->yours != bad_in[k])) || seen(f, "seen by judge %d", k); \
    }
MADE_UP(0) MADE_UP(1) MADE_UP(2) MADE_UP(3) MADE_UP(4) MADE_UP(5)

    static const struct part parts[] = { { "a", "first", "one" }, { "b", "second", "two" } };
static const struct check checks[] = {
    { "a-output", "a", OUTPUT, 1, "a is right", NULL, judge_0, NULL, { NULL, NULL, NULL } },
    { "a-order", "a", ORDER, 2, "a is ordered", "a-output", judge_1, NULL, { NULL, NULL, NULL } },
    { "a-overlap", "a", OVERLAP, 4, "a overlaps", "*", judge_2, NULL, { NULL, NULL, NULL } },
    { "a-leaks", "a", HYGIENE, 8, "a is clean", NULL, judge_3, NULL, { NULL, NULL, NULL } },
    { "b-output", "b", OUTPUT, 16, "b is right", NULL, judge_4, NULL, { NULL, NULL, NULL } },
    { "b-busy", "b", OVERLAP, 32, "b is busy", "b-output a-overlap", judge_5, NULL,
      { NULL, NULL, NULL } },
};
static const struct lesson lesson = { .number = 42, .folder = "42-made-up", .title = "Made up",
                                      .parts = parts, .part_count = 2, .checks = checks,
                                      .check_count = 6 };

static struct verdict v;
static struct timeline timeline;

static void add(uint32_t kind, const char *name, uint32_t stream, uint64_t dst)
{
    struct call c = { .kind = kind, .name = timeline_intern(&timeline, name, strlen(name)),
                      .stream = stream, .event = stream, .dst = dst,
                      .line = 10 + (uint32_t)timeline.call_count, .node = NO_NODE };
    c.file = timeline_intern(&timeline, "x.cu", 4);
    timeline_add_call(&timeline, &c);
}

/* A verdict with one view, of a program that said these parts ("" ends the last), and both parts
 * attempted. */
static void make(const char *const *said, enum termination_how how, const char *ended_in)
{
    timeline_init(&timeline);
    for (; *said; said++)
        add(CALL_PART, *said, 0, 0);
    v = (struct verdict){ .lesson = &lesson, .seed = 1, .views = 1 };
    v.attempted = memory_resize(NULL, 2 * sizeof *v.attempted);
    v.attempted[0] = v.attempted[1] = true;
    v.termination.how = how;
    strcpy(v.termination.part, ended_in);
    memset(asked, 0, sizeof asked);
    for (int k = 0; k < 6; k++)
        good[k] = true;
    static struct view view;
    view = (struct view){ .card = NULL, .timeline = &timeline, .order = NULL };
    v.yours = &view;
}

static const char *const both_parts[] = { "a", "b", "", NULL };

static void drop(void)
{
    memory_resize(v.attempted, 0);
    memory_resize(v.results, 0);
    timeline_fini(&timeline);
}

/* P, F, W or N for each check. */
static void expect(const char *outcomes, enum status status, int points)
{
    static const char letters[OUTCOMES] = { [PASSED] = 'P', [FAILED] = 'F', [WITHHELD] = 'W',
                                            [NOT_ATTEMPTED] = 'N' };
    char got[7] = "";
    judge(&v, NULL);
    for (int k = 0; k < 6; k++)
        got[k] = letters[v.results[k].outcome];
    assert_string_equal(got, outcomes);
    assert_string_equal(status_name(v.status), status_name(status));
    assert_int_equal(v.points, points);
    assert_int_equal(v.points_max, 63);
}

static void all_checks_good_is_a_pass(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    expect("PPPPPP", ALL_PASSED, 63);
    for (int k = 0; k < 6; k++)             /* each judge is told its part */
        assert_string_equal(asked_of[k], checks[k].part);
    drop();
}

static void a_failed_check_withholds_what_needs_it_and_no_more(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    good[1] = false;
    expect("PFWPPW", WANTING, 1 + 8 + 16);
    assert_ptr_equal(v.results[2].waits_for, &checks[1]);
    assert_string_equal(v.results[1].finding.seen, "seen by judge 1");
    drop();
}

static void a_withheld_check_names_the_one_that_failed_first(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    good[0] = false;
    expect("FWWPPW", WANTING, 8 + 16);
    assert_ptr_equal(v.results[2].waits_for, &checks[0]);
    assert_ptr_equal(v.results[5].waits_for, &checks[0]);
    drop();
}

static void withheld_checks_are_not_asked(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    good[0] = false;
    expect("FWWPPW", WANTING, 8 + 16);
    assert_int_equal(asked[0], 1);
    assert_int_equal(asked[1] + asked[2] + asked[5], 0);
    drop();
}

static void an_untouched_file_is_not_attempted(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    v.attempted[0] = v.attempted[1] = false;
    good[0] = good[4] = false;
    expect("NNNNNN", UNTOUCHED, 0);
    drop();
}

static void an_untouched_part_is_not_attempted_beside_a_good_one(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    v.attempted[1] = false;
    good[4] = false;
    expect("PPPPNN", WANTING, 15);
    drop();
}

static void an_untouched_part_gives_no_points_for_what_it_happens_to_have_right(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    v.attempted[0] = false;
    good[2] = false;
    expect("NNNNPW", WANTING, 16);
    assert_ptr_equal(v.results[5].waits_for, &checks[2]);
    drop();
}

static void a_part_that_is_right_as_it_is_passes(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    v.attempted[0] = v.attempted[1] = false;
    expect("PPPPPP", ALL_PASSED, 63);
    drop();
}

static void a_crash_withholds_its_part_and_those_after_it(void **state)
{
    (void)state;
    static const char *const first_two[] = { "a", "b", NULL };
    make(first_two, ENDED_CRASHED, "b");
    good[4] = false;
    expect("PPPPWW", CRASHED, 15);
    assert_int_equal(asked[4], 0);
    assert_null(v.results[4].waits_for);
    drop();
}

static void a_hang_in_the_first_part_withholds_everything(void **state)
{
    (void)state;
    static const char *const first[] = { "a", NULL };
    make(first, ENDED_TIMED_OUT, "a");
    expect("WWWWWW", TIMED_OUT, 0);
    drop();
}

static void leaving_early_is_never_a_pass(void **state)
{
    (void)state;
    static const char *const first_two[] = { "a", "b", NULL };
    make(first_two, ENDED_BY_CHECK, "b");
    good[4] = false;
    expect("PPPPWW", WANTING, 15);
    drop();
    make(both_parts, ENDED_EARLY, "");
    expect("PPPPPP", WANTING, 63);
    drop();
}

static void a_crash_after_the_last_part_is_never_a_pass(void **state)
{
    (void)state;
    make(both_parts, ENDED_CRASHED, "");
    expect("PPPPPP", CRASHED, 63);
    drop();
}

static void a_program_that_was_not_built_has_no_points(void **state)
{
    (void)state;
    make(both_parts, ENDED_WHOLE, "");
    v.views = 0;
    expect("WWWWWW", DID_NOT_BUILD, 0);
    drop();
}

/* ---- leaks ---- */

static bool leaks(struct finding *f, const char *part)
{
    struct view view = { .card = NULL, .timeline = &timeline, .order = NULL };
    struct evidence e = { .views = 1, .yours = &view };
    *f = (struct finding){ .call = ANY };
    return !judge_leaks(&e, f, part);
}

static void what_is_given_back_later_is_no_leak(void **state)
{
    (void)state;
    struct finding f;
    timeline_init(&timeline);
    add(CALL_PART, "a", 0, 0);
    add(CALL_STREAM_CREATE, "cudaStreamCreate", 3, 0);
    add(CALL_EVENT_CREATE, "cudaEventCreate", 3, 0);
    add(CALL_MALLOC, "cudaMalloc", 0, 4096);
    add(CALL_FREE, "cudaFree", 0, 4096);
    add(CALL_PART, "", 0, 0);
    add(CALL_STREAM_DESTROY, "cudaStreamDestroy", 3, 0);
    add(CALL_EVENT_DESTROY, "cudaEventDestroy", 3, 0);
    assert_false(leaks(&f, "a"));
    assert_false(leaks(&f, NULL));
    timeline_fini(&timeline);
}

static void a_leak_names_the_call_that_made_it(void **state)
{
    (void)state;
    struct finding f;
    timeline_init(&timeline);
    add(CALL_STREAM_CREATE, "cudaStreamCreate", 2, 0);      /* before the part: not its own */
    add(CALL_PART, "a", 0, 0);
    add(CALL_STREAM_CREATE, "cudaStreamCreate", 3, 0);
    add(CALL_STREAM_CREATE, "cudaStreamCreate", 4, 0);
    add(CALL_STREAM_DESTROY, "cudaStreamDestroy", 3, 0);
    add(CALL_PART, "", 0, 0);
    assert_true(leaks(&f, "a"));
    assert_int_equal(f.call, 3);
    assert_string_equal(f.seen, "1 stream made and never given back: cudaStreamCreate at x.cu:13");
    assert_true(leaks(&f, NULL));
    assert_int_equal(f.call, 0);
    timeline_fini(&timeline);
}

/* A clone is a graph, too; what a pool gave may go back in a stream. */
static void whatever_makes_a_thing_counts_and_the_reason_names_what_gives_it_back(void **state)
{
    (void)state;
    struct finding f;
    timeline_init(&timeline);
    add(CALL_OTHER, "cudaGraphCreate", 0, 16);
    add(CALL_OTHER, "cudaGraphClone", 0, 32);
    add(CALL_OTHER, "cudaGraphDestroy", 0, 16);
    assert_true(leaks(&f, NULL));
    assert_int_equal(f.call, 1);
    assert_non_null(strstr(f.why, "cudaGraphDestroy"));
    add(CALL_OTHER, "cudaGraphDestroy", 0, 32);
    assert_false(leaks(&f, NULL));
    add(CALL_MALLOC, "cudaMallocAsync", 0, 64);
    timeline.calls[timeline.call_count - 1].flags = CALL_ASYNC;
    assert_true(leaks(&f, NULL));
    assert_non_null(strstr(f.why, "cudaFreeAsync or cudaFree,"));
    timeline_fini(&timeline);
}

static void an_address_given_out_twice_must_be_given_back_twice(void **state)
{
    (void)state;
    struct finding f;
    timeline_init(&timeline);
    add(CALL_PART, "a", 0, 0);
    add(CALL_MALLOC, "cudaMalloc", 0, 4096);
    add(CALL_FREE, "cudaFree", 0, 4096);
    add(CALL_MALLOC, "cudaMalloc", 0, 4096);
    add(CALL_PART, "", 0, 0);
    assert_true(leaks(&f, "a"));
    assert_int_equal(f.call, 3);
    timeline_fini(&timeline);
}

static void arrays_and_objects_need_the_call_of_their_kind(void **state)
{
    (void)state;
    struct finding f;
    timeline_init(&timeline);
    add(CALL_PART, "a", 0, 0);
    add(CALL_MALLOC, "cudaMallocArray", 0, 4096);
    assert_true(leaks(&f, "a"));
    assert_string_equal(
        f.why, "each block of memory needs its cudaFreeArray, after the work that uses it is done");
    add(CALL_FREE, "cudaFreeArray", 0, 4096);
    assert_false(leaks(&f, "a"));
    add(CALL_OTHER, "cudaCreateTextureObject", 0, 268);
    add(CALL_OTHER, "cudaCreateSurfaceObject", 0, 270);
    add(CALL_OTHER, "cudaDestroySurfaceObject", 0, 270);
    assert_true(leaks(&f, "a"));
    assert_string_equal(
        f.seen, "1 texture object made and never given back: cudaCreateTextureObject at x.cu:13");
    add(CALL_OTHER, "cudaDestroyTextureObject", 0, 268);
    assert_false(leaks(&f, "a"));
    timeline_fini(&timeline);
}

/* A judge may count on what its check needs, in each run. */
static void a_check_is_not_asked_where_what_it_needs_does_not_hold(void **state)
{
    (void)state;
    struct exchange x = { .open = -1 };
    make(both_parts, ENDED_WHOLE, "");
    struct view views[] = { *v.yours, *v.yours };
    v.yours = v.reference = views;
    v.views = 2;
    v.others = 1;
    v.other[0] = (struct other_view){ .kinds = 1u << ORDER };
    judge(&v, &x);
    assert_int_equal(asked[1], 2);
    assert_int_equal(v.status, ALL_PASSED);

    memset(asked, 0, sizeof asked);
    bad_in[0] = &views[1];
    judge(&v, &x);
    assert_int_equal(asked[1], 1);
    assert_int_equal(v.status, ALL_PASSED);
    bad_in[0] = NULL;
    drop();
}

static void a_part_ran_when_another_began_after_it(void **state)
{
    (void)state;
    struct view view = { .card = NULL, .timeline = &timeline, .order = NULL };
    timeline_init(&timeline);
    add(CALL_PART, "a", 0, 0);
    add(CALL_OTHER, "cudaGetDevice", 0, 0);
    add(CALL_PART, "b", 0, 0);
    add(CALL_EXIT, "", 0, 0);
    assert_true(part_ran(&view, "a"));
    assert_false(part_ran(&view, "b"));
    assert_false(part_ran(&view, "c"));
    timeline_fini(&timeline);
}

static void a_log_replayed_ahead_is_taken_while_it_is_the_same(void **state)
{
    (void)state;
    const struct card *card = card_find("h200"), *other = card_find("k20c");
    const struct logs run = { card, &timeline, NULL };
    assert_non_null(other);
    for (int cut = 0; cut < 2; cut++) {
        timeline_init(&timeline);
        add(CALL_PART, "a", 0, 0);
        add(CALL_PART, "b", 0, 0);
        v = (struct verdict){ .lesson = &lesson, .seed = 1 };
        judge_replay_ahead(&v, other, &timeline);
        judge_replay_ahead(&v, card, &timeline);
        timeline.call_count -= (size_t)cut;
        judge_replay(&v, &run, 1);
        assert_int_equal(v.ahead_count, 1 + cut);
        assert_ptr_equal(v.yours[0].card, card);
        assert_int_equal(v.yours[0].timeline->call_count, 2 - cut);
        verdict_fini(&v);
        assert_int_equal(v.ahead_count, 0);
        timeline_fini(&timeline);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_checks_good_is_a_pass),
        cmocka_unit_test(a_log_replayed_ahead_is_taken_while_it_is_the_same),
        cmocka_unit_test(a_failed_check_withholds_what_needs_it_and_no_more),
        cmocka_unit_test(a_withheld_check_names_the_one_that_failed_first),
        cmocka_unit_test(withheld_checks_are_not_asked),
        cmocka_unit_test(an_untouched_file_is_not_attempted),
        cmocka_unit_test(an_untouched_part_is_not_attempted_beside_a_good_one),
        cmocka_unit_test(an_untouched_part_gives_no_points_for_what_it_happens_to_have_right),
        cmocka_unit_test(a_part_that_is_right_as_it_is_passes),
        cmocka_unit_test(a_crash_withholds_its_part_and_those_after_it),
        cmocka_unit_test(a_hang_in_the_first_part_withholds_everything),
        cmocka_unit_test(leaving_early_is_never_a_pass),
        cmocka_unit_test(a_crash_after_the_last_part_is_never_a_pass),
        cmocka_unit_test(a_program_that_was_not_built_has_no_points),
        cmocka_unit_test(what_is_given_back_later_is_no_leak),
        cmocka_unit_test(a_leak_names_the_call_that_made_it),
        cmocka_unit_test(whatever_makes_a_thing_counts_and_the_reason_names_what_gives_it_back),
        cmocka_unit_test(an_address_given_out_twice_must_be_given_back_twice),
        cmocka_unit_test(arrays_and_objects_need_the_call_of_their_kind),
        cmocka_unit_test(a_check_is_not_asked_where_what_it_needs_does_not_hold),
        cmocka_unit_test(a_part_ran_when_another_began_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
