/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "model/model.h"
#include "trace/order/hazard_calls.h"

/* ---- a program's calls, on the model ---- */

enum { DEFAULT, FIRST, SECOND };
static const uint64_t device = 0x1000, pinned = 0x100000, pageable = 0x200000;

static struct timeline timeline;
static struct happens_before order;
static struct model model;
static struct hazard_meeting met[20];
static size_t met_count;

static void meet(void *context, const struct hazard_meeting *m)
{
    (void)context;
    assert_in_range(met_count, 0, 19);
    met[met_count++] = *m;
}

static uint32_t call(struct call c)
{
    c.line = 10 + (uint32_t)timeline.call_count;
    return (uint32_t)model_call(&model, &c);
}

static int set_up(void **state)
{
    (void)state;
    timeline_init(&timeline);
    hb_init(&order);
    model_init(&model, card_find("h200"), 0, &timeline, &order,
               &(struct model_hooks){ .start = NULL });
    met_count = 0;
    for (uint32_t i = 0; i < 3; i++)
        call((struct call){
            .kind = CALL_STREAM_CREATE, .stream = i, .flags = i == DEFAULT ? STREAM_LEGACY : 0 });
    call((struct call){ .kind = CALL_MALLOC, .dst = device, .bytes = 0x8000, .dst_kind = MEM_DEVICE,
                        .name = timeline_intern(&timeline, "cudaMalloc", 10) });
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    model_fini(&model);
    hb_fini(&order);
    timeline_fini(&timeline);
    return 0;
}

static void search(void)
{
    hazards_of_calls(&(struct hazard_scene){ .timeline = &timeline,
                                             .order = &order,
                                             .calls = timeline.call_count },
                     meet, NULL);
}

static uint32_t set(uint32_t stream, uint64_t dst, uint64_t bytes)
{
    return call((struct call){ .kind = CALL_SET, .stream = stream, .dst = dst, .bytes = bytes,
                               .dst_kind = MEM_DEVICE, .flags = CALL_ASYNC });
}

static uint32_t copy_in(uint32_t stream, uint64_t src, enum memory_kind kind, uint64_t bytes)
{
    return call((struct call){ .kind = CALL_COPY, .stream = stream, .dst = device, .src = src,
                               .bytes = bytes, .dst_kind = MEM_DEVICE, .src_kind = kind,
                               .flags = CALL_ASYNC });
}

/* ---- what is found ---- */

static void two_streams_are_told_with_both_calls_and_the_bytes(void **state)
{
    (void)state;
    uint32_t a = copy_in(FIRST, pinned, MEM_PINNED, 64), b = set(SECOND, device + 60, 64);
    search();
    assert_int_equal(met_count, 1);
    assert_int_equal(met[0].call[0], a);
    assert_int_equal(met[0].call[1], b);
    assert_int_equal(met[0].from, device + 60);
    assert_int_equal(met[0].to, device + 64);
}

static void order_makes_them_none(void **state)
{
    (void)state;
    set(FIRST, device, 64);
    call((struct call){ .kind = CALL_STREAM_SYNC, .stream = FIRST });
    set(SECOND, device, 64);
    set(DEFAULT, device, 64);
    set(FIRST, device, 32);
    set(SECOND, device + 32, 32);
    search();
    assert_int_equal(met_count, 0);
}

static void rows_are_looked_at_one_by_one(void **state)
{
    (void)state;
    struct call left = { .kind = CALL_SET, .stream = FIRST, .dst = device, .bytes = 30 * 50,
                         .dst_kind = MEM_DEVICE, .rows = 30, .dst_pitch = 100 },
                right = left;
    right.stream = SECOND;
    right.dst += 50;
    call(left);
    call(right);
    search();
    assert_int_equal(met_count, 0);
    right.dst -= 1;
    right.stream = DEFAULT;
    call(right);
    search();
    assert_int_equal(met_count, 0);     /* the default stream orders it */
    right.stream = FIRST;
    call(right);
    right.stream = SECOND;
    call(right);
    search();
    assert_int_equal(met_count, 1);
    assert_int_equal(met[0].from, device + 49);
    assert_int_equal(met[0].to, device + 49 + 29 * 100 + 50);
}

static void slices_may_lie_further_apart_than_their_rows(void **state)
{
    (void)state;
    struct call box = { .kind = CALL_SET, .stream = FIRST, .dst = device, .bytes = 6 * 50,
                        .dst_kind = MEM_DEVICE },
                beside = box;
    call_set_rows(&box, 6, 100, 0);
    call_set_slices(&box, 2, 5, 2);         /* rows 0, 1, 5, 6, 10 and 11 */
    beside.stream = SECOND;
    beside.dst += 2 * 100;
    beside.bytes = 3 * 100;
    call(box);
    call(beside);
    search();
    assert_int_equal(met_count, 0);
    beside.dst += 3 * 100 + 49;
    beside.bytes = 1;
    call(beside);
    search();
    assert_int_equal(met_count, 1);
    assert_int_equal(met[0].from, device + 549);
}

static void memory_that_is_given_back_while_it_is_in_use_is_one(void **state)
{
    (void)state;
    set(FIRST, device, 64);
    uint32_t gone = call(
        (struct call){ .kind = CALL_FREE, .dst = device, .bytes = 0x8000, .dst_kind = MEM_DEVICE });
    search();
    assert_int_equal(met_count, 1);
    assert_int_equal(met[0].call[1], gone);
    assert_int_equal(met[0].side[1].node, NO_NODE);
    assert_string_equal(met[0].side[1].verb, "gives them back");
}

static void memory_that_comes_again_has_no_past(void **state)
{
    (void)state;
    set(FIRST, device, 64);
    call((struct call){ .kind = CALL_DEVICE_SYNC });
    call(
        (struct call){ .kind = CALL_FREE, .dst = device, .bytes = 0x8000, .dst_kind = MEM_DEVICE });
    call((struct call){
        .kind = CALL_MALLOC, .dst = device, .bytes = 0x8000, .dst_kind = MEM_DEVICE });
    set(SECOND, device, 64);
    search();
    assert_int_equal(met_count, 0);
}

static void of_the_pool(enum call_kind kind, uint32_t stream)
{
    call((struct call){ .kind = kind, .stream = stream, .dst = device + 0x8000, .bytes = 64,
                        .dst_kind = MEM_DEVICE, .flags = CALL_ASYNC });
}

/* A card's pool lends what another stream has freed when it sees that the free is done, whatever
 * the program's order says. What meets the free itself is told. */
static void the_pool_knows_when_it_may_lend_again(void **state)
{
    (void)state;
    of_the_pool(CALL_MALLOC, FIRST);
    set(FIRST, device + 0x8000, 64);
    of_the_pool(CALL_FREE, FIRST);
    of_the_pool(CALL_MALLOC, SECOND);
    set(SECOND, device + 0x8000, 64);
    search();
    assert_int_equal(met_count, 0);
    uint32_t late = set(FIRST, device + 0x8000, 32);
    of_the_pool(CALL_FREE, SECOND);
    search();
    assert_int_equal(met_count, 2); /* with the set in SECOND, and with the free */
    assert_int_equal(met[0].call[1], late);
}

static void a_small_copy_from_pageable_memory_takes_its_source_with_it(void **state)
{
    (void)state;
    copy_in(FIRST, pageable, MEM_PAGEABLE, SURELY_STAGED);
    call((struct call){ .kind = CALL_UNREGISTER, .dst = pageable, .bytes = 0x20000 });
    search();
    assert_int_equal(met_count, 0);
    copy_in(FIRST, pageable, MEM_PAGEABLE, SURELY_STAGED + 1);
    call((struct call){ .kind = CALL_UNREGISTER, .dst = pageable, .bytes = 0x20000 });
    search();
    assert_int_equal(met_count, 1);
}

static void a_log_with_endless_rows_is_not_believed(void **state)
{
    (void)state;
    call((struct call){ .kind = CALL_SET, .stream = FIRST, .dst = device, .bytes = UINT64_MAX,
                        .rows = UINT32_MAX, .dst_kind = MEM_DEVICE, .dst_pitch = UINT64_MAX / 3 });
    set(FIRST, device, 64);
    set(SECOND, device, 64);
    search();
    assert_int_equal(met_count, 0);
}

/* ---- what is said of it ---- */

static void the_message_has_a_first_half_and_a_cure(void **state)
{
    (void)state;
    copy_in(FIRST, pinned, MEM_PINNED, 64);
    set(SECOND, device, 64);
    search();
    struct hazard_line l = { .used = 0 };
    struct hazard_scene scene = { .timeline = &timeline,
                                  .order = &order,
                                  .calls = timeline.call_count };
    hazard_describe(&l, &scene, met[0].from, met[0].to, met[0].side);
    assert_non_null(
        strstr(l.text, " writes bytes 0 to 63 of the 32768 of cudaMalloc in line 13, and :"));
    assert_ptr_equal(hazard_cure(l.text), strstr(l.text, "no event, no wait of the host"));
    assert_string_equal(hazard_cure("nothing"), "");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(two_streams_are_told_with_both_calls_and_the_bytes),
        TEST(order_makes_them_none),
        TEST(rows_are_looked_at_one_by_one),
        TEST(slices_may_lie_further_apart_than_their_rows),
        TEST(memory_that_is_given_back_while_it_is_in_use_is_one),
        TEST(memory_that_comes_again_has_no_past),
        TEST(the_pool_knows_when_it_may_lend_again),
        TEST(a_small_copy_from_pageable_memory_takes_its_source_with_it),
        TEST(a_log_with_endless_rows_is_not_believed),
        TEST(the_message_has_a_first_half_and_a_cure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
