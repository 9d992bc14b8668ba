/* SPDX-License-Identifier: MIT */
/* Copies, memsets and managed pages: engines, the host's part, caches. */
#include "h200_rig.h"

#include <string.h>

static void copies_both_ways_slow_each_other_down_and_one_way_they_queue(void **state)
{
    (void)state;
    const size_t bytes = 64u << 20;
    uint32_t s = rig_stream(&r, 0, 0), t = rig_stream(&r, 0, 0);
    uint32_t alone = rig_copy(&r, s, bytes, true, true);
    rig_sync(&r);
    uint32_t in = rig_copy(&r, s, bytes, true, true), out = rig_copy(&r, t, bytes, false, true);
    rig_sync(&r);
    uint32_t first = rig_copy(&r, s, bytes, true, true),
             second = rig_copy(&r, t, bytes, true, true);
    rig_sync(&r);
    assert_true(length(in) * 100 > length(alone) * 110 && length(in) * 100 < length(alone) * 112);
    assert_true(length(out) * 100 > length(alone) * 110 && length(out) * 100 < length(alone) * 112);
    assert_true(span(second)->start >= span(first)->end);
    assert_int_equal(length(second), length(alone));
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
    uint32_t big = rig_copy(&r, a, 64u << 20, to_device, true),
             small = rig_copy(&r, b, bytes, to_device, async);
    rig_sync(&r);
    return span(small)->end < span(big)->end;
}

static void
small_asynchronous_copies_from_pinned_memory_go_through_no_engine_where_the_card_says_so(
    void **state)
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
    uint32_t big = rig_copy(&r, a, 64u << 20, true, true),
             in_b[40] = { rig_copy(&r, b, 16384, true, true) };
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
    assert_int_equal(length(least), r.model.card->inline_busy_ns
                                        + 1024 * INT64_C(1000) / r.model.card->inline_read);
    uint32_t last = 0;
    int64_t begin = model_now(&r.model, 0);
    for (int k = 0; k < 100; k++)
        last = rig_copy(&r, b, 16384, true, true);
    rig_sync(&r);
    assert_true(span(last)->end - begin > 270 * US
                && span(last)->end - begin < 340 * US);     /* 311 on the card */
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
    assert_int_equal(call_time(small),
                     card->inline_call + 24576 * INT64_C(1000) / card->inline_written);
    assert_int_equal(length(small), card->inline_ns + 24576 * INT64_C(1000) / card->inline_read);
    assert_int_equal(call_time(busy), card->call_copy);
    assert_int_equal(call_time(larger), card->call_copy);
}

static uint32_t pageable_copy(uint32_t stream, size_t bytes)
{
    size_t call = rig_call(&r, (struct call){ .kind = CALL_COPY, .flags = CALL_ASYNC,
                                              .stream = stream, .bytes = bytes,
                                              .src_kind = MEM_PAGEABLE,
                                              .dst_kind = MEM_DEVICE });
    uint32_t node = r.timeline.calls[call].node;
    rig_sync(&r);
    return node;
}

static void small_copies_from_pageable_memory_go_with_the_command(void **state)
{
    (void)state;
    const struct card *card = r.model.card;
    uint32_t s = rig_stream(&r, 0, 0), small = pageable_copy(s, 65536),
             larger = pageable_copy(s, 65540);
    assert_int_equal(length(small), card->inline_ns + 65536 * INT64_C(1000) / card->inline_read);
    assert_int_equal(length(larger), card->copy_ns + 65540 * INT64_C(1000) / card->h2d_pinned);
    assert_true(length(small) > length(larger));
}

static void they_overtake_others_behind_a_kernel_too(void **state)
{
    (void)state;
    uint32_t a = rig_stream(&r, 0, 0), b = rig_stream(&r, 0, 0);
    uint32_t big = rig_copy(&r, a, 64u << 20, true, true), kernel = rig_launch(&r, b, 1, 32),
             small = pageable_copy(b, 65536);
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

/* What the host waits for its pages, `count` times in turn with a kernel, `pause` ns between them;
 * 64 KiB. */
static void in_turn(int count, int64_t pause, int64_t *took)
{
    enum { AT = 1 << 20 };
    uint32_t s = rig_stream(&r, 0, 0);
    for (int k = 0; k < count; k++) {
        uint32_t kernel = rig_launch(&r, s, 1, 32);
        rig_call(&r, (struct call){ .kind = CALL_MIGRATE, .flags = MIGRATE_FAULT, .node = kernel,
                                    .dst = AT, .bytes = 65536,
                                    .dst_kind = MEM_DEVICE });
        rig_sync(&r);
        rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = pause });
        size_t call = rig_call(&r, (struct call){ .kind = CALL_MIGRATE, .flags = MIGRATE_FAULT,
                                                  .node = NO_NODE, .dst = AT, .bytes = 65536,
                                                  .dst_kind = MEM_PAGEABLE });
        took[k] = r.timeline.calls[call].end - r.timeline.calls[call].begin;
        rig_call(&r, (struct call){ .kind = CALL_HOST_WORK, .cost = pause });
    }
    rig_call(&r, (struct call){ .kind = CALL_FREE, .dst = AT - 65536, .bytes = 3 * 65536,
                                .dst_kind = MEM_MANAGED });
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
    uint32_t s = rig_stream(&r, 0, 0), some = pageable_copy(s, 16u << 20),
             all = pageable_copy(s, 64u << 20);
    int64_t rest = (INT64_C(48) << 20) * 1000 / r.model.card->h2d_uncached;
    assert_in_range(length(all) - length(some), rest - 2, rest + 2);
    assert_true(length(all) > 5 * length(some));
}

static uint32_t memset_of(uint32_t stream, size_t bytes)
{
    size_t call = rig_call(&r, (struct call){ .kind = CALL_SET, .flags = CALL_ASYNC,
                                              .stream = stream, .bytes = bytes,
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

static void
what_follows_a_copy_in_the_one_hardware_queue_does_not_stand_in_front_of_it(void **state)
{
    (void)state;
    rig_finish(&r);
    rig_start(&r, "c2050", 0, 100 * US);
    uint32_t a = rig_stream(&r, 0, 0), last = 0;
    rig_launch(&r, a, 1, 32);
    rig_copy(&r, a, 4096, true, true); /* it depends on the kernel: it queues among kernels */
    rig_copy(&r, a, 4, true, true);
    rig_record(&r, a);
    last = rig_copy(&r, a, 4096, true, true);
    rig_sync(&r);
    assert_int_not_equal(span(last)->end, TIME_NEVER);
}

static uint32_t prefetch_to(uint32_t stream, enum memory_kind side)
{
    size_t call = rig_call(&r, (struct call){ .kind = CALL_PREFETCH, .stream = stream,
                                              .src = 1 << 20, .bytes = 65536,
                                              .cost = COST_UNKNOWN,
                                              .src_kind = MEM_MANAGED, .dst_kind = side });
    return r.timeline.calls[call].node;
}

static uint32_t prefetch(uint32_t stream)
{
    return prefetch_to(stream, MEM_DEVICE);
}

static void a_prefetch_into_a_busy_stream_begins_late(void **state)
{
    (void)state;
    const struct card *h200 = r.model.card;
    uint32_t s = rig_stream(&r, STREAM_NON_BLOCKING, 0);
    uint32_t at_once = prefetch(s);
    rig_sync(&r);
    assert_int_equal(span(at_once)->start, span(at_once)->queued);
    uint32_t kernel = rig_launch(&r, s, 1, 32), late = prefetch(s), next = prefetch(s);
    rig_sync(&r);
    int64_t after = span(late)->start - span(kernel)->end;
    assert_true(h200->prefetch_wake > 0);
    assert_in_range(after - h200->prefetch_late - h200->prefetch_wake, 0, h200->depend_ns);
    assert_int_equal(span(next)->start - span(late)->end, h200->prefetch_late);
    kernel = rig_launch(&r, s, 1, 32);
    late = prefetch(s);
    uint32_t copy = rig_copy(&r, s, 65536, true, true), soon = prefetch(s);
    rig_sync(&r);
    assert_true(span(soon)->start - span(late)->end < h200->prefetch_awake);
    assert_in_range(span(soon)->start - span(copy)->end - h200->prefetch_late, 0, h200->depend_ns);
}

static void the_call_of_a_prefetch_into_an_idle_stream_does_its_work(void **state)
{
    (void)state;
    const struct card *h200 = r.model.card;
    uint32_t s = rig_stream(&r, STREAM_NON_BLOCKING, 0), idle = prefetch(s);
    int64_t share = 64 * h200->prefetch_call / 1024;
    assert_int_equal(call_time(idle), h200->call_copy + h200->prefetch_ns + share);
    rig_sync(&r);
    const int64_t bytes = 100 * US;             /* that move: what the rig answers to all */
    assert_in_range(length(idle), h200->copy_ns, h200->copy_ns + bytes / 40);
    rig_launch(&r, s, 1, 32);
    uint32_t busy = prefetch(s);
    assert_int_equal(call_time(busy), h200->call_copy);
    rig_sync(&r);
    share = bytes / 1024 * h200->prefetch_call / 1024;
    assert_in_range(length(busy) - length(idle) - h200->prefetch_ns - share, 0, h200->depend_ns);
}

static int64_t time_of_fault(uint32_t flags)
{
    return model_migration_time(r.model.card,
                                &(struct call){ .kind = CALL_MIGRATE, .bytes = 65536,
                                                .dst_kind = MEM_DEVICE,
                                                .flags = MIGRATE_FAULT | flags });
}

static void a_kernels_first_fault_takes_longer_and_those_that_come_together_less(void **state)
{
    (void)state;
    const struct card *h200 = r.model.card;
    assert_int_equal(time_of_fault(MIGRATE_FIRST) - time_of_fault(0), h200->fault_first);
    assert_int_equal(time_of_fault(0) - time_of_fault(MIGRATE_TOGETHER),
                     h200->fault_device - h200->fault_more);
    rig_finish(&r);
    rig_start(&r, "rtx3090", 0, 100 * US);      /* not measured there */
    assert_int_equal(time_of_fault(MIGRATE_FIRST), time_of_fault(MIGRATE_TOGETHER));
}

static void a_prefetch_home_from_an_idle_stream_holds_up_its_caller(void **state)
{
    (void)state;
    const struct card *h200 = r.model.card;
    uint32_t s = rig_stream(&r, STREAM_NON_BLOCKING, 0), idle = prefetch_to(s, MEM_PAGEABLE);
    int64_t moves = 65536 * INT64_C(1000) / h200->prefetch_d2h;
    assert_in_range(call_time(idle) - h200->call_copy - h200->prefetch_home, moves, moves + 1);
    rig_sync(&r);
    rig_launch(&r, s, 1, 32);
    uint32_t busy = prefetch_to(s, MEM_PAGEABLE);
    assert_int_equal(call_time(busy), h200->call_copy + h200->prefetch_home);
    rig_sync(&r);
    assert_in_range(length(busy) - length(idle), h200->prefetch_ns,
                    h200->prefetch_ns + h200->depend_ns);
    rig_finish(&r);
    rig_start(&r, "rtx3090", 0, 100 * US);      /* not measured there */
    idle = prefetch_to(rig_stream(&r, STREAM_NON_BLOCKING, 0), MEM_PAGEABLE);
    assert_int_equal(call_time(idle), r.model.card->call_copy);
}

static struct card quick;

/* An H200 whose card has quick_depend_ns and the keys that belong to it. */
static void begin_quick(void)
{
    quick = *r.model.card;
    quick.quick_depend_ns = 2450;
    quick.set_ns = 400;
    quick.call_d2d = 1000;
    rig_finish(&r);
    rig_start_on(&r, &quick, 0, 100 * US);
}

static void copies_each_way_wait_less_for_each_other_than_for_a_kernel(void **state)
{
    (void)state;
    begin_quick();
    uint32_t s = rig_stream(&r, 0, 0), kernel = rig_launch(&r, s, 1, 32),
             down = rig_copy(&r, s, 4, false, true), small = rig_copy(&r, s, 4, true, true),
             again = rig_copy(&r, s, 4, false, true);
    rig_sync(&r);
    assert_int_equal(span(down)->start, span(kernel)->end);
    assert_in_range(length(down), quick.depend_ns + quick.copy_back_ns,
                    quick.depend_ns + quick.copy_back_ns + 1);
    assert_int_equal(span(small)->start, span(down)->end + quick.quick_depend_ns);
    assert_in_range(length(again), quick.quick_depend_ns + quick.copy_back_ns,
                    quick.quick_depend_ns + quick.copy_back_ns + 1);
}

static void a_memset_or_copy_inside_takes_longer_than_a_kernel(void **state)
{
    (void)state;
    begin_quick();
    uint32_t larger = memset_of(rig_stream(&r, 0, 0), 65536);
    size_t inside = rig_call(&r, (struct call){ .kind = CALL_COPY, .flags = CALL_ASYNC,
                                                .stream = 1, .bytes = 4, .src_kind = MEM_DEVICE,
                                                .dst_kind = MEM_DEVICE });
    rig_sync(&r);
    int64_t least = quick.kernel_ns + quick.set_ns;
    assert_in_range(length(larger), least, least + 20);
    assert_in_range(length(r.timeline.calls[inside].node), least, least + 1);
    assert_int_equal(call_time(r.timeline.calls[inside].node), quick.call_launch + quick.call_d2d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(copies_both_ways_slow_each_other_down_and_one_way_they_queue),
        TEST(copies_of_one_stream_go_before_what_was_issued_later_in_another),
        TEST(small_asynchronous_copies_from_pinned_memory_go_through_no_engine_where_the_card_says_so),
        TEST(they_keep_to_their_stream_and_take_no_time_from_the_engine),
        TEST(copies_into_a_stream_that_is_busy_go_through_the_engine_but_the_smallest),
        TEST(the_host_writes_what_goes_with_the_command_in_the_call),
        TEST(small_copies_from_pageable_memory_go_with_the_command),
        TEST(they_overtake_others_behind_a_kernel_too),
        TEST(what_a_queue_has_written_once_is_written_faster_again),
        TEST(pages_that_go_to_and_fro_make_the_host_wait_in_every_third_round),
        TEST(a_prefetch_into_a_busy_stream_begins_late),
        TEST(the_call_of_a_prefetch_into_an_idle_stream_does_its_work),
        TEST(a_prefetch_home_from_an_idle_stream_holds_up_its_caller),
        TEST(a_kernels_first_fault_takes_longer_and_those_that_come_together_less),
        TEST(not_where_each_side_keeps_them_for_a_while_nor_where_the_memory_is_new),
        TEST(what_the_hosts_caches_hold_is_copied_faster_than_the_rest),
        TEST(a_small_memset_is_no_kernel),
        TEST(what_follows_a_copy_in_the_one_hardware_queue_does_not_stand_in_front_of_it),
        TEST(copies_each_way_wait_less_for_each_other_than_for_a_kernel),
        TEST(a_memset_or_copy_inside_takes_longer_than_a_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
