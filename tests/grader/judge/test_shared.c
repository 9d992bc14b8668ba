/* SPDX-License-Identifier: MIT */
/* What lessons share: on a real GPU the time of a graph's launch does not count as idle, and a
 * launch with too few threads is described by its numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "grader/check.h"
#include "grader/judge/shared/real_card.h"

static struct timeline t;

static size_t call(uint32_t kind, const char *name, int64_t begin, int64_t end)
{
    timeline_add_call(&t, &(struct call){ .kind = kind,
                                          .name = timeline_intern(&t, name, strlen(name)),
                                          .begin = begin, .end = end, .node = NO_NODE });
    return t.call_count - 1;
}

static void span(enum engine engine, size_t of, int64_t start, int64_t end)
{
    timeline_add_span(
        &t, &(struct span){ .engine = engine, .call = (uint32_t)of, .start = start, .end = end });
}

/* Part "a": a copy from 0 to 10, a kernel from 10 to 20 and again from 80 to 100; the host is in
 * `kind` from 5 to 70. */
static unsigned share_with(uint32_t kind, const char *card_name)
{
    timeline_init(&t);
    call(CALL_PART, "a", 0, 0);
    size_t held = call(kind, "the call", 5, 70);
    span(ENGINE_H2D, held, 0, 10);
    span(ENGINE_KERNEL, held, 10, 20);
    span(ENGINE_KERNEL, held, 80, 100);
    call(CALL_PART, "", 100, 100);
    struct card card = { .name = "" };
    memcpy(card.name, card_name, strlen(card_name) + 1);
    struct view v = { .card = &card, .timeline = &t };
    enum engine which = ENGINE_NONE;
    unsigned share = busy_share(&v, "a", ENGINES_DEVICE, &which);
    assert_int_equal(which, ENGINE_KERNEL);
    timeline_fini(&t);
    return share;
}

static void on_a_simulated_card_all_time_counts(void **state)
{
    (void)state;
    assert_int_equal(share_with(CALL_GRAPH_LAUNCH, "h200"), 300);
}

/* 100 less the 55 of 65 in which the kernel's engine rests: 30 of 45. */
static void on_a_real_card_what_rests_while_a_graph_is_launched_does_not(void **state)
{
    (void)state;
    assert_int_equal(share_with(CALL_GRAPH_LAUNCH, REAL_CARD), 300 * 100 / 45);
}

static void any_other_call_counts_there(void **state)
{
    (void)state;
    assert_int_equal(share_with(CALL_STREAM_SYNC, REAL_CARD), 300);
}

static void a_part_without_work_is_not_busy(void **state)
{
    (void)state;
    struct card card = { .name = REAL_CARD };
    struct view v = { .card = &card, .timeline = &t };
    enum engine which = ENGINE_NONE;
    timeline_init(&t);
    call(CALL_PART, "a", 0, 0);
    call(CALL_GRAPH_LAUNCH, "cudaGraphLaunch", 5, 70);
    call(CALL_PART, "", 100, 100);
    assert_int_equal(busy_share(&v, "a", ENGINES_DEVICE, &which), 0);
    timeline_fini(&t);
}

/* What is said of a launch of that many blocks of 100 threads over 1,050 elements. */
static const char *said_of_blocks(uint32_t blocks, struct finding *f)
{
    timeline_init(&t);
    size_t launch = call(CALL_LAUNCH, "k", 0, 0);
    t.calls[launch].block[0] = 100;
    t.calls[launch].block[1] = t.calls[launch].block[2] = 1;
    span(ENGINE_KERNEL, launch, 0, 1);
    t.spans[0].blocks = blocks;
    struct card card = { .name = "" };
    struct view v = { .card = &card, .timeline = &t };
    *f = (struct finding){ .call = ANY };
    bool enough = has_threads_for(&v, f, 0, 1050);
    timeline_fini(&t);
    return enough ? "" : f->why;
}

static void only_a_quotient_that_is_rounded_down_is_called_so(void **state)
{
    (void)state;
    struct finding f;
    assert_non_null(strstr(said_of_blocks(10, &f), "C's division rounds down"));
    assert_null(strstr(said_of_blocks(6, &f), "rounds down"));
    assert_non_null(strstr(f.why, "for the last 450 there is no thread"));
    assert_string_equal(said_of_blocks(11, &f), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_simulated_card_all_time_counts),
        cmocka_unit_test(on_a_real_card_what_rests_while_a_graph_is_launched_does_not),
        cmocka_unit_test(any_other_call_counts_there),
        cmocka_unit_test(a_part_without_work_is_not_busy),
        cmocka_unit_test(only_a_quotient_that_is_rounded_down_is_called_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
