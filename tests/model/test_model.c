/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define US INT64_C(1000)

static struct rig r;

static const struct span *span(uint32_t node)
{
    return &r.timeline.spans[node];
}

static int64_t length(uint32_t node)
{
    return span(node)->end - span(node)->start;
}

static int on_an_h200(void **state)
{
    (void)state;
    rig_start(&r, "h200", 0, 100 * US);
    return 0;
}

static int finish(void **state)
{
    (void)state;
    rig_finish(&r);
    return 0;
}

static void nothing_happens_on_the_device_until_the_host_waits(void **state)
{
    (void)state;
    uint32_t a = rig_launch(&r, 0, 1, 32);
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 1000 * US });
    assert_int_equal(r.ended_count, 0);
    assert_true(span(a)->end == TIME_NEVER);
    size_t sync = rig_sync(&r);
    assert_int_equal(r.ended_count, 1);
    assert_true(span(a)->end < 200 * US);               /* it ran long before the wait all the same */
    assert_true(r.timeline.calls[sync].begin > 1000 * US);
    assert_int_equal(r.timeline.calls[sync].end - r.timeline.calls[sync].begin, r.model.card->call_sync);
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

static void blocks_run_in_waves_as_the_sms_have_room(void **state)
{
    (void)state;
    const int64_t at_once = 132 * (2048 / 256);
    uint32_t one = rig_launch(&r, 0, (uint32_t)at_once, 256), two = rig_launch(&r, 0, (uint32_t)at_once + 1, 256);
    uint32_t small = rig_launch(&r, 0, 132 * 32, 1), wide = rig_launch(&r, 0, 132 * 2 + 1, 1024);
    rig_sync(&r);
    assert_int_equal(length(one), 100 * US + r.model.card->kernel_ns);
    assert_int_equal(length(two), 200 * US + r.model.card->kernel_ns);
    assert_int_equal(length(small), 100 * US + r.model.card->kernel_ns);        /* 32 blocks an SM at most */
    assert_int_equal(length(wide), 200 * US + r.model.card->kernel_ns);
}

static void a_second_kernel_fills_the_room_that_the_first_leaves(void **state)
{
    (void)state;
    uint32_t s = rig_stream(&r, 0, 0), t = rig_stream(&r, 0, 0);
    uint32_t half = rig_launch(&r, s, 528, 256), other = rig_launch(&r, t, 528, 256), third = rig_launch(&r, s, 1, 32);
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
    assert_true(span(b)->end - span(b)->queued < 210 * US);     /* one wave to wait for, one of its own */
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
    uint32_t bulk = rig_stream(&r, 0, 100), urgent = rig_stream(&r, 0, -100), greatest = rig_stream(&r, 0, -5);
    rig_launch(&r, bulk, 20 * 1056, 256);
    uint32_t first = rig_launch(&r, greatest, 1056, 256), second = rig_launch(&r, urgent, 1056, 256);
    rig_sync(&r);
    assert_true(span(first)->end < span(second)->end);
    const struct card *h200 = card_find("h200"), *k20c = card_find("k20c"), *c2050 = card_find("c2050");
    assert_int_equal(card_priority(h200, -3), -3);
    assert_int_equal(card_priority(h200, -100), -5);
    assert_int_equal(card_priority(k20c, -3), -1);
    assert_int_equal(card_priority(k20c, INT32_MAX), 0);
    assert_int_equal(card_priority(c2050, INT32_MIN), 0);
}

static void copies_both_ways_slow_each_other_down_and_one_way_they_queue(void **state)
{
    (void)state;
    const size_t bytes = 64u << 20;
    uint32_t s = rig_stream(&r, 0, 0), t = rig_stream(&r, 0, 0);
    uint32_t alone = rig_copy(&r, s, bytes, true, true);
    rig_sync(&r);
    uint32_t in = rig_copy(&r, s, bytes, true, true), out = rig_copy(&r, t, bytes, false, true);
    rig_sync(&r);
    uint32_t first = rig_copy(&r, s, bytes, true, true), second = rig_copy(&r, t, bytes, true, true);
    rig_sync(&r);
    assert_true(length(in) * 100 > length(alone) * 110 && length(in) * 100 < length(alone) * 112);
    assert_true(length(out) * 100 > length(alone) * 110 && length(out) * 100 < length(alone) * 112);
    assert_true(span(second)->start >= span(first)->end);
    assert_int_equal(length(second), length(alone));
}

/* A host that polls 10 ms asks a thousand times, and hears of the end at most a two-hundredth of that late. */
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
        { { .kind = CALL_STREAM_CREATE, .stream = 1 }, c->call_stream_create }, { { .kind = CALL_STREAM_DESTROY, .stream = 1 }, c->call_stream_create },
        { { .kind = CALL_EVENT_CREATE, .event = 0 }, c->call_event_create },
        { { .kind = CALL_EVENT_CREATE, .event = 1, .flags = EVENT_NO_TIMING }, c->call_event_create },
        { { .kind = CALL_EVENT_RECORD, .event = 0 }, c->call_record }, { { .kind = CALL_EVENT_RECORD, .event = 1, .flags = EVENT_NO_TIMING }, c->call_mark },
        { { .kind = CALL_STREAM_WAIT, .event = 0 }, c->call_wait }, { { .kind = CALL_EVENT_QUERY, .event = 0 }, c->call_query },
        { { .kind = CALL_HOST_FUNC }, c->call_launch }, { { .kind = CALL_EVENT_DESTROY, .event = 0 }, c->call_other },
        { { .kind = CALL_MALLOC, .dst_kind = MEM_DEVICE, .bytes = 4 << 20 }, c->call_malloc },
        { { .kind = CALL_MALLOC, .dst_kind = MEM_PINNED, .bytes = 4 << 20 }, c->call_host_alloc + 4 * c->pin_mib_ns },
        { { .kind = CALL_REGISTER, .dst_kind = MEM_PINNED, .bytes = 2 << 20 }, c->call_host_alloc + 2 * c->pin_mib_ns },
        { { .kind = CALL_UNREGISTER, .dst_kind = MEM_PINNED, .bytes = 2 << 20 }, c->call_free }, { { .kind = CALL_OTHER }, c->call_other },
    };
    rig_sync(&r);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = mib });     /* nothing is left to be waited for */
        size_t call = rig_call(&r, rows[i].call);
        int64_t took = r.timeline.calls[call].end - r.timeline.calls[call].begin;
        if (took != rows[i].time)
            fail_msg("row %zu takes %lld ns, and not %lld", i, (long long)took, (long long)rows[i].time);
    }
}

static void a_thread_that_appears_does_not_act_in_the_past(void **state)
{
    (void)state;
    uint32_t first = rig_launch(&r, 0, 1, 32);
    rig_sync(&r);
    size_t call = rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .thread = 1, .cost = COST_UNKNOWN });
    uint32_t second = r.timeline.calls[call].node;
    rig_call(&r, (struct call){ .kind = CALL_DEVICE_SYNC, .thread = 1 });
    assert_true(r.timeline.calls[call].begin >= span(first)->end);
    assert_true(span(second)->start >= span(first)->end);
}

static void a_launch_that_loads_its_kernel_costs_the_host_more_the_first_of_all_most(void **state)
{
    (void)state;
    const struct card *card = r.model.card;
    static const uint32_t flags[] = { 0, LAUNCH_LOADS, LAUNCH_LOADS, 0 };
    const int64_t more[] = { 0, card->load_first, card->load_kernel, 0 };
    for (int i = 0; i < 4; i++) {
        const struct call *c = &r.timeline.calls[rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .flags = flags[i] })];
        assert_int_equal(c->end - c->begin, card->call_launch + more[i]);
    }
}

static void a_kernel_that_is_loaded_waits_for_those_that_run_but_not_on_a_card_from_before_that(void **state)
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
        model_call(&m, &(struct call){ .kind = CALL_STREAM_CREATE, .stream = s, .flags = s ? STREAM_NON_BLOCKING : STREAM_LEGACY });
    model_call(&m, &(struct call){ .kind = CALL_QUEUES, .cost = 3 });       /* too late */
    for (uint32_t i = 0; i < 4; i++)
        model_call(&m, &(struct call){ .kind = CALL_LAUNCH, .stream = 1 + i / 2, .grid = { 132 * 60, 1, 1 }, .block = { 32, 1, 1 } });
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
                                .block = { UINT32_MAX, 0, 0 }, .thread = 4000000000u, .shared = UINT32_MAX });
    rig_call(&r, (struct call){ .kind = CALL_COPY, .bytes = UINT64_MAX, .src_kind = 99, .dst_kind = 77,
                                .device = 4000000000u });
    rig_call(&r, (struct call){ .kind = CALL_STREAM_CREATE, .stream = 1, .device = 4000000000u });
    rig_call(&r, (struct call){ .kind = CALL_LAUNCH, .stream = 1 });
    rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = INT64_MIN });
    rig_call(&r, (struct call){ .kind = CALL_COST, .node = 4000000000u, .cost = INT64_MAX });
    assert_int_equal(r.timeline.span_count, 2);
}

static void copies_of_one_stream_go_before_what_was_issued_later_in_another(void **state)
{
    (void)state;
    uint32_t a = rig_stream(&r, 0, 0), b = rig_stream(&r, 0, -5), last = 0;
    for (int k = 0; k < 4; k++)
        last = rig_copy(&r, a, 1 << 20, true, true);
    uint32_t urgent = rig_copy(&r, b, 1 << 20, true, true);
    rig_sync(&r);
    assert_true(span(urgent)->start >= span(last)->end);
}

/* Does a copy that comes behind 64 MiB of another stream end before them? */
static bool overtakes(const char *card, size_t bytes, bool to_device, bool async)
{
    rig_finish(&r);
    rig_start(&r, card, 0, 100 * US);
    uint32_t a = rig_stream(&r, STREAM_NON_BLOCKING, 0), b = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    uint32_t big = rig_copy(&r, a, 64u << 20, to_device, true), small = rig_copy(&r, b, bytes, to_device, async);
    rig_sync(&r);
    return span(small)->end < span(big)->end;
}

static void small_asynchronous_copies_from_pinned_memory_go_through_no_engine_where_the_card_says_so(void **state)
{
    (void)state;
    assert_true(overtakes("h200", 4, true, true) && overtakes("h200", 24576, true, true));
    assert_false(overtakes("h200", 24577, true, true));
    assert_false(overtakes("h200", 4, true, false));
    assert_false(overtakes("h200", 4, false, true));
    assert_false(overtakes("rtx3090", 4, true, true));
    assert_false(overtakes("c2050", 0, true, true));
}

static void they_keep_to_their_stream_and_take_no_time_from_the_engine(void **state)
{
    (void)state;
    uint32_t a = rig_stream(&r, 0, 0), b = rig_stream(&r, 0, 0);
    uint32_t alone = rig_copy(&r, a, 64u << 20, true, true);
    rig_sync(&r);
    uint32_t big = rig_copy(&r, a, 64u << 20, true, true), in_b[40] = { rig_copy(&r, b, 16384, true, true) };
    for (int k = 1; k < 40; k++) {
        rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = 10 * US });
        in_b[k] = rig_copy(&r, b, 16384, true, true);
    }
    rig_sync(&r);
    for (int k = 1; k < 40; k++)
        assert_true(span(in_b[k])->start >= span(in_b[k - 1])->end && length(in_b[k]) > 0);
    assert_true(span(in_b[39])->end < span(big)->end);
    assert_int_equal(length(big), length(alone));
}

static void copies_into_a_stream_that_is_busy_go_through_the_engine_but_the_smallest(void **state)
{
    (void)state;
    uint32_t a = rig_stream(&r, 0, 0), b = rig_stream(&r, 0, 0);
    uint32_t big = rig_copy(&r, a, 64u << 20, true, true);
    rig_launch(&r, b, 1, 32);
    uint32_t least = rig_copy(&r, b, 1024, true, true), behind = rig_copy(&r, b, 1028, true, true);
    rig_sync(&r);
    assert_true(span(behind)->start >= span(big)->end);
    assert_true(span(least)->end < span(big)->end);
    assert_int_equal(length(least), r.model.card->inline_busy_ns + 1024 * INT64_C(1000) / r.model.card->inline_read);
    uint32_t last = 0;
    int64_t begin = model_now(&r.model, 0);
    for (int k = 0; k < 100; k++)
        last = rig_copy(&r, b, 16384, true, true);
    rig_sync(&r);
    assert_true(span(last)->end - begin > 270 * US && span(last)->end - begin < 340 * US);     /* 311 on the card */
}

static int64_t call_time(uint32_t node)
{
    const struct call *c = &r.timeline.calls[span(node)->call];
    return c->end - c->begin;
}

static void the_host_writes_what_goes_with_the_command_in_the_call(void **state)
{
    (void)state;
    const struct card *card = r.model.card;
    uint32_t s = rig_stream(&r, 0, 0), least = rig_copy(&r, s, 4, true, true);
    rig_sync(&r);
    uint32_t small = rig_copy(&r, s, 24576, true, true), busy = rig_copy(&r, s, 24576, true, true);
    rig_sync(&r);
    uint32_t larger = rig_copy(&r, s, 32768, true, true);
    rig_sync(&r);
    assert_int_equal(call_time(least), card->inline_call);
    assert_int_equal(call_time(small), card->inline_call + 24576 * INT64_C(1000) / card->inline_written);
    assert_int_equal(length(small), card->inline_ns + 24576 * INT64_C(1000) / card->inline_read);
    assert_int_equal(call_time(busy), card->call_copy);
    assert_int_equal(call_time(larger), card->call_copy);
}

static uint32_t pageable_copy(uint32_t stream, size_t bytes)
{
    size_t call = rig_call(&r, (struct call){ .kind = CALL_COPY, .flags = CALL_ASYNC, .stream = stream, .bytes = bytes,
                                              .src_kind = MEM_PAGEABLE, .dst_kind = MEM_DEVICE });
    uint32_t node = r.timeline.calls[call].node;
    rig_sync(&r);
    return node;
}

static void small_copies_from_pageable_memory_go_with_the_command(void **state)
{
    (void)state;
    const struct card *card = r.model.card;
    uint32_t s = rig_stream(&r, 0, 0), small = pageable_copy(s, 65536), larger = pageable_copy(s, 65540);
    assert_int_equal(length(small), card->inline_ns + 65536 * INT64_C(1000) / card->inline_read);
    assert_int_equal(length(larger), card->copy_ns + 65540 * INT64_C(1000) / card->h2d_pinned);
    assert_true(length(small) > length(larger));
}

static void they_overtake_others_behind_a_kernel_too(void **state)
{
    (void)state;
    uint32_t a = rig_stream(&r, 0, 0), b = rig_stream(&r, 0, 0);
    uint32_t big = rig_copy(&r, a, 64u << 20, true, true), kernel = rig_launch(&r, b, 1, 32), small = pageable_copy(b, 65536);
    assert_true(span(small)->start >= span(kernel)->end);
    assert_true(span(small)->end < span(big)->end);
    rig_launch(&r, b, 1, 32);
    big = rig_copy(&r, a, 64u << 20, true, true);
    uint32_t larger = pageable_copy(b, 65540);
    assert_true(span(larger)->start >= span(big)->end);
}

static void what_a_queue_has_written_once_is_written_faster_again(void **state)
{
    (void)state;
    const struct card *card = r.model.card;
    uint32_t a = rig_stream(&r, 0, 0), b = rig_stream(&r, 0, 0), node = NO_NODE;
    int64_t first = card->inline_call + 65536 * INT64_C(1000) / card->inline_written;
    int64_t later = card->inline_call + 65536 * INT64_C(1000) / card->inline_rewritten;
    for (int64_t bytes = 0; bytes < card->inline_ring; bytes += 65536) {
        node = pageable_copy(a, 65536);
        assert_int_equal(call_time(node), first);
    }
    assert_int_equal(call_time(pageable_copy(a, 65536)), later);
    assert_int_equal(call_time(pageable_copy(b, 65536)), first);
    assert_true(first > 3 * later / 2 && node != NO_NODE);
}

/* What the host waits for its pages, `count` times in turn with a kernel, `pause` ns between them; 64 KiB. */
static void in_turn(int count, int64_t pause, int64_t *took)
{
    enum { AT = 1 << 20 };
    uint32_t s = rig_stream(&r, 0, 0);
    for (int k = 0; k < count; k++) {
        uint32_t kernel = rig_launch(&r, s, 1, 32);
        rig_call(&r, (struct call){ .kind = CALL_MIGRATE, .flags = MIGRATE_FAULT, .node = kernel, .dst = AT, .bytes = 65536,
                                    .dst_kind = MEM_DEVICE });
        rig_sync(&r);
        rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = pause });
        size_t call = rig_call(&r, (struct call){ .kind = CALL_MIGRATE, .flags = MIGRATE_FAULT, .node = NO_NODE, .dst = AT,
                                                  .bytes = 65536, .dst_kind = MEM_PAGEABLE });
        took[k] = r.timeline.calls[call].end - r.timeline.calls[call].begin;
        rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = pause });
    }
    rig_call(&r, (struct call){ .kind = CALL_FREE, .dst = AT - 65536, .bytes = 3 * 65536, .dst_kind = MEM_MANAGED });
}

static void pages_that_go_to_and_fro_make_the_host_wait_in_every_third_round(void **state)
{
    (void)state;
    enum { ROUNDS = 8 };
    int64_t took[ROUNDS];
    in_turn(ROUNDS, 0, took);
    for (int k = 1; k < ROUNDS; k++)
        assert_int_equal(took[k] - took[0], k % 3 == 2 ? r.model.card->thrash_wait : 0);
}

static void not_where_each_side_keeps_them_for_a_while_nor_where_the_memory_is_new(void **state)
{
    (void)state;
    int64_t took[4];
    in_turn(4, 600 * US, took);
    assert_true(took[1] == took[0] && took[2] == took[0] && took[3] == took[0]);
    in_turn(2, 0, took);
    in_turn(2, 0, took);
    assert_true(took[0] == took[1]);
}

static void what_the_hosts_caches_hold_is_copied_faster_than_the_rest(void **state)
{
    (void)state;
    uint32_t s = rig_stream(&r, 0, 0), some = pageable_copy(s, 16u << 20), all = pageable_copy(s, 64u << 20);
    int64_t rest = (INT64_C(48) << 20) * 1000 / r.model.card->h2d_uncached;
    assert_in_range(length(all) - length(some), rest - 2, rest + 2);
    assert_true(length(all) > 5 * length(some));
}

static uint32_t memset_of(uint32_t stream, size_t bytes)
{
    size_t call = rig_call(&r, (struct call){ .kind = CALL_SET, .flags = CALL_ASYNC, .stream = stream, .bytes = bytes,
                                              .dst_kind = MEM_DEVICE });
    return r.timeline.calls[call].node;
}

static void a_small_memset_is_no_kernel(void **state)
{
    (void)state;
    const struct card *card = r.model.card;
    uint32_t s = rig_stream(&r, 0, 0), small = memset_of(s, 4096), larger = memset_of(s, 4100);
    rig_sync(&r);
    assert_int_equal(call_time(small), card->inline_set_call);
    assert_int_equal(call_time(larger), card->call_launch);
    assert_in_range(length(small), card->inline_ns, card->inline_ns + 1);
    assert_in_range(length(larger), card->kernel_ns, card->kernel_ns + 1);
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
    rig_call(&r, (struct call){ .kind = CALL_EVENT_RECORD, .event = r.events, .flags = flags, .stream = s });
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

static void what_follows_a_copy_in_the_one_hardware_queue_does_not_stand_in_front_of_it(void **state)
{
    (void)state;
    rig_finish(&r);
    rig_start(&r, "c2050", 0, 100 * US);
    uint32_t a = rig_stream(&r, 0, 0), last = 0;
    rig_launch(&r, a, 1, 32);
    rig_copy(&r, a, 4096, true, true);          /* it depends on the kernel: it queues among kernels */
    rig_copy(&r, a, 4, true, true);
    rig_record(&r, a);
    last = rig_copy(&r, a, 4096, true, true);
    rig_sync(&r);
    assert_int_not_equal(span(last)->end, TIME_NEVER);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, on_an_h200, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_happens_on_the_device_until_the_host_waits),
        TEST(a_wait_returns_a_moment_after_what_it_waits_for),
        TEST(effects_come_due_in_the_order_of_their_times),
        TEST(blocks_run_in_waves_as_the_sms_have_room),
        TEST(a_second_kernel_fills_the_room_that_the_first_leaves),
        TEST(more_than_128_grids_wait_for_one_to_end),
        TEST(blocks_of_the_more_urgent_stream_go_first),
        TEST(a_kernel_begins_when_its_first_block_finds_a_place),
        TEST(a_card_gives_a_stream_the_nearest_priority_that_it_has),
        TEST(copies_both_ways_slow_each_other_down_and_one_way_they_queue),
        TEST(who_asks_the_same_again_and_again_asks_less_often),
        TEST(a_query_sees_what_is_done_by_now_and_not_more),
        TEST(a_call_takes_the_host_the_time_that_the_card_has_for_it),
        TEST(a_thread_that_appears_does_not_act_in_the_past),
        TEST(a_launch_that_loads_its_kernel_costs_the_host_more_the_first_of_all_most),
        TEST(a_kernel_that_is_loaded_waits_for_those_that_run_but_not_on_a_card_from_before_that),
        TEST(host_functions_of_all_streams_run_one_after_another),
        TEST(a_replay_of_the_log_gives_the_same_timeline),
        TEST(a_log_says_how_many_hardware_queues_the_program_asked_for),
        TEST(work_left_when_the_program_ends_never_ends),
        TEST(copies_of_one_stream_go_before_what_was_issued_later_in_another),
        TEST(small_asynchronous_copies_from_pinned_memory_go_through_no_engine_where_the_card_says_so),
        TEST(they_keep_to_their_stream_and_take_no_time_from_the_engine),
        TEST(copies_into_a_stream_that_is_busy_go_through_the_engine_but_the_smallest),
        TEST(the_host_writes_what_goes_with_the_command_in_the_call),
        TEST(small_copies_from_pageable_memory_go_with_the_command),
        TEST(they_overtake_others_behind_a_kernel_too),
        TEST(what_a_queue_has_written_once_is_written_faster_again),
        TEST(pages_that_go_to_and_fro_make_the_host_wait_in_every_third_round),
        TEST(not_where_each_side_keeps_them_for_a_while_nor_where_the_memory_is_new),
        TEST(what_the_hosts_caches_hold_is_copied_faster_than_the_rest),
        TEST(a_small_memset_is_no_kernel),
        TEST(an_event_without_timing_in_an_idle_stream_is_over_when_it_is_recorded),
        TEST(what_follows_a_copy_in_the_one_hardware_queue_does_not_stand_in_front_of_it),
        TEST(numbers_made_up_by_a_stranger_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
