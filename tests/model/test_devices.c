/* SPDX-License-Identifier: MIT */
/* Two devices of one machine: the card `dual`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

/* Streams 0 and 1 are the legacy streams of devices 0 and 1; 2 and 3 one more of each. */
enum { A = 2, B = 3 };

static int on_two(void **state)
{
    static struct rig r;
    rig_start(&r, "dual", 0, 1000000);
    for (uint32_t s = 1; s <= 3; s++)
        rig_call(&r, (struct call){ .kind = CALL_STREAM_CREATE, .stream = s, .device = s % 2,
                                    .flags = s == 1 ? STREAM_LEGACY : 0 });
    *state = &r;
    return 0;
}

static int finish(void **state)
{
    rig_finish(*state);
    return 0;
}

static const struct span *span(const struct rig *r, uint32_t node)
{
    return &r->timeline.spans[node];
}

static uint32_t launch(struct rig *r, uint32_t stream, uint32_t blocks)
{
    size_t call = rig_call(r, (struct call){ .kind = CALL_LAUNCH, .stream = stream,
                                             .device = stream % 2, .grid = { blocks, 1, 1 },
                                             .block = { 1024, 1, 1 },
                                             .cost = COST_UNKNOWN });
    return r->timeline.calls[call].node;
}

/* From device `from` to the other. */
static uint32_t peer_copy(struct rig *r, uint32_t stream, uint32_t from, uint64_t bytes,
                          uint32_t flags)
{
    size_t call = rig_call(r, (struct call){ .kind = CALL_COPY, .stream = stream,
                                             .device = stream % 2, .bytes = bytes, .flags = flags,
                                             .src_kind = MEM_DEVICE, .dst_kind = MEM_DEVICE,
                                             .src_device = from, .dst_device = 1 - from });
    return r->timeline.calls[call].node;
}

static void synchronize(struct rig *r)
{
    rig_call(r, (struct call){ .kind = CALL_DEVICE_SYNC, .device = 0 });
    rig_call(r, (struct call){ .kind = CALL_DEVICE_SYNC, .device = 1 });
}

static void each_device_has_its_own_multiprocessors(void **state)
{
    struct rig *r = *state;
    uint32_t a = launch(r, A, 264), b = launch(r, B, 264), c = launch(r, A, 264);
    synchronize(r);
    assert_int_equal(span(r, a)->device, 0);
    assert_int_equal(span(r, b)->device, 1);
    assert_true(span(r, b)->start < span(r, a)->end);
    assert_true(span(r, c)->start >= span(r, a)->end);
}

static void each_device_has_its_own_copy_engines(void **state)
{
    struct rig *r = *state;
    uint32_t a = rig_copy(r, A, 64 << 20, true, true), b = rig_copy(r, B, 64 << 20, true, true);
    synchronize(r);
    assert_int_equal(span(r, a)->end - span(r, a)->start, span(r, b)->end - span(r, b)->start);
    assert_true(span(r, b)->start < span(r, a)->end);
}

static void synchronizing_a_device_waits_for_that_one_alone(void **state)
{
    struct rig *r = *state;
    uint32_t a = launch(r, A, 1);
    rig_call(r, (struct call){ .kind = CALL_DEVICE_SYNC, .device = 1 });
    assert_int_equal(span(r, a)->end, TIME_NEVER);
    rig_call(r, (struct call){ .kind = CALL_DEVICE_SYNC, .device = 0 });
    assert_int_not_equal(span(r, a)->end, TIME_NEVER);
}

static void legacy_streams_of_two_devices_do_not_wait_for_each_other(void **state)
{
    struct rig *r = *state;
    uint32_t a = launch(r, 0, 1), b = launch(r, 1, 1), c = launch(r, B, 1);
    synchronize(r);
    assert_false(hb_before(&r->order, a, b, OBSERVED));
    assert_true(hb_before(&r->order, b, c, GUARANTEED));
    assert_true(span(r, b)->start < span(r, a)->end);
}

static void an_event_of_one_device_holds_a_stream_of_the_other(void **state)
{
    struct rig *r = *state;
    uint32_t a = launch(r, A, 1);
    rig_record(r, A);
    rig_call(r, (struct call){ .kind = CALL_STREAM_WAIT, .stream = B, .device = 1, .event = 0 });
    uint32_t b = launch(r, B, 1);
    synchronize(r);
    assert_true(hb_before(&r->order, a, b, GUARANTEED));
    assert_true(span(r, b)->start >= span(r, a)->end);
}

static void copies_between_devices_take_the_card_s_time_directly_or_through_the_host(void **state)
{
    struct rig *r = *state;
    const struct card *card = r->model.card;
    uint32_t direct = peer_copy(r, A, 0, 1000000000, CALL_ASYNC | COPY_DIRECT);
    uint32_t staged = peer_copy(r, A, 0, 1000000000, CALL_ASYNC);
    synchronize(r);
    assert_int_equal(span(r, direct)->engine, ENGINE_PEER);
    assert_int_equal(span(r, direct)->end - span(r, direct)->start,
                     card->peer_ns + INT64_C(1000000000000) / card->peer);
    const int64_t mib = 1 << 20;
    assert_int_equal(span(r, staged)->end - span(r, staged)->start,
                     card->peer_staged_ns + mib * 1000 / card->d2h_pinned
                         + mib * 1000 / card->h2d_pinned
                         + (1000000000 - mib) * 1000 / card->peer_staged);
}

static void copies_between_devices_go_one_at_a_time_each_way(void **state)
{
    struct rig *r = *state;
    uint32_t push = peer_copy(r, A, 0, 1 << 30, CALL_ASYNC | COPY_DIRECT);
    uint32_t pull = peer_copy(r, B, 0, 1 << 30, CALL_ASYNC | COPY_DIRECT);
    rig_call(r, (struct call){ .kind = CALL_STREAM_CREATE, .stream = 4, .device = 0,
                               .flags = STREAM_NON_BLOCKING });
    uint32_t back = peer_copy(r, 4, 1, 1 << 30, CALL_ASYNC | COPY_DIRECT);
    synchronize(r);
    assert_int_equal(span(r, pull)->start, span(r, push)->end);
    assert_true(span(r, back)->start < span(r, push)->end);
    assert_int_equal(span(r, pull)->device, 1);     /* its stream's */
}

static void a_copy_between_devices_in_the_legacy_stream_is_a_barrier_on_both(void **state)
{
    struct rig *r = *state;
    uint32_t a = launch(r, A, 1), b = launch(r, B, 1);
    uint32_t copy = peer_copy(r, 0, 0, 4096, COPY_DIRECT);
    uint32_t c = launch(r, A, 1), d = launch(r, B, 1), e = launch(r, 1, 1);
    synchronize(r);
    assert_true(hb_before(&r->order, a, copy, GUARANTEED));
    assert_true(hb_before(&r->order, b, copy, GUARANTEED));
    assert_true(hb_before(&r->order, copy, c, GUARANTEED));
    assert_true(hb_before(&r->order, copy, d, GUARANTEED));
    assert_true(hb_before(&r->order, copy, e, GUARANTEED));
    assert_true(span(r, copy)->start >= span(r, b)->end);
    assert_true(span(r, d)->start >= span(r, copy)->end);
}

static void a_copy_between_devices_in_another_stream_is_none(void **state)
{
    struct rig *r = *state;
    uint32_t b = launch(r, B, 1), copy = peer_copy(r, A, 0, 4096, CALL_ASYNC), d = launch(r, B, 1);
    synchronize(r);
    assert_false(hb_before(&r->order, b, copy, OBSERVED));
    assert_false(hb_before(&r->order, copy, d, OBSERVED));
}

static void
an_asynchronous_copy_in_the_legacy_stream_is_a_barrier_that_nobody_promises(void **state)
{
    struct rig *r = *state;
    enum { LONER = 4 };
    rig_call(r, (struct call){ .kind = CALL_STREAM_CREATE, .stream = LONER, .device = 1,
                               .flags = STREAM_NON_BLOCKING });
    uint32_t a = launch(r, A, 1), b = launch(r, B, 1);
    uint32_t copy = peer_copy(r, 0, 0, 4096, CALL_ASYNC), c = launch(r, B, 1);
    rig_call(r, (struct call){ .kind = CALL_LAUNCH, .stream = LONER, .device = 1,
                               .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } });
    uint32_t loner = r->timeline.calls[r->timeline.call_count - 1].node;
    synchronize(r);
    assert_true(hb_before(&r->order, a, copy, GUARANTEED));
    assert_true(hb_before(&r->order, b, copy, OBSERVED));
    assert_false(hb_before(&r->order, b, copy, GUARANTEED));
    assert_true(hb_before(&r->order, copy, c, OBSERVED));
    assert_false(hb_before(&r->order, copy, c, GUARANTEED));
    assert_false(hb_before(&r->order, copy, loner, OBSERVED));
}

static void
a_plain_copy_between_the_host_and_another_device_s_memory_waits_for_that_device(void **state)
{
    struct rig *r = *state;
    for (uint32_t to_device = 0; to_device < 2; to_device++) {
        uint32_t b = launch(r, B, 1);
        size_t call = rig_call(r, (struct call){ .kind = CALL_COPY, .stream = 0, .bytes = 4096,
                                                 .dst_device = to_device, .src_device = 1 - to_device,
                                                 .dst_kind = to_device ? MEM_DEVICE : MEM_PINNED,
                                                 .src_kind = to_device ? MEM_PINNED : MEM_DEVICE });
        uint32_t copy = r->timeline.calls[call].node;
        assert_true(hb_before(&r->order, b, copy, OBSERVED));
        assert_false(hb_before(&r->order, b, copy, GUARANTEED));
    }
}

static void host_functions_of_two_devices_run_at_the_same_time(void **state)
{
    struct rig *r = *state;
    uint32_t node[3];
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t stream = i % 2 ? B : A;
        size_t call = rig_call(
            r, (struct call){ .kind = CALL_HOST_FUNC, .stream = stream, .device = stream % 2 });
        node[i] = r->timeline.calls[call].node;
    }
    synchronize(r);
    assert_true(span(r, node[1])->start < span(r, node[0])->end);
    assert_true(span(r, node[2])->start >= span(r, node[0])->end);
}

static void a_copy_between_devices_does_not_hold_the_host(void **state)
{
    struct rig *r = *state;
    int64_t before = model_now(&r->model, 0);
    peer_copy(r, 0, 0, 1 << 30, COPY_DIRECT);
    assert_int_equal(model_now(&r->model, 0) - before, r->model.card->peer_call);
}

static void a_copy_through_the_host_takes_its_caller_the_longer_the_more_there_is(void **state)
{
    struct rig *r = *state;
    const struct card *card = r->model.card;
    int64_t before = model_now(&r->model, 0);
    uint32_t copy = peer_copy(r, A, 0, 256 << 20, CALL_ASYNC);
    assert_int_equal(model_now(&r->model, 0) - before,
                     card->peer_staged_call + 256 * card->peer_staged_mib_ns);
    synchronize(r);
    assert_true(span(r, copy)->start
                < before + card->peer_staged_call);    /* it has begun meanwhile */
}

static void
copies_through_the_host_slow_each_other_down_both_ways_and_direct_ones_do_not(void **state)
{
    struct rig *r = *state;
    const struct card *card = r->model.card;
    int64_t took[2];
    for (int direct = 0; direct < 2; direct++) {
        uint32_t flags = CALL_ASYNC | (direct ? COPY_DIRECT : 0);
        uint32_t there = peer_copy(r, A, 0, 1 << 30, flags),
                 back = peer_copy(r, B, 1, 1 << 30, flags);
        synchronize(r);
        int64_t both = span(r, back)->end - span(r, there)->start;
        uint32_t alone = peer_copy(r, A, 0, 1 << 30, flags);
        synchronize(r);
        took[direct] = both * 1000 / (span(r, alone)->end - span(r, alone)->start);
    }
    assert_in_range(took[0], card->peer_staged_duplex * 9 / 10, card->peer_staged_duplex * 11 / 10);
    assert_in_range(took[1], 1000, 1010);
}

static void a_copy_on_to_a_third_device_does_not_slow_the_one_before_it(void **state)
{
    (void)state;
    static struct card three;
    static struct rig r;
    int64_t took[2];
    three = *card_find("dual");
    three.devices = 3;
    for (int on = 0; on < 2; on++) {
        rig_start_on(&r, &three, 0, 1000000);
        for (uint32_t s = 1; s <= 4; s++)
            rig_call(&r, (struct call){ .kind = CALL_STREAM_CREATE,
                                        .stream = s,
                                        .device = s < 3 ? s : s - 3,
                                        .flags = s < 3 ? STREAM_LEGACY : 0 });
        uint32_t first = peer_copy(&r, 3, 0, 1 << 30, CALL_ASYNC);
        if (on)
            rig_call(&r, (struct call){ .kind = CALL_COPY, .stream = 4, .device = 1,
                                        .bytes = 1 << 30, .flags = CALL_ASYNC,
                                        .src_kind = MEM_DEVICE, .dst_kind = MEM_DEVICE,
                                        .src_device = 1, .dst_device = 2 });
        for (uint32_t d = 0; d < 3; d++)
            rig_call(&r, (struct call){ .kind = CALL_DEVICE_SYNC, .device = d });
        took[on] = span(&r, first)->end - span(&r, first)->start;
        rig_finish(&r);
    }
    assert_int_equal(took[0], took[1]);
}

static void what_waits_for_another_device_starts_later(void **state)
{
    struct rig *r = *state;
    uint32_t a = launch(r, A, 1);
    rig_record(r, A);
    rig_call(r, (struct call){ .kind = CALL_STREAM_CREATE, .stream = 4, .device = 0,
                               .flags = STREAM_NON_BLOCKING });
    rig_call(r, (struct call){ .kind = CALL_STREAM_WAIT, .stream = B, .device = 1, .event = 0 });
    rig_call(r, (struct call){ .kind = CALL_STREAM_WAIT, .stream = 4, .device = 0, .event = 0 });
    uint32_t far = launch(r, B, 1);
    size_t call = rig_call(
        r, (struct call){
               .kind = CALL_LAUNCH, .stream = 4, .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } });
    uint32_t near = r->timeline.calls[call].node;
    synchronize(r);
    assert_true(span(r, near)->start >= span(r, a)->end);
    assert_int_equal(span(r, far)->start - span(r, near)->start, r->model.card->peer_depend_ns);
}

static void memory_of_a_pool_costs_its_caller_when_the_pool_grows_the_first_time_most(void **state)
{
    struct rig *r = *state;
    const struct card *card = r->model.card;
    const int64_t on_top[] = { card->pool_first, card->pool_grow, 0 };
    for (int i = 0; i < 3; i++) {
        int64_t before = model_now(&r->model, 0);
        rig_call(r, (struct call){ .kind = CALL_MALLOC, .stream = A,
                                   .flags = CALL_ASYNC | (on_top[i] ? POOL_GROWS : 0),
                                   .dst_kind = MEM_DEVICE, .dst = 4096, .bytes = 4096 });
        assert_int_equal(model_now(&r->model, 0) - before, card->pool_call + on_top[i]);
    }
}

static void each_device_runs_as_many_grids_as_the_card_can(void **state)
{
    struct rig *r = *state;
    enum { MANY = 160 };
    uint32_t node[2][MANY];
    r->cost = 10000000;
    for (uint32_t i = 0; i < 2 * MANY; i++) {
        uint32_t device = i % 2, stream = 4 + i;
        rig_call(r, (struct call){ .kind = CALL_STREAM_CREATE, .stream = stream, .device = device,
                                   .flags = STREAM_NON_BLOCKING });
        node[device][i / 2] = launch(r, stream, 1);
    }
    synchronize(r);
    for (uint32_t device = 0; device < 2; device++) {
        const struct span *first = span(r, node[device][0]),
                          *last = span(r, node[device][r->model.card->concurrent_grids - 1]);
        assert_true(last->start < first->end);
        assert_true(span(r, node[device][MANY - 1])->start >= first->end);
    }
}

static void a_log_of_two_devices_can_be_replayed_on_a_card_that_is_alone(void **state)
{
    struct rig *r = *state;
    struct timeline again;
    struct happens_before order;
    launch(r, B, 1);
    uint32_t copy = peer_copy(r, 0, 1, 1 << 20, COPY_DIRECT);
    synchronize(r);
    timeline_init(&again);
    hb_init(&order);
    model_replay(&r->timeline, card_find("c1060"), &again, &order);
    assert_true(again.spans[copy].end > again.spans[copy].start);
    assert_int_not_equal(again.spans[copy].end, TIME_NEVER);
    timeline_fini(&again);
    hb_fini(&order);
}

static void kernels_are_loaded_on_each_device(void **state)
{
    struct rig *r = *state;
    const struct card *card = r->model.card;
    for (uint32_t device = 0; device < 2; device++) {
        size_t call = rig_call(r, (struct call){ .kind = CALL_LAUNCH, .stream = device,
                                                 .device = device, .flags = LAUNCH_LOADS,
                                                 .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } });
        const struct call *c = &r->timeline.calls[call];
        assert_int_equal(c->end - c->begin, card->call_launch + card->load_first);
    }
}

static void a_log_of_two_devices_replays_to_the_same_timeline(void **state)
{
    struct rig *r = *state;
    struct timeline again;
    struct happens_before order;
    launch(r, A, 264);
    launch(r, B, 264);
    peer_copy(r, 0, 0, 4096, COPY_DIRECT);
    peer_copy(r, B, 1, 1 << 20, CALL_ASYNC);
    launch(r, 1, 10);
    synchronize(r);
    timeline_init(&again);
    hb_init(&order);
    struct timeline log;                /* what the rig's kernels cost, a program's log would say */
    timeline_init(&log);
    for (size_t i = 0; i < r->timeline.call_count; i++) {
        timeline_add_call(&log, &r->timeline.calls[i]);
        if (r->timeline.calls[i].kind == CALL_LAUNCH)
            timeline_add_call(&log, &(struct call){ .kind = CALL_COST,
                                                    .node = r->timeline.calls[i].node,
                                                    .cost = 1000000 });
    }
    model_replay(&log, card_find("dual"), &again, &order);
    assert_int_equal(again.span_count, r->timeline.span_count);
    for (size_t i = 0; i < again.span_count; i++) {
        assert_int_equal(again.spans[i].start, r->timeline.spans[i].start);
        assert_int_equal(again.spans[i].end, r->timeline.spans[i].end);
        assert_int_equal(again.spans[i].device, r->timeline.spans[i].device);
        assert_int_equal(again.spans[i].engine, r->timeline.spans[i].engine);
    }
    timeline_fini(&log);
    timeline_fini(&again);
    hb_fini(&order);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, on_two, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_device_has_its_own_multiprocessors),
        TEST(each_device_has_its_own_copy_engines),
        TEST(synchronizing_a_device_waits_for_that_one_alone),
        TEST(legacy_streams_of_two_devices_do_not_wait_for_each_other),
        TEST(an_event_of_one_device_holds_a_stream_of_the_other),
        TEST(copies_between_devices_take_the_card_s_time_directly_or_through_the_host),
        TEST(copies_between_devices_go_one_at_a_time_each_way),
        TEST(a_copy_between_devices_in_the_legacy_stream_is_a_barrier_on_both),
        TEST(a_copy_between_devices_in_another_stream_is_none),
        TEST(an_asynchronous_copy_in_the_legacy_stream_is_a_barrier_that_nobody_promises),
        TEST(a_plain_copy_between_the_host_and_another_device_s_memory_waits_for_that_device),
        TEST(host_functions_of_two_devices_run_at_the_same_time),
        TEST(a_copy_between_devices_does_not_hold_the_host),
        TEST(a_copy_through_the_host_takes_its_caller_the_longer_the_more_there_is),
        TEST(copies_through_the_host_slow_each_other_down_both_ways_and_direct_ones_do_not),
        TEST(a_copy_on_to_a_third_device_does_not_slow_the_one_before_it),
        TEST(what_waits_for_another_device_starts_later),
        TEST(memory_of_a_pool_costs_its_caller_when_the_pool_grows_the_first_time_most),
        TEST(each_device_runs_as_many_grids_as_the_card_can),
        TEST(a_log_of_two_devices_can_be_replayed_on_a_card_that_is_alone),
        TEST(kernels_are_loaded_on_each_device),
        TEST(a_log_of_two_devices_replays_to_the_same_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
