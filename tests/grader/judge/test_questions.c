/* SPDX-License-Identifier: MIT */
/* What judges ask of a view, and what they make of calls that nobody looked at, of a small run on
 * an H200's card. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include <string.h>

#include "grader/check.h"
#include "model/model.h"

static struct timeline log_, timeline;
static struct happens_before order;
static struct view view = { .card = NULL, .timeline = &timeline, .order = &order };

static void call(struct call c, const char *name)
{
    c.name = timeline_intern(&log_, name, strlen(name));
    c.file = timeline_intern(&log_, "x.cu", 4);
    c.line = 1 + (uint32_t)log_.call_count;
    if (c.kind != CALL_LAUNCH)
        c.node = NO_NODE;
    timeline_add_call(&log_, &c);
}

static void launch(uint32_t stream, uint32_t flags)
{
    call((struct call){ .kind = CALL_LAUNCH, .stream = stream, .grid = { 1, 1, 1 },
                        .block = { 32, 1, 1 }, .flags = flags, .node = NO_NODE },
         "k");
}

static void of_stream(uint32_t kind, uint32_t stream, uint32_t event)
{
    call((struct call){ .kind = kind, .stream = stream, .event = event,
                        .flags = kind == CALL_EVENT_RECORD ? EVENT_NO_TIMING : 0 },
         "");
}

static int set_up(void **state)
{
    (void)state;
    timeline_init(&log_);
    timeline_init(&timeline);
    hb_init(&order);
    for (uint32_t i = 0; i < 4; i++)
        call((struct call){ .kind = CALL_STREAM_CREATE,
                            .stream = i,
                            .flags = i == 0 ? STREAM_LEGACY : STREAM_NON_BLOCKING },
             "");
    for (uint32_t i = 0; i < 2; i++)
        call((struct call){ .kind = CALL_EVENT_CREATE, .event = i, .flags = EVENT_NO_TIMING }, "");
    call((struct call){ .kind = CALL_PART }, "a");
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

static void run(void)
{
    call((struct call){ .kind = CALL_PART }, "");
    model_replay(&log_, card_find("h200"), &timeline, &order);
}

/* Kernel number k, as they were launched. */
static uint32_t kernel(int k)
{
    uint32_t node = next_kernel(&view, in_part(&view, "a", 0), "k", 0);
    while (k-- > 0)
        node = next_kernel(&view, in_part(&view, "a", 0), "k", node + 1);
    return node;
}

/* A in stream 1; two kernels in stream 2, only the second after A; C in stream 3 after that one. */
static void of_a_chain_the_last_that_is_waited_for_stands_between(void **state)
{
    (void)state;
    launch(1, 0);
    of_stream(CALL_EVENT_RECORD, 1, 0);
    launch(2, 0);
    of_stream(CALL_STREAM_WAIT, 2, 0);
    launch(2, 0);
    of_stream(CALL_EVENT_RECORD, 2, 1);
    of_stream(CALL_STREAM_WAIT, 3, 1);
    launch(3, 0);
    run();
    struct chain *c;
    struct selection s = in_part(&view, "a", ENGINE_BIT(ENGINE_KERNEL));
    s.stream = 2;
    size_t count = chains_of(&view, s, &c);
    assert_int_equal(count, 2);
    assert_true(chain_between(&order, c, count, kernel(0), kernel(3)));
    assert_false(chain_between(&order, c, 1, kernel(0), kernel(3)));
    assert_false(chain_between(&order, c, count, kernel(3), kernel(0)));
    free(c);
}

static void of_what_nothing_waited_for_the_last_is_named(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 3; k++)
        launch(1 + k % 2, 0);
    launch(3, 0);
    of_stream(CALL_STREAM_SYNC, 3, 0);
    run();
    assert_int_equal(never_waited_for(&view, in_part(&view, "a", ENGINES_DEVICE)), kernel(2));
}

static void a_wait_for_each_stream_leaves_none(void **state)
{
    (void)state;
    launch(1, 0);
    launch(2, 0);
    of_stream(CALL_STREAM_SYNC, 1, 0);
    of_stream(CALL_STREAM_SYNC, 2, 0);
    run();
    assert_int_equal(never_waited_for(&view, in_part(&view, "a", ENGINES_DEVICE)), ANY);
}

static void what_never_ends_does_not_count_as_running(void **state)
{
    (void)state;
    timeline_add_span(&timeline, &(struct span){ .engine = ENGINE_KERNEL, .start = 0, .end = 100 });
    timeline_add_span(&timeline,
                      &(struct span){ .engine = ENGINE_KERNEL, .start = 50, .end = 150 });
    timeline_add_span(&timeline,
                      &(struct span){ .engine = ENGINE_KERNEL, .start = 60, .end = TIME_NEVER });
    struct selection s = { ENGINES_DEVICE, ANY, ANY, 0, 1 };
    struct interval extent;
    assert_true(measure_extent(&timeline, s, &extent));
    assert_int_equal(average_width(&view, s), 200 * 1000 / (extent.end - extent.start));
}

static void a_label_is_closed_in_its_own_thread(void **state)
{
    (void)state;
    call((struct call){ .kind = CALL_LABEL }, "request 7");
    size_t first = log_.call_count - 1;
    call((struct call){ .kind = CALL_LABEL, .thread = 1 }, "request 8");
    call((struct call){ .kind = CALL_LABEL }, "inside");
    call((struct call){ .kind = CALL_LABEL, .thread = 1 }, "");
    call((struct call){ .kind = CALL_LABEL }, "");
    call((struct call){ .kind = CALL_LABEL }, "");
    struct view of_log = { .timeline = &log_ };
    assert_int_equal(label_number(&of_log, first, "request "), 7);
    assert_int_equal(label_number(&of_log, first + 2, "request "), -1);
    assert_int_equal(label_end(&of_log, first), first + 5);
    assert_int_equal(label_end(&of_log, first + 1), first + 3);
}

/* ---- errors ---- */

/* A launch, then thread `thread` asks for its error; is all looked at? */
static bool looked_at(uint32_t thread, uint32_t flags)
{
    struct finding f = { .call = ANY };
    launch(1, CALL_UNREAD);
    call((struct call){ .kind = CALL_OTHER, .thread = thread, .flags = flags }, "cudaGetLastError");
    call((struct call){ .kind = CALL_PART }, "");
    struct view of_log = { .timeline = &log_ };
    return judge_errors(&(struct evidence){ .views = 1, .yours = &of_log }, &f, "a");
}

static void a_launch_s_error_is_asked_for(void **state)
{
    (void)state;
    assert_true(looked_at(0, 0));
}

static void another_thread_cannot_ask_for_it(void **state)
{
    (void)state;
    assert_false(looked_at(1, 0));
}

static void to_ask_and_not_to_look_is_not_to_ask(void **state)
{
    (void)state;
    assert_false(looked_at(0, CALL_UNREAD));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(of_a_chain_the_last_that_is_waited_for_stands_between),
        TEST(of_what_nothing_waited_for_the_last_is_named),
        TEST(a_wait_for_each_stream_leaves_none),
        TEST(what_never_ends_does_not_count_as_running),
        TEST(a_label_is_closed_in_its_own_thread),
        TEST(a_launch_s_error_is_asked_for),
        TEST(another_thread_cannot_ask_for_it),
        TEST(to_ask_and_not_to_look_is_not_to_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
