/* SPDX-License-Identifier: MIT */
#include "missing_edge.h"

/* The host touches what `first` does, now: of its calls so far that one is blamed, with these words
 * ("": none is). */
static void assert_host(uint32_t first, const char *words, size_t call)
{
    size_t calls = r.timeline.call_count;
    struct hazard_line line = { .used = 0 };
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 1 });
    struct near_miss m = near_miss_host(&r.timeline, &r.order, first, calls, 0, false);
    near_miss_say_host(&line, &r.timeline, m, first, "the kernel");
    if (words[0] == '\0' ? line.used != 0 : !strstr(line.text, words))
        fail_msg("no '%s' in: %s", words, line.text);
    assert_int_equal(m.call, call);
}

static size_t host_call(uint32_t kind, uint32_t stream, int status)
{
    return rig_call(
        &r, (struct call){ .kind = kind, .stream = stream, .event = event, .status = status });
}

static void the_host_has_not_tried_to_wait(void **state)
{
    (void)state;
    host_call(CALL_STREAM_SYNC, b, 0);      /* before it was queued */
    assert_host(rig_launch(&r, a, 1, 32), "", NO_CALL);
}

static void the_host_waits_for_another_stream(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = host_call(CALL_STREAM_SYNC, b, 0);
    assert_host(first, "This waits for stream", blamed);
}

static void the_host_asks_and_goes_on(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = host_call(CALL_STREAM_QUERY, a, 600);
    assert_host(first, "asks and does not wait", blamed);
}

static void the_host_waits_for_an_event_that_stands_elsewhere(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = record(b);
    host_call(CALL_EVENT_SYNC, 0, 0);
    assert_host(first, "recorded in another stream", blamed);
}

static void the_host_waits_for_an_event_that_nobody_recorded(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = host_call(CALL_EVENT_SYNC, 0, 0);
    assert_host(first, "this event had never been recorded", blamed);
}

static void the_host_lets_a_stream_wait(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(a);
    size_t blamed = wait(b);
    assert_host(first, "makes a stream wait, not the host", blamed);
}

static void the_host_waits_for_some_of_the_streams(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    rig_launch(&r, b, 1, 32);
    size_t blamed = host_call(CALL_STREAM_SYNC, b, 0);
    assert_host(first, "which nothing waits for here", blamed);
}

static void the_host_waits_before_the_work_is_queued(void **state)
{
    (void)state;
    rig_launch(&r, a, 1, 32);
    size_t blamed = host_call(CALL_STREAM_SYNC, a, 0);
    assert_host(rig_launch(&r, a, 1, 32), "waits before the kernel is queued (line", blamed);
}

static void a_stream_that_waits_for_work_of_its_own_is_no_try_of_the_host(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    record(a);
    wait(b);
    rig_launch(&r, b, 1, 32);
    assert_host(first, "", NO_CALL);
}

static void nothing_waits_for_the_event_that_stands_behind(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = record(a);
    assert_host(first, "nothing waits for it. cudaEventSynchronize()", blamed);
}

static void the_stream_waits_for_the_wrong_one_of_two_events(void **state)
{
    (void)state;
    uint32_t right = r.events++;
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = right });
    record(b);
    uint32_t first = rig_launch(&r, a, 1, 32);
    rig_call(&r, (struct call){ .kind = CALL_EVENT_RECORD, .event = right, .stream = a });
    size_t blamed = wait(b);
    assert_why(first, rig_launch(&r, b, 1, 32), "waits for another event", blamed);
}

static void the_host_asks_about_the_first_stream_in_between(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t blamed = host_call(CALL_STREAM_QUERY, a, 600);
    assert_why(first, rig_launch(&r, b, 1, 32), "and does not wait", blamed);
}

static void the_host_waits_too_late(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, a, 1, 32);
    size_t calls = r.timeline.call_count;
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 1 });
    size_t blamed = rig_sync(&r);
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 1 });
    struct near_miss m = near_miss_host(&r.timeline, &r.order, first, calls, 0, false);
    assert_int_equal(m.kind, MISS_WAIT_LATE);
    assert_int_equal(m.call, blamed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_host_has_not_tried_to_wait),
        TEST(the_host_waits_for_another_stream),
        TEST(the_host_asks_and_goes_on),
        TEST(the_host_waits_for_an_event_that_stands_elsewhere),
        TEST(the_host_waits_for_an_event_that_nobody_recorded),
        TEST(the_host_lets_a_stream_wait),
        TEST(the_host_waits_for_some_of_the_streams),
        TEST(the_host_waits_before_the_work_is_queued),
        TEST(a_stream_that_waits_for_work_of_its_own_is_no_try_of_the_host),
        TEST(nothing_waits_for_the_event_that_stands_behind),
        TEST(the_stream_waits_for_the_wrong_one_of_two_events),
        TEST(the_host_asks_about_the_first_stream_in_between),
        TEST(the_host_waits_too_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
