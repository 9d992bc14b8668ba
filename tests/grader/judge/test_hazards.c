/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "grader/check.h"
#include "model/model.h"

/* ---- a run with two parts, replayed ---- */

static struct timeline log_, timeline;
static struct happens_before order;
static struct view view = { .card = NULL, .timeline = &timeline, .order = &order };
static struct finding finding;

static uint32_t string(const char *s)
{
    return timeline_intern(&log_, s, strlen(s));
}

static void call(struct call c)
{
    c.file = string("x.cu");
    c.line = 1 + (uint32_t)log_.call_count;
    timeline_add_call(&log_, &c);
}

static void part(const char *name)
{
    call((struct call){ .kind = CALL_PART, .name = string(name) });
}

static void set(uint32_t stream, uint64_t dst)
{
    call((struct call){ .kind = CALL_SET, .stream = stream, .dst = dst, .bytes = 64,
                        .dst_kind = MEM_DEVICE, .flags = CALL_ASYNC,
                        .name = string("cudaMemsetAsync") });
}

/* What a child says: an operation (a node) met another, or the host (NO_NODE). */
static void said(uint32_t first, uint32_t then, int64_t calls, const char *message)
{
    call((struct call){ .kind = CALL_HAZARD, .src = first, .node = then, .cost = calls, .bytes = 4,
                        .message = string(message) });
}

static int set_up(void **state)
{
    (void)state;
    timeline_init(&log_);
    timeline_init(&timeline);
    hb_init(&order);
    finding = (struct finding){ .call = ANY };
    for (uint32_t i = 0; i < 3; i++)
        call((struct call){
            .kind = CALL_STREAM_CREATE, .stream = i, .flags = i == 0 ? STREAM_LEGACY : 0 });
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    hb_fini(&order);
    timeline_fini(&timeline);
    timeline_fini(&log_);
    return 0;
}

static bool judged(const char *part_id)
{
    if (timeline.call_count == 0)
        model_replay(&log_, card_find("h200"), &timeline, &order);
    struct evidence e = { .views = 1, .yours = &view };
    return judge_hazards(&e, &finding, part_id);
}

static void what_the_calls_show_needs_no_word_of_the_child(void **state)
{
    (void)state;
    part("a");
    set(1, 0x1000);
    set(2, 0x1000);
    part("b");
    set(1, 0x2000);
    set(2, 0x3000);
    part("");
    assert_false(judged("a"));
    assert_int_equal(finding.call, 5);
    assert_non_null(strstr(finding.seen, "x.cu:5: cudaMemsetAsync in stream 1"));
    assert_non_null(strstr(finding.seen, "writes them too"));
    assert_memory_equal(finding.why, "No event", 8);
    assert_true(judged("b"));
}

static void what_the_child_saw_counts_in_the_part_of_either_side(void **state)
{
    (void)state;
    part("a");
    set(1, 0x1000);                     /* node 0 */
    part("b");
    set(2, 0x2000);                     /* node 1 */
    part("c");
    said(0, 1, 0, "x.cu:5: it writes, and x.cu:7: it does too: nothing orders them. Wait");
    part("");
    assert_false(judged("a"));
    assert_string_equal(finding.seen, "x.cu:5: it writes, and x.cu:7: it does too");
    assert_string_equal(finding.why, "Nothing orders them. Wait.");
    assert_int_equal(timeline.calls[finding.call].line, 7);
    assert_false(judged("b"));
    assert_true(judged("c"));
}

static void what_the_host_touches_counts_where_it_stands(void **state)
{
    (void)state;
    set(1, 0x1000);
    part("a");
    part("b");
    int64_t here = (int64_t)log_.call_count;
    part("c");
    said(0, NO_NODE, here, "a: b");     /* the other side came to its end later */
    part("");
    assert_true(judged("a"));
    assert_false(judged("b"));
    assert_true(judged("c"));
    assert_int_equal(timeline.calls[finding.call].kind, CALL_HAZARD);
    assert_false(judged(NULL));
}

/* Two host threads touch the same, and the main thread waits for that one to end. */
static const char *why_with_join_of(uint32_t joined)
{
    part("a");
    call((struct call){ .kind = CALL_THREAD_BEGIN, .thread = 1, .node = NO_NODE });
    int64_t here = (int64_t)log_.call_count;
    call((struct call){ .kind = CALL_THREAD_WAKE, .src = joined, .node = NO_NODE,
                        .name = string("the end of a thread") });
    said(NO_NODE, NO_NODE, here,
         "x.cu:5: thread 1 (at 1 ms) writes, and x.cu:6: the main thread does too: order them");
    part("");
    assert_false(judged("a"));
    return finding.why;
}

static void a_thread_that_is_never_joined_is_named(void **state)
{
    (void)state;
    assert_string_equal(why_with_join_of(2),
                        "Order them. Nothing waits for thread 1 to end: pthread_join() does.");
}

static void a_thread_that_is_joined_is_not_named(void **state)
{
    (void)state;
    assert_string_equal(why_with_join_of(1), "Order them.");
}

/* The host touches what a stream works on, and waits afterwards: in x.cu or, with the part over, in
 * the driver. */
static const char *why_with_wait_in(const char *file)
{
    part("a");
    set(1, 0x1000);
    int64_t here = (int64_t)log_.call_count;
    call((struct call){
        .kind = CALL_STREAM_SYNC, .stream = 1, .name = string("cudaStreamSynchronize") });
    log_.calls[log_.call_count - 1].file = string(file);
    said(0, NO_NODE, here, "x.cu:5: it writes, and x.cu:6: the host does too: wait for it");
    part("");
    assert_false(judged("a"));
    return finding.why;
}

static void a_wait_that_comes_too_late_is_named(void **state)
{
    (void)state;
    why_with_wait_in("x.cu");
    assert_non_null(
        strstr(finding.why, "only in line 6 (cudaStreamSynchronize), which is too late"));
    assert_int_equal(timeline.calls[finding.call].kind, CALL_HAZARD);
}

static void what_the_driver_waits_for_later_is_no_wait_that_comes_too_late(void **state)
{
    (void)state;
    assert_string_equal(why_with_wait_in("lessons/driver.cu"), "Wait for it.");
    assert_int_equal(timeline.calls[finding.call].kind, CALL_HAZARD);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_the_calls_show_needs_no_word_of_the_child),
        TEST(what_the_child_saw_counts_in_the_part_of_either_side),
        TEST(what_the_host_touches_counts_where_it_stands),
        TEST(a_thread_that_is_never_joined_is_named),
        TEST(a_thread_that_is_joined_is_not_named),
        TEST(a_wait_that_comes_too_late_is_named),
        TEST(what_the_driver_waits_for_later_is_no_wait_that_comes_too_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
