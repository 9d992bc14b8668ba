/* SPDX-License-Identifier: MIT */
/* What else is said of a check that failed: each cause is named where it is one, and not of a
 * program that has only a likeness of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "grader/judge/cause.h"
#include "grader/run/submission.h"
#include "model/model.h"

/* ---- two programs, of one part, and what is said of the first ---- */

enum { YOURS, THERE };

static struct timeline logs[2], timelines[2];
static struct happens_before orders[2];
static struct finding finding;
static char text[400];                      /* of the submission */
static unsigned (*line_of)(const struct verdict *v, uint64_t address);

static uint32_t line_of_next(int side)
{
    return (uint32_t)logs[side].call_count + 10;
}

static void add_in(const char *file, int side, const char *name, struct call c)
{
    c.name = timeline_intern(&logs[side], name, strlen(name));
    c.file = timeline_intern(&logs[side], file, strlen(file));
    c.line = c.line != 0 ? c.line : line_of_next(side);
    timeline_add_call(&logs[side], &c);
}

static void add(int side, const char *name, struct call c)
{
    add_in("x.cu", side, name, c);
}

static void both(const char *name, struct call c)
{
    add(YOURS, name, c);
    add(THERE, name, c);
}

/* Stream 0 is the default stream, 1 and 2 wait for no other. They are there when part (a) begins.
 */
static int set_up(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        timeline_init(&logs[side]);
        timeline_init(&timelines[side]);
        hb_init(&orders[side]);
        for (uint32_t i = 0; i < 3; i++)
            add_in("driver.cu", side, "cudaStreamCreate",
                   (struct call){ .kind = CALL_STREAM_CREATE,
                                  .stream = i,
                                  .flags = i == 0 ? STREAM_LEGACY : STREAM_NON_BLOCKING });
        add_in("driver.cu", side, "a", (struct call){ .kind = CALL_PART });
    }
    finding = (struct finding){ .call = ANY };
    text[0] = '\0';
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int side = 0; side < 2; side++) {
        hb_fini(&orders[side]);
        timeline_fini(&timelines[side]);
        timeline_fini(&logs[side]);
    }
    return 0;
}

#define LAUNCH(in) (struct call){ .kind = CALL_LAUNCH, .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .stream = (in), .cost = COST_UNKNOWN }
#define SET(in, at) (struct call){ .kind = CALL_SET, .stream = (in), .dst = (at), .bytes = 64, .dst_kind = MEM_DEVICE, .flags = CALL_ASYNC }
#define RECORD(of, in) (struct call){ .kind = CALL_EVENT_RECORD, .event = (of), .stream = (in) }

/* What is added to the reason of a failed check of that kind. */
static const char *added(enum check_kind kind)
{
    struct check check = { .id = "a-check", .part = "a", .kind = kind };
    struct submission submission = { .path = "x.cu", .text = text, .bytes = strlen(text) };
    struct view views[2];
    for (int side = 0; side < 2; side++) {
        add_in("driver.cu", side, "", (struct call){ .kind = CALL_PART });
        logs[side].calls[logs[side].call_count - 1].name = 0;
        model_replay(&logs[side], card_find("h200"), &timelines[side], &orders[side]);
        views[side] = (struct view){ .card = card_find("h200"),
                                     .timeline = &timelines[side],
                                     .order = &orders[side] };
    }
    struct verdict verdict = {
        .submission = &submission, .yours = &views[YOURS], .views = 1, .line_of = line_of
    };
    struct evidence evidence = { .views = 1, .yours = &views[YOURS], .reference = &views[THERE] };
    cause_add(&verdict, &evidence, &check, &finding);
    return finding.why;
}

static void assert_added(enum check_kind kind, const char *words)
{
    if (!strstr(added(kind), words))
        fail_msg("no '%s' in '%s'", words, finding.why);
}

static void assert_nothing_added(enum check_kind kind)
{
    assert_string_equal(added(kind), "");
}

/* ---- the surest first ---- */

static void a_piece_that_is_not_called_is_told(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    snprintf(text, sizeof text, "void scale()\n{\n    load();\n}\n");
    finding.function = "scale";
    finding.pieces = "load apply";
    finding.sure = true;
    assert_added(OVERLAP, "scale() calls no apply().");
}

static void a_piece_that_is_called_twice_is_told_with_both_lines(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    snprintf(text, sizeof text, "void scale()\n{\n    load();\n    load();\n}\n");
    finding.function = "scale";
    finding.pieces = "load";
    assert_added(OUTPUT, "scale() calls load() in line 3 and in line 4.");
}

static unsigned caller(const struct verdict *v, uint64_t address)
{
    (void)v;
    return (unsigned)address;
}

static void a_difference_is_told_with_where_the_functions_were_called(void **state)
{
    (void)state;
    struct call scale = LAUNCH(1), shift = LAUNCH(1);
    scale.caller = 40;
    shift.caller = 41;
    add(YOURS, "scale", scale);
    add(YOURS, "shift", shift);
    add(THERE, "shift", LAUNCH(1));
    add(THERE, "scale", LAUNCH(1));
    line_of = caller;
    assert_added(OUTPUT, "in a function called from line 4");
    line_of = NULL;
}

static void a_hazard_is_the_probable_cause_of_a_wrong_output(void **state)
{
    (void)state;
    both("cudaMemsetAsync", SET(1, 0x1000));
    both("cudaMemsetAsync", SET(2, 0x1000));
    assert_added(OUTPUT, "there is also a hazard: x.cu:14: cudaMemsetAsync in stream 1");
    assert_int_equal(finding.call, 5);
}

static void what_a_stream_orders_is_no_hazard(void **state)
{
    (void)state;
    both("cudaMemsetAsync", SET(1, 0x1000));
    both("cudaMemsetAsync", SET(1, 0x1000));
    assert_nothing_added(OUTPUT);
}

static void an_event_that_is_never_recorded_is_told_at_its_line(void **state)
{
    (void)state;
    both("cudaEventCreate", (struct call){ .kind = CALL_EVENT_CREATE, .event = 0 });
    both("scale", LAUNCH(1));
    both("cudaStreamWaitEvent", (struct call){ .kind = CALL_STREAM_WAIT, .event = 0, .stream = 2 });
    both("shift", LAUNCH(2));
    assert_added(ORDER,
                 "The event that line 14 makes is never recorded: cudaEventRecord() does that.");
}

static void what_is_added_begins_after_a_full_stop(void **state)
{
    snprintf(finding.why, sizeof finding.why, "wait for stream 1");
    an_event_that_is_never_recorded_is_told_at_its_line(state);
    assert_memory_equal(finding.why, "wait for stream 1. The event", 28);
}

static void an_event_that_is_recorded_is_not_told(void **state)
{
    (void)state;
    both("cudaEventCreate", (struct call){ .kind = CALL_EVENT_CREATE, .event = 0 });
    both("scale", LAUNCH(1));
    both("cudaEventRecord", RECORD(0, 1));
    assert_nothing_added(ORDER);
}

static void an_event_is_not_told_where_no_order_is_asked_for(void **state)
{
    (void)state;
    both("cudaEventCreate", (struct call){ .kind = CALL_EVENT_CREATE, .event = 0 });
    both("scale", LAUNCH(1));
    assert_nothing_added(OVERLAP);
}

static void a_query_whose_answer_is_not_read_is_told_with_the_call_that_waits(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    both("cudaStreamQuery",
         (struct call){ .kind = CALL_STREAM_QUERY, .stream = 1, .flags = CALL_UNREAD });
    assert_added(
        ORDER,
        "cudaStreamQuery() in line 15 only asks, once, and does not wait. cudaStreamSynchronize() waits.");
}

static void a_query_of_an_event_is_told_with_the_wait_for_events(void **state)
{
    (void)state;
    both("cudaEventCreate", (struct call){ .kind = CALL_EVENT_CREATE, .event = 0 });
    both("cudaEventRecord", RECORD(0, 1));
    both("cudaEventQuery",
         (struct call){ .kind = CALL_EVENT_QUERY, .event = 0, .flags = CALL_UNREAD });
    assert_added(
        ORDER,
        "cudaEventQuery() in line 16 only asks, once, and does not wait. cudaEventSynchronize() waits.");
}

static void a_query_after_the_answer_was_yes_is_not_told(void **state)
{
    (void)state;
    both("cudaEventCreate", (struct call){ .kind = CALL_EVENT_CREATE, .event = 0 });
    both("cudaEventRecord", RECORD(0, 1));
    both("cudaEventQuery", (struct call){ .kind = CALL_EVENT_QUERY, .event = 0 });
    both("cudaEventQuery",
         (struct call){ .kind = CALL_EVENT_QUERY, .event = 0, .flags = CALL_UNREAD });
    assert_nothing_added(ORDER);
}

static void a_query_whose_answer_is_read_is_not_told(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    both("cudaStreamQuery", (struct call){ .kind = CALL_STREAM_QUERY, .stream = 1 });
    assert_nothing_added(ORDER);
}

static void a_query_that_is_blamed_already_is_not_told_twice(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    both("cudaStreamQuery",
         (struct call){ .kind = CALL_STREAM_QUERY, .stream = 1, .flags = CALL_UNREAD });
    finding.call = 5;
    assert_nothing_added(ORDER);
}

static void a_graph_that_is_never_launched_is_told_at_its_line(void **state)
{
    (void)state;
    both("cudaGraphInstantiate", (struct call){ .kind = CALL_OTHER, .flags = GRAPH_MADE });
    assert_added(
        OUTPUT,
        "The graph that line 14 instantiates is never launched: cudaGraphLaunch() does that.");
}

static void a_graph_that_is_launched_is_not_told(void **state)
{
    (void)state;
    both("cudaGraphInstantiate", (struct call){ .kind = CALL_OTHER, .flags = GRAPH_MADE });
    both("cudaGraphLaunch", (struct call){ .kind = CALL_GRAPH_LAUNCH, .stream = 1 });
    assert_nothing_added(ORDER);
}

/* ---- what the text of the file has and the log has not ---- */

static void a_call_that_is_never_reached_is_told_with_its_line(void **state)
{
    (void)state;
    snprintf(text, sizeof text,
             "void fill(int *p)\n{\n    if (p == NULL)\n        cudaMemset(p, 0, 4);\n}\n");
    finding.function = "fill()";
    both("scale", LAUNCH(1));
    assert_added(OUTPUT, "The program never comes to line 4 (cudaMemset).");
}

static void a_function_that_nothing_calls_is_told(void **state)
{
    (void)state;
    snprintf(
        text, sizeof text,
        "static void helper(int *p)\n{\n    cudaMemset(p, 0, 4);\n}\nvoid fill(int *p)\n{\n    *p = 0;\n}\n");
    finding.function = "fill()";
    both("scale", LAUNCH(1));
    assert_added(OUTPUT, "Nothing calls helper() (line 1).");
}

static void a_call_that_was_made_is_reached(void **state)
{
    (void)state;
    snprintf(text, sizeof text,
             "void fill(int *p)\n{\n    if (p != NULL)\n        cudaMemset(p, 0, 4);\n}\n");
    finding.function = "fill()";
    struct call made = SET(1, 0x1000);
    made.line = 4;
    both("cudaMemset", made);
    assert_nothing_added(OUTPUT);
}

/* ---- beside the reference solution ---- */

static void work_in_the_default_stream_is_told_where_the_reference_has_none(void **state)
{
    (void)state;
    add(YOURS, "scale", LAUNCH(0));
    add(THERE, "scale", LAUNCH(1));
    assert_added(
        OVERLAP,
        "scale in line 14 is in the default stream, which waits for all blocking streams and makes them wait.");
}

static void work_in_the_default_stream_of_both_is_not_told(void **state)
{
    (void)state;
    both("scale", LAUNCH(0));
    assert_nothing_added(OVERLAP);
}

static void what_the_driver_has_in_the_default_stream_is_not_told(void **state)
{
    (void)state;
    add_in("driver.cu", YOURS, "scale", LAUNCH(0));
    assert_nothing_added(OVERLAP);
}

static void the_one_difference_is_told_and_blamed(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(YOURS, "scale", LAUNCH(1));
    assert_added(
        OVERLAP,
        "This differs from the reference solution's calls in this part: scale(): 1 call there, 2 here "
        "(the first in line 14).");
    assert_int_equal(finding.call, 4);
}

static void no_difference_is_told_of_a_check_that_knows_what_it_blames(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(YOURS, "scale", LAUNCH(1));
    finding.call = 5;
    assert_nothing_added(ORDER);
}

static void nothing_is_added_where_the_judge_is_sure(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(YOURS, "scale", LAUNCH(1));
    finding.sure = true;
    assert_nothing_added(OVERLAP);
}

static void the_surer_cause_is_told_alone(void **state)
{
    (void)state;
    both("scale", LAUNCH(1));
    add(YOURS, "cudaStreamQuery",
        (struct call){ .kind = CALL_STREAM_QUERY, .stream = 1, .flags = CALL_UNREAD });
    add(THERE, "cudaStreamSynchronize", (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1 });
    assert_added(OUTPUT, "only asks");
    assert_null(strstr(finding.why, "differs"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(nothing_is_added_where_the_judge_is_sure),
        TEST(a_piece_that_is_not_called_is_told),
        TEST(a_piece_that_is_called_twice_is_told_with_both_lines),
        TEST(a_difference_is_told_with_where_the_functions_were_called),
        TEST(a_hazard_is_the_probable_cause_of_a_wrong_output),
        TEST(what_a_stream_orders_is_no_hazard),
        TEST(an_event_that_is_never_recorded_is_told_at_its_line),
        TEST(what_is_added_begins_after_a_full_stop),
        TEST(an_event_that_is_recorded_is_not_told),
        TEST(an_event_is_not_told_where_no_order_is_asked_for),
        TEST(a_query_whose_answer_is_not_read_is_told_with_the_call_that_waits),
        TEST(a_query_of_an_event_is_told_with_the_wait_for_events),
        TEST(a_query_after_the_answer_was_yes_is_not_told),
        TEST(a_query_whose_answer_is_read_is_not_told),
        TEST(a_query_that_is_blamed_already_is_not_told_twice),
        TEST(a_graph_that_is_never_launched_is_told_at_its_line),
        TEST(a_graph_that_is_launched_is_not_told),
        TEST(a_call_that_is_never_reached_is_told_with_its_line),
        TEST(a_function_that_nothing_calls_is_told),
        TEST(a_call_that_was_made_is_reached),
        TEST(work_in_the_default_stream_is_told_where_the_reference_has_none),
        TEST(work_in_the_default_stream_of_both_is_not_told),
        TEST(what_the_driver_has_in_the_default_stream_is_not_told),
        TEST(the_one_difference_is_told_and_blamed),
        TEST(no_difference_is_told_of_a_check_that_knows_what_it_blames),
        TEST(the_surer_cause_is_told_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
