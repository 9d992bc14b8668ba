/* SPDX-License-Identifier: MIT */
/* Kernels: their blocks on the SMs, priorities, loading, hardware queues. */
#include "h200_rig.h"

static void blocks_run_in_waves_as_the_sms_have_room(void **state)
{
    (void)state;
    const int64_t at_once = 132 * (2048 / 256);
    uint32_t one = rig_launch(&r, 0, (uint32_t)at_once, 256),
             two = rig_launch(&r, 0, (uint32_t)at_once + 1, 256);
    uint32_t small = rig_launch(&r, 0, 132 * 32, 1), wide = rig_launch(&r, 0, 132 * 2 + 1, 1024);
    rig_sync(&r);
    assert_int_equal(length(one), 100 * US + r.model.card->kernel_ns);
    assert_int_equal(length(two), 200 * US + r.model.card->kernel_ns);
    assert_int_equal(length(small),
                     100 * US + r.model.card->kernel_ns);        /* 32 blocks an SM at most */
    assert_int_equal(length(wide), 200 * US + r.model.card->kernel_ns);
}

static void a_second_kernel_fills_the_room_that_the_first_leaves(void **state)
{
    (void)state;
    uint32_t s = rig_stream(&r, 0, 0), t = rig_stream(&r, 0, 0);
    uint32_t half = rig_launch(&r, s, 528, 256), other = rig_launch(&r, t, 528, 256),
             third = rig_launch(&r, s, 1, 32);
    rig_sync(&r);
    assert_true(span(other)->start < span(half)->end);
    assert_int_equal(length(other), length(half));
    assert_true(span(third)->start >= span(half)->end);
}

static void more_than_128_grids_wait_for_one_to_end(void **state)
{
    (void)state;
    rig_finish(&r);
    rig_start(&r, "h200", 32, 5000 * US);
    uint32_t last = 0, first = 0;
    for (int i = 0; i < 129; i++) {
        last = rig_launch(&r, rig_stream(&r, 0, 0), 1, 32);
        first = i == 0 ? last : first;
    }
    rig_sync(&r);
    assert_true(span(last)->start >= span(first)->end);
    assert_true(span(last - 1)->start < span(first)->end);
}

static void blocks_of_the_more_urgent_stream_go_first(void **state)
{
    (void)state;
    uint32_t bulk = rig_stream(&r, 0, 0), urgent = rig_stream(&r, 0, -5);
    uint32_t a = rig_launch(&r, bulk, 20 * 1056, 256);
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 250 * US });
    uint32_t b = rig_launch(&r, urgent, 1056, 256);
    rig_sync(&r);
    assert_true(span(b)->end - span(b)->queued
                < 210 * US);     /* one wave to wait for, one of its own */
    assert_true(length(a) >= 2100 * US);
}

static void a_kernel_begins_when_its_first_block_finds_a_place(void **state)
{
    (void)state;
    uint32_t one = rig_stream(&r, 0, 0), two = rig_stream(&r, 0, 0);
    uint32_t a = rig_launch(&r, one, 2 * 1056, 256), b = rig_launch(&r, two, 1, 256);
    rig_sync(&r);
    assert_true(span(b)->start - span(a)->start >= 200 * US);
    assert_true(length(b) < 110 * US);
}

static void a_card_gives_a_stream_the_nearest_priority_that_it_has(void **state)
{
    (void)state;
    uint32_t bulk = rig_stream(&r, 0, 100), urgent = rig_stream(&r, 0, -100),
             greatest = rig_stream(&r, 0, -5);
    rig_launch(&r, bulk, 20 * 1056, 256);
    uint32_t first = rig_launch(&r, greatest, 1056, 256),
             second = rig_launch(&r, urgent, 1056, 256);
    rig_sync(&r);
    assert_true(span(first)->end < span(second)->end);
    const struct card *h200 = card_find("h200"), *k20c = card_find("k20c"),
                      *c2050 = card_find("c2050");
    assert_int_equal(card_priority(h200, -3), -3);
    assert_int_equal(card_priority(h200, -100), -5);
    assert_int_equal(card_priority(k20c, -3), -1);
    assert_int_equal(card_priority(k20c, INT32_MAX), 0);
    assert_int_equal(card_priority(c2050, INT32_MIN), 0);
}

static void a_launch_that_loads_its_kernel_costs_the_host_more_the_first_of_all_most(void **state)
{
    (void)state;
    const struct card *card = r.model.card;
    static const uint32_t flags[] = { 0, LAUNCH_LOADS, LAUNCH_LOADS, 0 };
    const int64_t more[] = { 0, card->load_first, card->load_kernel, 0 };
    for (int i = 0; i < 4; i++) {
        const struct call *c =
            &r.timeline
                 .calls[rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .flags = flags[i] })];
        assert_int_equal(c->end - c->begin, card->call_launch + more[i]);
    }
}

static void
a_kernel_that_is_loaded_waits_for_those_that_run_but_not_on_a_card_from_before_that(void **state)
{
    (void)state;
    static const char *const cards[] = { "h200", "k20c" };
    for (int i = 0; i < 2; i++) {
        rig_finish(&r);
        rig_start(&r, cards[i], 0, 1000000);
        uint32_t stream = rig_stream(&r, STREAM_NON_BLOCKING, 0), first = rig_launch(&r, 0, 1, 32);
        rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .stream = stream, .flags = LAUNCH_LOADS });
        size_t sync = rig_call(&r, (struct call){ .kind = CALL_STREAM_SYNC, .stream = stream });
        assert_int_equal(r.timeline.calls[sync].end > span(first)->end + 1000000, i == 0);
    }
}

/* Two kernels in each of two streams; how long they take together. */
static int64_t with_queues(struct timeline *log, int64_t asked)
{
    struct happens_before o;
    struct model m;
    timeline_init(log);
    hb_init(&o);
    model_init(&m, card_find("h200"), 0, log, &o, NULL);
    if (asked > 0)
        model_call(&m, &(struct call){ .kind = CALL_QUEUES, .cost = asked });
    for (uint32_t s = 0; s < 3; s++)
        model_call(&m, &(struct call){ .kind = CALL_STREAM_CREATE,
                                       .stream = s,
                                       .flags = s ? STREAM_NON_BLOCKING : STREAM_LEGACY });
    model_call(&m, &(struct call){ .kind = CALL_QUEUES, .cost = 3 });       /* too late */
    for (uint32_t i = 0; i < 4; i++)
        model_call(&m, &(struct call){ .kind = CALL_LAUNCH, .stream = 1 + i / 2,
                                       .grid = { 132 * 60, 1, 1 }, .block = { 32, 1, 1 } });
    size_t wait = model_call(&m, &(struct call){ .kind = CALL_DEVICE_SYNC });
    model_fini(&m);
    hb_fini(&o);
    return log->calls[wait].end;
}

static void a_log_says_how_many_hardware_queues_the_program_asked_for(void **state)
{
    (void)state;
    struct timeline own, one, t;
    struct happens_before o;
    timeline_init(&t);
    hb_init(&o);
    assert_true(with_queues(&one, 1) > with_queues(&own, 0));
    model_replay(&one, card_find("h200"), &t, &o);
    assert_memory_equal(t.calls, one.calls, t.call_count * sizeof *t.calls);
    hb_fini(&o);
    timeline_fini(&own);
    timeline_fini(&one);
    timeline_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(blocks_run_in_waves_as_the_sms_have_room),
        TEST(a_second_kernel_fills_the_room_that_the_first_leaves),
        TEST(more_than_128_grids_wait_for_one_to_end),
        TEST(blocks_of_the_more_urgent_stream_go_first),
        TEST(a_kernel_begins_when_its_first_block_finds_a_place),
        TEST(a_card_gives_a_stream_the_nearest_priority_that_it_has),
        TEST(a_launch_that_loads_its_kernel_costs_the_host_more_the_first_of_all_most),
        TEST(a_kernel_that_is_loaded_waits_for_those_that_run_but_not_on_a_card_from_before_that),
        TEST(a_log_says_how_many_hardware_queues_the_program_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
