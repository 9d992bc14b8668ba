/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "rig.h"

static struct rig r;

static const struct call *call(size_t index)
{
    return &r.timeline.calls[index];
}

/* Thread 1 begins: thread 0 is not alone any more. */
static void begin_second(void)
{
    rig_call(&r, (struct call){ .kind = CALL_THREAD_BEGIN, .thread = 1 });
}

static void a_thread_alone_has_waited_when_its_call_is_over(void **state)
{
    (void)state;
    uint32_t kernel = rig_launch(&r, 0, 1, 32);
    size_t wait = rig_sync(&r);
    assert_false(model_waiting(&r.model));
    assert_int_equal(call(wait)->end, r.timeline.spans[kernel].end + r.model.card->wake_ns);
    assert_int_equal(model_now(&r.model, 0), call(wait)->end);
}

static void beside_others_a_wait_stays_open_until_the_device_is_done(void **state)
{
    (void)state;
    begin_second();
    uint32_t kernel = rig_launch(&r, 0, 1, 32);
    size_t wait = rig_sync(&r);
    assert_true(model_waits(&r.model, 0));
    assert_false(model_waits(&r.model, 1));
    while (model_waiting(&r.model) && model_next(&r.model) != TIME_NEVER)
        model_step(&r.model);
    assert_false(model_waits(&r.model, 0));
    assert_int_equal(call(wait)->end, r.timeline.spans[kernel].end + r.model.card->wake_ns);
}

static void a_thread_begins_when_its_maker_made_it(void **state)
{
    (void)state;
    rig_launch(&r, 0, 1, 32);
    rig_sync(&r);
    int64_t made = model_now(&r.model, 0);
    size_t begin = rig_call(&r, (struct call){ .kind = CALL_THREAD_BEGIN, .thread = 1, .src = 0 });
    assert_true(made > 0);
    assert_int_equal(call(begin)->begin, made);
}

static void who_is_woken_goes_on_no_earlier_than_who_woke_it(void **state)
{
    (void)state;
    begin_second();
    for (int i = 0; i < 4; i++)
        rig_launch(&r, 0, 1, 32);
    int64_t waker = model_now(&r.model, 0);
    assert_true(model_now(&r.model, 1) < waker);
    rig_call(&r, (struct call){ .kind = CALL_THREAD_WAKE, .thread = 1, .src = 0 });
    assert_int_equal(model_now(&r.model, 1), waker);
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .thread = 1, .cost = 5000000 });
    int64_t later = model_now(&r.model, 1);
    rig_call(&r, (struct call){ .kind = CALL_THREAD_WAKE, .thread = 1, .src = 0 });
    assert_int_equal(model_now(&r.model, 1), later);            /* who is ahead does not go back */
}

static void when_the_others_have_ended_waits_are_over_at_once_again(void **state)
{
    (void)state;
    begin_second();
    rig_call(&r, (struct call){ .kind = CALL_THREAD_END, .thread = 1 });
    rig_launch(&r, 0, 1, 32);
    rig_sync(&r);
    assert_false(model_waiting(&r.model));
}

/* The first loads the kernel on the way, which takes it longer than the whole call takes the other.
 */
static void
a_quicker_call_of_another_thread_does_not_stand_in_front_of_what_it_follows(void **state)
{
    (void)state;
    begin_second();
    uint32_t kernels[2];
    for (uint32_t thread = 0; thread < 2; thread++)
        kernels[thread] =
            call(rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .thread = thread, .cost = 1000,
                                             .flags = thread == 0 ? LAUNCH_LOADS : 0 }))
                ->node;
    while (model_next(&r.model) != TIME_NEVER)
        model_step(&r.model);
    assert_true(model_now(&r.model, 1) < model_now(&r.model, 0));
    assert_int_not_equal(r.timeline.spans[kernels[0]].end, TIME_NEVER);
    assert_true(r.timeline.spans[kernels[1]].start >= r.timeline.spans[kernels[0]].end);
    assert_int_not_equal(r.timeline.spans[kernels[1]].start, TIME_NEVER);
}

static int on_an_h200(void **state)
{
    (void)state;
    rig_start(&r, "h200", 8, 100000);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    rig_finish(&r);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, on_an_h200, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_thread_alone_has_waited_when_its_call_is_over),
        TEST(beside_others_a_wait_stays_open_until_the_device_is_done),
        TEST(a_thread_begins_when_its_maker_made_it),
        TEST(who_is_woken_goes_on_no_earlier_than_who_woke_it),
        TEST(when_the_others_have_ended_waits_are_over_at_once_again),
        TEST(a_quicker_call_of_another_thread_does_not_stand_in_front_of_what_it_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
