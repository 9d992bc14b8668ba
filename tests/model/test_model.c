/* SPDX-License-Identifier: MIT */
/* The host and the device: calls, waits, queries, effects, the end. */
#include "h200_rig.h"

static void nothing_happens_on_the_device_until_the_host_waits(void **state)
{
    (void)state;
    uint32_t a = rig_launch(&r, 0, 1, 32);
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 1000 * US });
    assert_int_equal(r.ended_count, 0);
    assert_true(span(a)->end == TIME_NEVER);
    size_t sync = rig_sync(&r);
    assert_int_equal(r.ended_count, 1);
    assert_true(span(a)->end < 200 * US); /* it ran long before the wait all the same */
    assert_true(r.timeline.calls[sync].begin > 1000 * US);
    assert_int_equal(r.timeline.calls[sync].end - r.timeline.calls[sync].begin,
                     r.model.card->call_sync);
}

static void a_wait_returns_a_moment_after_what_it_waits_for(void **state)
{
    (void)state;
    uint32_t a = rig_launch(&r, 0, 1, 32);
    size_t sync = rig_sync(&r);
    assert_int_equal(r.timeline.calls[sync].end, span(a)->end + r.model.card->wake_ns);
    assert_int_equal(span(a)->queued, r.timeline.calls[span(a)->call].end + r.model.card->start_ns);
}

static void effects_come_due_in_the_order_of_their_times(void **state)
{
    (void)state;
    uint32_t s = rig_stream(&r, 0, 0), t = rig_stream(&r, 0, 0);
    uint32_t slow = rig_launch(&r, s, 1, 32), copy = rig_copy(&r, t, 1 << 20, true, true);
    rig_sync(&r);
    assert_int_equal(r.ended[0], copy);
    assert_int_equal(r.ended[1], slow);
}

/* A host that polls 10 ms asks a thousand times, and hears of the end at most a two-hundredth of
 * that late. */
static void who_asks_the_same_again_and_again_asks_less_often(void **state)
{
    (void)state;
    rig_finish(&r);
    rig_start(&r, "h200", 0, 10000 * US);
    uint32_t kernel = rig_launch(&r, 0, 1, 32);
    struct call query = { .kind = CALL_STREAM_QUERY, .status = 600 };
    unsigned asked = 0;
    for (; !model_done(&r.model, &(struct call){ .kind = CALL_STREAM_QUERY }); asked++)
        rig_call(&r, query);
    assert_in_range(asked, 500, 3000);
    int64_t late = model_now(&r.model, 0) - r.timeline.spans[kernel].end;
    assert_true(late >= 0 && late < 50000);
    /* Who has done something else begins anew. */
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 1 });
    int64_t before = model_now(&r.model, 0);
    rig_call(&r, query);
    assert_int_equal(model_now(&r.model, 0) - before, r.model.card->call_query);
}

static void a_query_sees_what_is_done_by_now_and_not_more(void **state)
{
    (void)state;
    rig_launch(&r, 0, 1, 32);
    struct call query = { .kind = CALL_STREAM_QUERY };
    assert_false(model_done(&r.model, &query));
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 200 * US });
    assert_true(model_done(&r.model, &query));
    assert_int_equal(r.ended_count, 1);
}

static void a_call_takes_the_host_the_time_that_the_card_has_for_it(void **state)
{
    (void)state;
    const struct card *c = r.model.card;
    const int64_t mib = 1 << 20;
    const struct { struct call call; int64_t time; } rows[] = {
        { { .kind = CALL_STREAM_CREATE, .stream = 1 }, c->call_stream_create },
        { { .kind = CALL_STREAM_DESTROY, .stream = 1 }, c->call_stream_create },
        { { .kind = CALL_EVENT_CREATE, .event = 0 }, c->call_event_create },
        { { .kind = CALL_EVENT_CREATE, .event = 1, .flags = EVENT_NO_TIMING },
          c->call_event_create },
        { { .kind = CALL_EVENT_RECORD, .event = 0 }, c->call_record },
        { { .kind = CALL_EVENT_RECORD, .event = 1, .flags = EVENT_NO_TIMING }, c->call_mark },
        { { .kind = CALL_STREAM_WAIT, .event = 0 }, c->call_wait },
        { { .kind = CALL_EVENT_QUERY, .event = 0 }, c->call_query },
        { { .kind = CALL_HOST_FUNC }, c->call_launch },
        { { .kind = CALL_EVENT_DESTROY, .event = 0 }, c->call_other },
        { { .kind = CALL_MALLOC, .dst_kind = MEM_DEVICE, .bytes = 4 << 20 }, c->call_malloc },
        { { .kind = CALL_MALLOC, .dst_kind = MEM_PINNED, .bytes = 4 << 20 },
          c->call_host_alloc + 4 * c->pin_mib_ns },
        { { .kind = CALL_REGISTER, .dst_kind = MEM_PINNED, .bytes = 2 << 20 },
          c->call_host_alloc + 2 * c->pin_mib_ns },
        { { .kind = CALL_UNREGISTER, .dst_kind = MEM_PINNED, .bytes = 2 << 20 }, c->call_free },
        { { .kind = CALL_OTHER }, c->call_other },
    };
    rig_sync(&r);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig_call(&r, (struct call){ .kind = CALL_HOST_WORK,
                                    .cost = mib }); /* nothing is left to be waited for */
        size_t call = rig_call(&r, rows[i].call);
        int64_t took = r.timeline.calls[call].end - r.timeline.calls[call].begin;
        if (took != rows[i].time)
            fail_msg("row %zu takes %lld ns, and not %lld", i, (long long)took,
                     (long long)rows[i].time);
    }
}

static void a_thread_that_appears_does_not_act_in_the_past(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, 0, 1, 32);
    rig_sync(&r);
    size_t call =
        rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .thread = 1, .cost = COST_UNKNOWN });
    uint32_t second = r.timeline.calls[call].node;
    rig_call(&r, (struct call){ .kind = CALL_DEVICE_SYNC, .thread = 1 });
    assert_true(r.timeline.calls[call].begin >= span(first)->end);
    assert_true(span(second)->start >= span(first)->end);
}

static void host_functions_of_all_streams_run_one_after_another(void **state)
{
    (void)state;
    uint32_t f[3];
    for (int i = 0; i < 3; i++) {
        struct call c = { .kind = CALL_HOST_FUNC, .stream = rig_stream(&r, 0, 0) };
        f[i] = r.timeline.calls[rig_call(&r, c)].node;
    }
    rig_sync(&r);
    assert_true(span(f[1])->start >= span(f[0])->end && span(f[2])->start >= span(f[1])->end);
}

static void a_replay_of_the_log_gives_the_same_timeline(void **state)
{
    (void)state;
    uint32_t s[4];
    for (int i = 0; i < 4; i++)
        s[i] = rig_stream(&r, 0, 0);
    for (int i = 0; i < 40; i++) {
        rig_copy(&r, s[i % 4], 100000u * (unsigned)(i + 1), i % 3 != 0, true);
        uint32_t kernel = rig_launch(&r, s[i * 7 % 4], 100u + 97u * (unsigned)i, 256);
        rig_call(&r, (struct call){ .kind = CALL_COST, .node = kernel, .cost = r.cost });
        if (i % 11 == 5)
            rig_call(&r, (struct call){ .kind = CALL_STREAM_SYNC, .stream = s[i % 4] });
    }
    rig_sync(&r);
    struct timeline t;
    struct happens_before o;
    timeline_init(&t);
    hb_init(&o);
    model_replay(&r.timeline, r.model.card, &t, &o);
    assert_int_equal(t.call_count, r.timeline.call_count);
    assert_int_equal(t.span_count, r.timeline.span_count);
    assert_memory_equal(t.calls, r.timeline.calls, t.call_count * sizeof *t.calls);
    assert_memory_equal(t.spans, r.timeline.spans, t.span_count * sizeof *t.spans);
    hb_fini(&o);
    timeline_fini(&t);
}

static void work_left_when_the_program_ends_never_ends(void **state)
{
    (void)state;
    uint32_t a = rig_launch(&r, 0, 1, 32), b = rig_launch(&r, 0, 1, 32);
    rig_call(&r, (struct call){ .kind = CALL_COST, .node = a, .cost = r.cost });
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 50 * US });
    rig_call(&r, (struct call){ .kind = CALL_EXIT });
    struct timeline t;
    struct happens_before o;
    timeline_init(&t);
    hb_init(&o);
    model_replay(&r.timeline, r.model.card, &t, &o);
    assert_true(t.spans[a].start != TIME_NEVER && t.spans[a].end == TIME_NEVER);
    assert_true(t.spans[b].start == TIME_NEVER);
    hb_fini(&o);
    timeline_fini(&t);
}

static void numbers_made_up_by_a_stranger_do_no_harm(void **state)
{
    (void)state;
    rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .grid = { UINT32_MAX, UINT32_MAX, UINT32_MAX },
                                .block = { UINT32_MAX, 0, 0 }, .thread = 4000000000u,
                                .shared = UINT32_MAX });
    rig_call(&r, (struct call){ .kind = CALL_COPY, .bytes = UINT64_MAX, .src_kind = 99,
                                .dst_kind = 77,
                                .device = 4000000000u });
    rig_call(&r, (struct call){ .kind = CALL_STREAM_CREATE, .stream = 1, .device = 4000000000u });
    rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .stream = 1 });
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = INT64_MIN });
    rig_call(&r, (struct call){ .kind = CALL_COST, .node = 4000000000u, .cost = INT64_MAX });
    assert_int_equal(r.timeline.span_count, 2);
}

/* How long a wait takes for an event recorded just before it. */
static int64_t wait_for_mark(const char *card, uint32_t flags, bool busy)
{
    rig_finish(&r);
    rig_start(&r, card, 0, 100 * US);
    uint32_t s = rig_stream(&r, 0, 0);
    if (busy)
        rig_launch(&r, s, 1, 32);
    rig_call(&r, (struct call){ .kind = CALL_EVENT_CREATE, .event = r.events, .flags = flags });
    rig_call(&r, (struct call){
                     .kind = CALL_EVENT_RECORD, .event = r.events, .flags = flags, .stream = s });
    size_t sync = rig_call(&r, (struct call){ .kind = CALL_EVENT_SYNC, .event = r.events++ });
    return r.timeline.calls[sync].end - r.timeline.calls[sync].begin;
}

static void an_event_without_timing_in_an_idle_stream_is_over_when_it_is_recorded(void **state)
{
    (void)state;
    const struct card *h200 = card_find("h200");
    assert_int_equal(wait_for_mark("h200", EVENT_NO_TIMING, false), h200->call_sync);
    assert_true(wait_for_mark("h200", 0, false) >= h200->start_ns);
    assert_true(wait_for_mark("h200", EVENT_NO_TIMING, true) > 90 * US);
    assert_true(wait_for_mark("rtx3090", EVENT_NO_TIMING, false) >= card_find("rtx3090")->start_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_happens_on_the_device_until_the_host_waits),
        TEST(a_wait_returns_a_moment_after_what_it_waits_for),
        TEST(effects_come_due_in_the_order_of_their_times),
        TEST(who_asks_the_same_again_and_again_asks_less_often),
        TEST(a_query_sees_what_is_done_by_now_and_not_more),
        TEST(a_call_takes_the_host_the_time_that_the_card_has_for_it),
        TEST(a_thread_that_appears_does_not_act_in_the_past),
        TEST(host_functions_of_all_streams_run_one_after_another),
        TEST(a_replay_of_the_log_gives_the_same_timeline),
        TEST(work_left_when_the_program_ends_never_ends),
        TEST(an_event_without_timing_in_an_idle_stream_is_over_when_it_is_recorded),
        TEST(numbers_made_up_by_a_stranger_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
