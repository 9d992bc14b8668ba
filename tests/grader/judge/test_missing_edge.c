/* SPDX-License-Identifier: MIT */
#include "missing_edge.h"

static void no_wait_at_all(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32), then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "Nothing orders two streams", call_of(then));
}

static void a_wait_for_an_event_that_nobody_recorded(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = wait(b);
    uint32_t then = rig_launch(&r, b, 1, 32);
    record(a);
    assert_why(first, then, "its event had never been recorded", blamed);
}

static void a_wait_that_was_queued_before_its_record(void **state)
{
    (void)state;
    size_t blamed = wait(b);
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "its event had never been recorded", blamed);
}

static void a_wait_that_took_an_earlier_record(void **state)
{
    (void)state;
    record(a);
    size_t blamed = wait(b);
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "a later record does not change it", blamed);
}

static void an_earlier_wait_for_something_else_is_not_blamed(void **state)
{
    (void)state;
    rig_launch(&r, a, 1, 32);
    record(a);
    wait(b);
    uint32_t first = rig_launch(&r, a, 1, 32), then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "Nothing orders two streams", call_of(then));
}

/* In a loop: the next turn's wait is behind the second, and is not late. */
static void record_and_wait_in_front_of_the_first(void **state)
{
    (void)state;
    size_t blamed = record(a);
    wait(b);
    uint32_t first = rig_launch(&r, a, 1, 32), then = rig_launch(&r, b, 1, 32);
    record(a);
    wait(b);
    assert_why(first, then, "was recorded before A", blamed);
}

/* The driver has called a function of the learner's, and then another one. */
static void what_stands_in_front_of_a_label_is_not_blamed(void **state)
{
    (void)state;
    record(a);
    wait(b);
    rig_call(&r, (struct call){ .kind = CALL_LABEL });
    uint32_t first = rig_launch(&r, a, 1, 32), then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "Nothing orders two streams", call_of(then));
}

/* In a loop with two events: the other one is recorded behind the first by the same line, in the
 * next turn. */
static void a_record_that_its_line_makes_too_early_each_time(void **state)
{
    (void)state;
    uint32_t other = r.events++;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = other });
    rig_launch(&r, a, 1, 32);
    size_t blamed = rig_call(
        &r, (struct call){ .kind = CALL_EVENT_RECORD, .event = event, .stream = a, .line = 9 });
    uint32_t first = rig_launch(&r, a, 1, 32);
    rig_call(&r,
             (struct call){ .kind = CALL_EVENT_RECORD, .event = other, .stream = a, .line = 9 });
    wait(b);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "was recorded before A", blamed);
}

static void a_record_in_another_stream(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = record(b);
    wait(b);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "in another stream than that of A", blamed);
}

static void an_event_that_is_recorded_as_meant_while_another_is_waited_for(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32), other = r.events++;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = other });
    rig_call(&r, (struct call){ .kind = CALL_EVENT_RECORD, .event = other, .stream = a });
    size_t blamed = wait(b);            /* for the one that nobody has recorded */
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "another event than the one that line", blamed);
}

static void an_event_that_is_made_and_never_recorded(void **state)
{
    (void)state;
    uint32_t other = r.events++;
    size_t blamed =
        rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = other, .line = 7 });
    uint32_t first = rig_launch(&r, a, 1, 32), then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "is never recorded", blamed);
}

static void a_record_in_front_of_the_first(void **state)
{
    (void)state;
    size_t blamed = record(a);
    uint32_t first = rig_launch(&r, a, 1, 32);
    wait(b);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "recorded before A", blamed);
}

static void a_wait_behind_the_second(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    size_t blamed = wait(b);
    assert_why(first, then, "comes too late", blamed);
}

/* Another function waits before it queues work of its own; the record after the first is what lacks
 * a wait. */
static void a_wait_that_this_round_leaves_out(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    size_t blamed = wait(b);
    uint32_t next_round = rig_launch(&r, b, 1, 32);
    r.timeline.calls[blamed].line = 10;
    r.timeline.calls[call_of(then)].line = 20;
    assert_why(first, then, "comes too late", blamed);
    r.timeline.calls[call_of(next_round)].line = 20;
    assert_why(first, then, "this round leaves it out", blamed);
}

static void a_wait_of_another_function_is_blamed_only_where_there_is_no_better_reason(void **state)
{
    (void)state;
    const struct call elsewhere = {
        .kind = CALL_STREAM_WAIT, .event = event, .stream = b, .caller = 8
    };
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    size_t late = rig_call(&r, elsewhere);
    assert_why(first, then, "comes too late", late);

    event = r.events++;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = event });
    first = rig_launch(&r, a, 1, 32);
    size_t unused = record(a);
    event = r.events++;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = event });
    then = rig_launch(&r, b, 1, 32);
    record(a);
    rig_call(&r,
             (struct call){ .kind = CALL_STREAM_WAIT, .event = event, .stream = b, .caller = 8 });
    assert_why(first, then, "nothing waits for it", unused);
}

static void a_wait_that_holds_up_work_of_its_own_is_not_blamed(void **state)
{
    (void)state;
    rig_launch(&r, a, 1, 32);
    record(a);
    wait(b);
    rig_launch(&r, b, 1, 32);
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t unused = record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "nothing waits for it", unused);
}

static void a_wait_behind_the_second_for_something_else_is_not_blamed(void **state)
{
    (void)state;
    uint32_t third = rig_stream(&r, STREAM_NON_BLOCKING, 0), first = rig_launch(&r, a, 1, 32),
             then = rig_launch(&r, b, 1, 32);
    rig_launch(&r, third, 1, 32);
    record(third);
    wait(b);
    assert_why(first, then, "Nothing orders two streams", call_of(then));
}

static void a_wait_in_the_stream_of_the_first(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(a);
    size_t blamed = wait(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "makes the stream of A wait for itself", blamed);
}

static void a_wait_the_wrong_way_round(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(b);
    size_t blamed = wait(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "the other way round is needed", blamed);
}

static void a_wait_for_one_of_two_streams(void **state)
{
    (void)state;
    uint32_t third = rig_stream(&r, STREAM_NON_BLOCKING, 0), first = rig_launch(&r, a, 1, 32);
    rig_launch(&r, third, 1, 32);
    record(third);
    size_t blamed = wait(b);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "which nothing waits for here", blamed);
}

static void two_waits_for_one_stream(void **state)
{
    (void)state;
    uint32_t third = rig_stream(&r, STREAM_NON_BLOCKING, 0), first = rig_launch(&r, a, 1, 32);
    rig_launch(&r, third, 1, 32);
    record(third);
    wait(b);
    event = r.events++;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = event });
    size_t blamed = record(third);      /* meant for a */
    wait(b);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "recorded in another stream than that of A", blamed);
}

static void a_record_that_nothing_waits_for(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "nothing waits for it. cudaStreamWaitEvent()", blamed);
}

static void place(size_t call, uint32_t line, uint32_t caller)
{
    r.timeline.calls[call].line = line;
    r.timeline.calls[call].caller = caller;
}

/* A function that records and waits is called for other streams, too. */
static void a_wait_that_this_call_of_a_function_leaves_out(void **state)
{
    (void)state;
    uint32_t c = rig_stream(&r, STREAM_NON_BLOCKING, 0), d = rig_stream(&r, STREAM_NON_BLOCKING, 0),
             mine = event;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t recorded = record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    rig_launch(&r, c, 1, 32);
    event = r.events++;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = event });
    size_t again = record(c), blamed = wait(d);
    rig_launch(&r, d, 1, 32);
    event = mine;
    place(recorded, 10, 1);
    place(again, 10, 1);
    assert_why(first, then, "nothing waits for it", recorded);
    place(blamed, 12, 1);
    assert_why(first, then, "at other times this line makes a stream wait for it", blamed);
}

static void a_wait_of_another_function_with_a_record_of_its_own_is_not_named(void **state)
{
    (void)state;
    uint32_t c = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    rig_launch(&r, b, 1, 32);
    size_t own = record(b), waited = wait(c);
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t recorded = record(a);
    uint32_t then = rig_launch(&r, b, 1, 32);
    place(own, 4, 1);
    place(waited, 5, 1);
    place(recorded, 10, 1);
    assert_why(first, then, "nothing waits for it: the wait of line 5", recorded);
    place(recorded, 10, 2);
    assert_why(first, then, "nothing waits for it. ", recorded);
}

static void a_record_that_failed(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed =
        rig_call(&r, (struct call){ .kind = CALL_OTHER,
                                    .name = timeline_intern(&r.timeline, "cudaEventRecord", 15),
                                    .status = 400 });
    wait(b);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "This call failed", blamed);
}

static void the_second_is_queued_first(void **state)
{
    (void)state;
    uint32_t then = rig_launch(&r, b, 1, 32), first = rig_launch(&r, a, 1, 32);
    record(a);
    wait(b);
    assert_why(first, then, "is queued before A", call_of(then));
    then = rig_launch(&r, a, 1, 32);
    first = rig_launch(&r, a, 1, 32);
    assert_why(first, then, "is queued before A", call_of(then));
}

static void the_default_stream_is_named(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32), then = rig_launch(&r, 0, 1, 32);
    assert_why(first, then, "in the default stream", call_of(then));
}

static void a_wait_in_a_third_stream(void **state)
{
    (void)state;
    uint32_t third = rig_stream(&r, STREAM_NON_BLOCKING, 0), first = rig_launch(&r, a, 1, 32);
    record(a);
    size_t blamed = wait(third);
    uint32_t then = rig_launch(&r, b, 1, 32);
    assert_why(first, then, "is not the stream of C", blamed);
}

/* Cards wait in a copy inside managed memory, and no document says that they do. */
static void a_wait_that_nothing_promises_is_called_that(void **state)
{
    (void)state;
    rig_launch(&r, a, 1, 32);
    size_t copy = rig_call(&r, (struct call){ .kind = CALL_COPY, .stream = a,
                                              .dst_kind = MEM_MANAGED, .src_kind = MEM_MANAGED,
                                              .bytes = 64,
                                              .line = 7 });
    size_t read = rig_call(&r, (struct call){ .kind = CALL_LABEL });
    uint32_t node = r.timeline.calls[copy].node;
    struct view v = { .card = r.model.card, .timeline = &r.timeline, .order = &r.order };
    f.call = ANY;
    assert_false(hb_before_call(&r.order, node, r.timeline.calls, read, GUARANTEED));
    assert_false(why_unwaited(&v, &f, node, read, "otherwise"));
    assert_non_null(
        strstr(f.why, "in which cards wait, though the CUDA reference does not promise it"));
    assert_int_equal(f.call, copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(no_wait_at_all),
        TEST(a_wait_for_an_event_that_nobody_recorded),
        TEST(a_wait_that_was_queued_before_its_record),
        TEST(a_wait_that_took_an_earlier_record),
        TEST(an_earlier_wait_for_something_else_is_not_blamed),
        TEST(record_and_wait_in_front_of_the_first),
        TEST(what_stands_in_front_of_a_label_is_not_blamed),
        TEST(a_record_that_its_line_makes_too_early_each_time),
        TEST(a_record_in_another_stream),
        TEST(an_event_that_is_recorded_as_meant_while_another_is_waited_for),
        TEST(an_event_that_is_made_and_never_recorded),
        TEST(a_record_in_front_of_the_first),
        TEST(a_wait_behind_the_second),
        TEST(a_wait_that_this_round_leaves_out),
        TEST(a_wait_of_another_function_is_blamed_only_where_there_is_no_better_reason),
        TEST(a_wait_that_holds_up_work_of_its_own_is_not_blamed),
        TEST(a_wait_behind_the_second_for_something_else_is_not_blamed),
        TEST(a_wait_in_the_stream_of_the_first),
        TEST(a_wait_the_wrong_way_round),
        TEST(a_wait_for_one_of_two_streams),
        TEST(two_waits_for_one_stream),
        TEST(a_record_that_nothing_waits_for),
        TEST(a_wait_that_this_call_of_a_function_leaves_out),
        TEST(a_wait_of_another_function_with_a_record_of_its_own_is_not_named),
        TEST(a_record_that_failed),
        TEST(the_second_is_queued_first),
        TEST(the_default_stream_is_named),
        TEST(a_wait_in_a_third_stream),
        TEST(a_wait_that_nothing_promises_is_called_that),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
