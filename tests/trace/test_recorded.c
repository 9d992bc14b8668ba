/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/trace/hand_made.h"
#include "trace/order/recorded.h"

/* A log by hand, and what comes of it. */
struct scene {
    struct timeline log, t;
    struct happens_before order;
    char trouble[RECORDED_TROUBLE];
    bool whole;
};

static int setup(void **state)
{
    struct scene *s = calloc(1, sizeof *s);
    timeline_init(&s->log);
    timeline_init(&s->t);
    hb_init(&s->order);
    text(&s->log, "");
    *state = s;
    return 0;
}

static int teardown(void **state)
{
    struct scene *s = *state;
    timeline_fini(&s->log);
    timeline_fini(&s->t);
    hb_fini(&s->order);
    free(s);
    return 0;
}

static uint32_t call(struct scene *s, struct call c)
{
    c.node = NO_NODE;
    timeline_add_call(&s->log, &c);
    return (uint32_t)s->log.call_count - 1;
}

/* Streams 0 (legacy), 1 and 2 (non-blocking), event 0. */
static void begin(struct scene *s)
{
    call(s, (struct call){ .kind = CALL_DEVICE, .name = text(&s->log, "NVIDIA H200") });
    call(s, (struct call){ .kind = CALL_STREAM_CREATE, .stream = 0, .flags = STREAM_LEGACY });
    call(s, (struct call){ .kind = CALL_STREAM_CREATE, .stream = 1, .flags = STREAM_NON_BLOCKING });
    call(s, (struct call){ .kind = CALL_STREAM_CREATE, .stream = 2, .flags = STREAM_NON_BLOCKING });
    call(s, (struct call){ .kind = CALL_EVENT_CREATE, .event = 0 });
}

static uint32_t launch(struct scene *s, uint32_t stream, int64_t at)
{
    return call(s, (struct call){ .kind = CALL_LAUNCH, .name = text(&s->log, "kernel"),
                                  .stream = stream, .begin = at, .end = at + 5, .line = 12,
                                  .grid = { 2, 3, 1 } });
}

static void ran(struct scene *s, uint32_t of, int64_t start, int64_t end)
{
    call(s, (struct call){ .kind = CALL_RAN, .src = of, .begin = start, .end = end });
}

static void finish(struct scene *s, bool exits)
{
    if (exits)
        call(s, (struct call){ .kind = CALL_EXIT, .begin = 10000, .end = 10000 });
    s->whole = recorded_replay(&s->log, &s->t, &s->order, s->trouble);
}

static void device_sync(struct scene *s, int64_t from, int64_t to)
{
    call(s, (struct call){ .kind = CALL_DEVICE_SYNC, .begin = from, .end = to });
}

/* ---- tests ---- */

static void an_operation_has_the_time_of_its_record_and_a_wait_that_of_its_call(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t kernel = launch(s, 1, 100);
    device_sync(s, 110, 900);
    ran(s, kernel, 150, 850);
    finish(s, true);
    assert_string_equal(s->trouble, "");
    assert_true(s->whole);
    assert_int_equal(s->t.span_count, 2);
    assert_int_equal(s->t.spans[0].engine, ENGINE_KERNEL);
    assert_int_equal(s->t.spans[0].start, 150);
    assert_int_equal(s->t.spans[0].end, 850);
    assert_int_equal(s->t.spans[0].blocks, 6);
    assert_int_equal(s->t.spans[0].queued, 105);
    assert_int_equal(s->t.spans[1].engine, ENGINE_WAIT);
    assert_int_equal(s->t.spans[1].start, 110);
    assert_int_equal(s->t.spans[1].end, 900);
    assert_true(hb_before(&s->order, 0, 1, GUARANTEED));
}

static void the_recorder_s_own_records_are_no_calls_of_the_program(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t first = launch(s, 1, 100);
    ran(s, first, 150, 160);
    uint32_t second = launch(s, 1, 200);
    device_sync(s, 210, 400);
    ran(s, second, 250, 300);
    finish(s, true);
    assert_true(s->whole);
    assert_int_equal(s->t.call_count, 8);       /* streams and event, two launches, wait, end */
    assert_int_equal(s->t.calls[s->t.spans[1].call].begin, 200);
    assert_int_equal(s->t.spans[1].start, 250);
    assert_int_equal(s->t.calls[5].kind, CALL_LAUNCH);
}

static void several_records_of_a_call_are_one_operation(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t copy = call(s, (struct call){ .kind = CALL_COPY, .stream = 1, .flags = CALL_ASYNC,
                                           .begin = 100, .end = 105, .bytes = 4096,
                                           .src_kind = MEM_PINNED, .dst_kind = MEM_DEVICE });
    device_sync(s, 110, 900);
    ran(s, copy, 400, 500);
    ran(s, copy, 200, 300);
    finish(s, true);
    assert_true(s->whole);
    assert_int_equal(s->t.spans[0].engine, ENGINE_H2D);
    assert_int_equal(s->t.spans[0].start, 200);
    assert_int_equal(s->t.spans[0].end, 500);
    assert_int_equal(s->t.spans[0].bytes, 4096);
}

static void an_instant_stands_where_its_edges_allow(void **state)
{
    struct scene *s = *state;
    begin(s);
    call(s, (struct call){
                .kind = CALL_EVENT_RECORD, .stream = 2, .event = 0, .begin = 90, .end = 92 });
    uint32_t first = launch(s, 1, 100);
    call(s, (struct call){
                .kind = CALL_EVENT_RECORD, .stream = 1, .event = 0, .begin = 110, .end = 111 });
    call(s, (struct call){
                .kind = CALL_STREAM_WAIT, .stream = 2, .event = 0, .begin = 112, .end = 113 });
    uint32_t second = launch(s, 2, 120);
    device_sync(s, 130, 900);
    ran(s, first, 150, 500);
    ran(s, second, 510, 600);
    finish(s, true);
    assert_true(s->whole);
    assert_int_equal(s->t.spans[0].start, 92);      /* nothing before it: when it was queued */
    assert_int_equal(s->t.spans[2].start, 500);     /* the record behind the kernel */
    assert_int_equal(s->t.spans[2].end, 500);
    assert_int_equal(s->t.spans[3].start, 500);     /* the wait */
    assert_true(hb_before(&s->order, 1, 4, GUARANTEED));
}

static void what_the_program_never_waited_for_may_have_no_time(void **state)
{
    struct scene *s = *state;
    begin(s);
    launch(s, 1, 100);
    call(s, (struct call){
                .kind = CALL_EVENT_RECORD, .stream = 1, .event = 0, .begin = 110, .end = 111 });
    finish(s, true);
    assert_true(s->whole);
    assert_int_equal(s->t.spans[0].end, TIME_NEVER);
    assert_int_equal(s->t.spans[1].end, TIME_NEVER);
}

static void an_operation_that_was_waited_for_and_has_no_time_is_named(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t first = launch(s, 1, 100);
    launch(s, 1, 200);
    device_sync(s, 210, 900);
    ran(s, first, 150, 160);
    finish(s, true);
    assert_false(s->whole);
    assert_string_equal(
        s->trouble,
        "the record has no times for 1 of the operations that the program waited for; the first "
        "is kernel (line 12)");
}

static void a_wait_for_another_stream_asks_for_no_time(void **state)
{
    struct scene *s = *state;
    begin(s);
    launch(s, 1, 100);
    uint32_t second = launch(s, 2, 200);
    call(s, (struct call){ .kind = CALL_STREAM_SYNC, .stream = 2, .begin = 210, .end = 900 });
    ran(s, second, 250, 300);
    finish(s, true);
    assert_true(s->whole);
}

static void a_wait_behind_an_event_asks_for_all_that_the_event_marks(void **state)
{
    struct scene *s = *state;
    begin(s);
    launch(s, 1, 100);
    call(s, (struct call){
                .kind = CALL_EVENT_RECORD, .stream = 1, .event = 0, .begin = 110, .end = 111 });
    call(s, (struct call){ .kind = CALL_EVENT_SYNC, .event = 0, .begin = 120, .end = 300 });
    finish(s, true);
    assert_false(s->whole);
}

static void a_log_with_no_end_is_not_whole(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t kernel = launch(s, 1, 100);
    device_sync(s, 110, 900);
    ran(s, kernel, 150, 850);
    finish(s, false);
    assert_false(s->whole);
    assert_string_equal(s->trouble, "the record breaks off before the program's end");
    assert_int_equal(s->t.spans[0].end, 850);       /* to be looked at all the same */
}

static void what_the_recorder_lost_is_told_before_what_comes_of_it(void **state)
{
    struct scene *s = *state;
    begin(s);
    launch(s, 1, 100);
    device_sync(s, 110, 900);
    call(s, (struct call){ .kind = CALL_LOST, .message = text(&s->log, "3 records of CUPTI") });
    finish(s, true);
    assert_false(s->whole);
    assert_string_equal(s->trouble, "the recorder lost something: 3 records of CUPTI");
}

static void records_that_cannot_be_are_refused(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t kernel = launch(s, 1, 100);
    ran(s, kernel + 7, 150, 160);
    finish(s, true);
    assert_false(s->whole);
    assert_non_null(strstr(s->trouble, "is of no call before it"));
}

static void an_operation_that_ends_before_its_call_shows_clocks_that_differ(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t kernel = launch(s, 1, 100);
    device_sync(s, 110, 900);
    ran(s, kernel, 20, 90);
    finish(s, true);
    assert_false(s->whole);
    assert_non_null(strstr(s->trouble, "kernel ended before it was called (line 12)"));
}

/* `queued`: when the other thread's launch is over, which was entered before the wait at 110. */
static void another_thread_launches(struct scene *s, int64_t queued)
{
    begin(s);
    uint32_t first = launch(s, 1, 100);
    uint32_t second = call(s, (struct call){ .kind = CALL_LAUNCH, .name = text(&s->log, "kernel"),
                                             .stream = 1, .thread = 1, .begin = 108, .end = queued,
                                             .grid = { 1, 1, 1 } });
    device_sync(s, 110, 900);
    ran(s, first, 150, 850);
    ran(s, second, 850, 3000000);
    finish(s, true);
}

static void a_wait_need_not_have_waited_for_what_another_thread_was_queueing(void **state)
{
    struct scene *s = *state;
    another_thread_launches(s, 200);
    assert_string_equal(s->trouble, "");
    assert_int_equal(s->t.spans[0].end, 850);
    assert_int_equal(s->t.spans[1].end, 3000000);
}

static void but_for_what_it_had_queued_before(void **state)
{
    struct scene *s = *state;
    another_thread_launches(s, 109);
    assert_non_null(strstr(s->trouble, "before what it waited for"));
}

static void what_a_fault_of_the_device_took_with_it_is_not_missed(void **state)
{
    struct scene *s = *state;
    begin(s);
    call(s, (struct call){ .kind = CALL_PART, .name = text(&s->log, "a"), .begin = 90, .end = 90 });
    uint32_t first = launch(s, 1, 100);
    device_sync(s, 110, 300);
    call(s,
         (struct call){ .kind = CALL_PART, .name = text(&s->log, "b"), .begin = 390, .end = 390 });
    launch(s, 1, 400);
    device_sync(s, 410, 600);
    launch(s, 1, 700);
    call(s, (struct call){ .kind = CALL_DEVICE_SYNC, .begin = 710, .end = 800, .status = 700 });
    ran(s, first, 150, 200);
    finish(s, true);
    assert_true(s->whole);
    assert_int_equal(s->t.spans[2].end, TIME_NEVER);
}

static void a_call_that_failed_makes_nothing(void **state)
{
    struct scene *s = *state;
    begin(s);
    call(s, (struct call){ .kind = CALL_LAUNCH, .stream = 1, .status = 9 });
    call(s, (struct call){ .kind = CALL_DEVICE_SYNC, .status = 700 });
    finish(s, true);
    assert_true(s->whole);
    assert_int_equal(s->t.span_count, 0);
}

static void pages_that_move_while_one_kernel_runs_are_that_kernel_s(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t kernel = launch(s, 1, 100);
    device_sync(s, 110, 900);
    call(s, (struct call){ .kind = CALL_PART, .begin = 950, .end = 950 });
    ran(s, kernel, 150, 850);
    call(s, (struct call){ .kind = CALL_MIGRATE, .begin = 930, .end = 940, .dst_kind = MEM_PAGEABLE,
                           .bytes = 4096,
                           .flags = MIGRATE_FAULT });
    call(s, (struct call){ .kind = CALL_MIGRATE, .begin = 200, .end = 250, .dst_kind = MEM_DEVICE,
                           .bytes = 65536,
                           .flags = MIGRATE_FAULT });
    finish(s, true);
    assert_true(s->whole);
    assert_int_equal(s->t.migration_count, 2);
    assert_int_equal(s->t.migrations[0].node, 0);
    assert_int_equal(s->t.migrations[0].bytes, 65536);
    assert_false(s->t.migrations[0].to_host);
    assert_int_equal(s->t.migrations[1].node, NO_NODE);
    assert_true(s->t.migrations[1].to_host);
    /* By time: behind the wait and before the call that followed. */
    assert_int_equal(s->t.calls[s->t.migrations[1].call + 1].kind, CALL_PART);
}

static void pages_of_memory_that_was_freed_are_nobody_s(void **state)
{
    struct scene *s = *state;
    static const uint32_t kinds[] = { CALL_OTHER, CALL_MALLOC, CALL_FREE, CALL_MALLOC };
    begin(s);
    for (unsigned i = 0; i < 4; i++) {
        call(s, (struct call){ .kind = kinds[i], .begin = 100 * i, .end = 100 * i, .dst = 0x2c00,
                               .bytes = 0x1000,
                               .dst_kind = MEM_MANAGED });
        call(s, (struct call){ .kind = CALL_MIGRATE, .begin = 100 * i + 50, .end = 100 * i + 60,
                               .dst = 0x3000, .bytes = 4096 + i, .dst_kind = MEM_PAGEABLE,
                               .flags = MIGRATE_FAULT });
    }
    finish(s, true);
    assert_true(s->whole);
    /* What no call allocated counts, too. */
    const uint64_t bytes[] = { 4096, 4097, 4099 };
    assert_int_equal(s->t.migration_count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(s->t.migrations[i].bytes, bytes[i]);
}

static void a_function_begins_and_ends_among_the_calls_where_its_record_says(void **state)
{
    struct scene *s = *state;
    begin(s);
    uint32_t function =
        call(s, (struct call){ .kind = CALL_HOST_FUNC, .stream = 1, .begin = 100, .end = 105 });
    call(s, (struct call){ .kind = CALL_STREAM_SYNC, .stream = 1, .begin = 110, .end = 400 });
    call(s, (struct call){ .kind = CALL_LABEL, .name = text(&s->log, "inside"), .thread = 1,
                           .begin = 200, .end = 200 });
    call(s, (struct call){ .kind = CALL_LABEL, .thread = 1, .begin = 300, .end = 300 });
    call(s, (struct call){ .kind = CALL_PART, .begin = 410, .end = 410 });
    call(s,
         (struct call){ .kind = CALL_RAN, .src = function, .begin = 200, .end = 300, .thread = 1 });
    finish(s, true);
    assert_true(s->whole);
    static const uint32_t kinds[] = { CALL_HOST_FUNC, CALL_STREAM_SYNC, CALL_FUNCTION_BEGIN,
                                      CALL_LABEL,     CALL_LABEL,       CALL_FUNCTION_END,
                                      CALL_PART,      CALL_EXIT };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        assert_int_equal(s->t.calls[4 + i].kind, kinds[i]);
    assert_int_equal(s->t.calls[6].node, 0);
    assert_int_equal(s->t.calls[6].thread, 1);
    assert_int_equal(s->t.calls[9].node, 0);
}

static void a_prefetch_has_its_records_bytes_or_nothing_to_do(void **state)
{
    struct scene *s = *state;
    begin(s);
    struct call prefetch = { .kind = CALL_PREFETCH, .stream = 1, .begin = 100, .end = 110,
                             .bytes = 1 << 20,
                             .dst_kind = MEM_DEVICE };
    uint32_t first = call(s, prefetch);
    prefetch.begin = 200, prefetch.end = 210;
    call(s, prefetch);
    device_sync(s, 220, 900);
    call(s, (struct call){
                .kind = CALL_RAN, .src = first, .begin = 150, .end = 300, .bytes = 1 << 16 });
    call(s, (struct call){
                .kind = CALL_RAN, .src = first, .begin = 300, .end = 500, .bytes = 1 << 17 });
    finish(s, true);
    assert_true(s->whole);
    assert_int_equal(s->t.spans[0].bytes, 3 << 16);
    assert_int_equal(s->t.spans[0].end, 500);
    assert_int_equal(s->t.spans[1].bytes, 0);
    assert_int_equal(s->t.spans[1].start, 500);
    assert_int_equal(s->t.spans[1].end, 500);
}

static void a_device_is_known_by_its_number(void **state)
{
    struct scene *s = *state;
    assert_null(recorded_device(&s->log, 0));
    begin(s);
    assert_string_equal(timeline_string(&s->log, recorded_device(&s->log, 0)->name), "NVIDIA H200");
    assert_null(recorded_device(&s->log, 1));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_operation_has_the_time_of_its_record_and_a_wait_that_of_its_call),
        TEST(the_recorder_s_own_records_are_no_calls_of_the_program),
        TEST(several_records_of_a_call_are_one_operation),
        TEST(an_instant_stands_where_its_edges_allow),
        TEST(what_the_program_never_waited_for_may_have_no_time),
        TEST(an_operation_that_was_waited_for_and_has_no_time_is_named),
        TEST(a_wait_for_another_stream_asks_for_no_time),
        TEST(a_wait_behind_an_event_asks_for_all_that_the_event_marks),
        TEST(a_log_with_no_end_is_not_whole),
        TEST(what_the_recorder_lost_is_told_before_what_comes_of_it),
        TEST(records_that_cannot_be_are_refused),
        TEST(an_operation_that_ends_before_its_call_shows_clocks_that_differ),
        TEST(a_wait_need_not_have_waited_for_what_another_thread_was_queueing),
        TEST(but_for_what_it_had_queued_before),
        TEST(what_a_fault_of_the_device_took_with_it_is_not_missed),
        TEST(a_call_that_failed_makes_nothing),
        TEST(pages_that_move_while_one_kernel_runs_are_that_kernel_s),
        TEST(pages_of_memory_that_was_freed_are_nobody_s),
        TEST(a_function_begins_and_ends_among_the_calls_where_its_record_says),
        TEST(a_prefetch_has_its_records_bytes_or_nothing_to_do),
        TEST(a_device_is_known_by_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
