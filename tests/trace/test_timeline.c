/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/record/timeline.h"

static struct timeline t;

static int set_up(void **state)
{
    (void)state;
    timeline_init(&t);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    timeline_fini(&t);
    return 0;
}

static void a_string_has_one_number_however_often_it_comes(void **state)
{
    (void)state;
    uint32_t a = timeline_intern(&t, "scale", 5);
    for (int i = 0; i < 5000; i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "kernel %d", i);
        uint32_t number = timeline_intern(&t, name, (size_t)length);
        assert_int_equal(timeline_intern(&t, name, (size_t)length), number);
        assert_string_equal(timeline_string(&t, number), name);
    }
    assert_int_equal(timeline_intern(&t, "scale and more", 5), a);
    assert_int_equal(t.string_count, 5002);
}

static void number_0_is_the_empty_string_and_unknown_numbers_are_too(void **state)
{
    (void)state;
    assert_string_equal(timeline_string(&t, 0), "");
    assert_string_equal(timeline_string(&t, 4000000000u), "");
    assert_int_not_equal(timeline_intern(&t, "a", 1), 0);
    assert_int_equal(timeline_intern(&t, "", 0), 0);
    assert_int_equal(timeline_intern(&t, "\0hidden", 7), 0);
}

static void a_stream_is_made_by_the_first_call_that_says_so(void **state)
{
    (void)state;
    timeline_add_call(&t, &(struct call){ .kind = CALL_LAUNCH, .stream = 1, .flags = 1 });
    timeline_add_call(&t, &(struct call){ .kind = CALL_STREAM_CREATE, .flags = STREAM_LEGACY });
    assert_null(timeline_stream_made(&t, 1));
    assert_int_equal(timeline_stream_flags(&t, 1), 0);
    timeline_add_call(&t, &(struct call){ .kind = CALL_STREAM_CREATE, .stream = 1,
                                          .flags = STREAM_NON_BLOCKING });
    timeline_add_call(&t, &(struct call){ .kind = CALL_STREAM_CREATE, .stream = 1, .status = 2 });
    assert_ptr_equal(timeline_stream_made(&t, 1), &t.calls[2]);
    assert_int_equal(timeline_stream_flags(&t, 1), STREAM_NON_BLOCKING);
    assert_int_equal(timeline_stream_flags(&t, 0), STREAM_LEGACY);
}

static void every_kind_has_a_name(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < CALL_KINDS; kind++)
        assert_string_not_equal(call_kind_name(kind), "unknown");
    for (uint32_t engine = 0; engine < ENGINE_KINDS; engine++)
        assert_string_not_equal(engine_name(engine), "unknown");
    assert_string_equal(call_kind_name(CALL_KINDS), "unknown");
    assert_string_equal(engine_name(ENGINE_KINDS), "unknown");
    assert_string_equal(memory_kind_name(MEM_MANAGED), "managed");
    assert_string_equal(memory_kind_name(99), "unknown");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_string_has_one_number_however_often_it_comes),
        TEST(number_0_is_the_empty_string_and_unknown_numbers_are_too),
        TEST(a_stream_is_made_by_the_first_call_that_says_so),
        TEST(every_kind_has_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
