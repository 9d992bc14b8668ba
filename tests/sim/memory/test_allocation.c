/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/memory/allocation.h"

static void kinds_can_be_told_apart(void **state)
{
    (void)state;
    char own[10];
    char *d = allocation_make(MEM_DEVICE, 100, 0), *p = allocation_make(MEM_PINNED, 100, 0),
         *m = allocation_make(MEM_MANAGED, 100, 0);
    assert_int_equal(memory_kind_of(d, 100), MEM_DEVICE);
    assert_int_equal(memory_kind_of(p + 99, 1), MEM_PINNED);
    assert_int_equal(memory_kind_of(m, 1), MEM_MANAGED);
    assert_int_equal(memory_kind_of(own, 10), MEM_PAGEABLE);
    assert_int_equal(memory_kind_of(NULL, 1), MEM_NONE);
    allocation_drop(d);
    allocation_drop(p);
    allocation_drop(m);
}

static void what_reaches_past_an_allocation_is_no_memory(void **state)
{
    (void)state;
    char *d = allocation_make(MEM_DEVICE, 100, 0);
    assert_int_equal(memory_kind_of(d, 101), MEM_NONE);
    assert_int_equal(memory_kind_of(d + 100, 1), MEM_NONE);
    allocation_drop(d);
    assert_int_equal(memory_kind_of(d, 1), MEM_NONE);
}

static void fresh_memory_can_be_written_and_is_zero(void **state)
{
    (void)state;
    char *d = allocation_make(MEM_DEVICE, 5000, 0);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(d[i], 0);
    memset(d, 1, 5000);
    allocation_drop(d);
}

static void the_lowest_gap_that_fits_is_taken_again(void **state)
{
    (void)state;
    char *a = allocation_make(MEM_DEVICE, 100, 0), *b = allocation_make(MEM_DEVICE, 100000, 0),
         *c = allocation_make(MEM_DEVICE, 100, 0);
    assert_true(a < b && b < c);
    allocation_drop(b);
    char *big = allocation_make(MEM_DEVICE, 200000, 0),
         *small = allocation_make(MEM_DEVICE, 100, 0);
    assert_true(big > c);
    assert_ptr_equal(small, b);
    allocation_drop(a);
    char *first = allocation_make(MEM_DEVICE, 1, 0);
    assert_ptr_equal(first, a);
    allocation_drop(c);
    allocation_drop(big);
    allocation_drop(small);
    allocation_drop(first);
}

static void allocations_have_a_page_between_them(void **state)
{
    (void)state;
    char *a = allocation_make(MEM_PINNED, 4096, 0), *b = allocation_make(MEM_PINNED, 4096, 0);
    assert_true(b - a >= 2 * 4096);
    allocation_drop(a);
    allocation_drop(b);
}

static void so_much_is_more_than_there_is(void **state)
{
    (void)state;
    assert_null(allocation_make(MEM_DEVICE, SIZE_MAX / 2, 0));
    assert_null(allocation_make(MEM_DEVICE, SIZE_MAX, 0));
}

static void totals_count_one_kind(void **state)
{
    (void)state;
    char *a = allocation_make(MEM_DEVICE, 4097, 0), *b = allocation_make(MEM_PINNED, 1, 0);
    assert_int_equal(allocation_total(MEM_DEVICE, 0), 8192);
    assert_int_equal(allocation_total(MEM_PINNED, 0), 4096);
    allocation_drop(a);
    assert_int_equal(allocation_total(MEM_DEVICE, 0), 0);
    allocation_drop(b);
}

static void registered_memory_is_pinned_and_no_part_of_it_twice(void **state)
{
    (void)state;
    static char own[300];
    assert_true(allocation_register(own + 100, 100, 0));
    assert_int_equal(memory_kind_of(own + 100, 100), MEM_PINNED);
    assert_int_equal(memory_kind_of(own + 99, 1), MEM_PAGEABLE);
    assert_int_equal(memory_kind_of(own + 100, 101), MEM_PAGEABLE);
    assert_false(allocation_register(own + 199, 1, 0));
    assert_false(allocation_register(own, 101, 0));
    assert_false(allocation_register(own, 300, 0));
    assert_true(allocation_register(own + 200, 100, 0));
    assert_true(allocation_register(own, 100, 0));
    allocation_drop(own + 100);
    assert_int_equal(memory_kind_of(own + 100, 1), MEM_PAGEABLE);
    own[150] = 1;               /* it is still there */
    allocation_drop(own);
    allocation_drop(own + 200);
}

static void what_an_address_lies_in_is_found(void **state)
{
    (void)state;
    char *a = allocation_make(MEM_DEVICE, 100, 0);
    assert_int_equal(allocation_find(a + 50)->at, (uintptr_t)a);
    assert_null(allocation_find(a + 100));
    assert_null(allocation_find(a - 1));
    assert_int_equal(allocation_first()->at, (uintptr_t)a);
    allocation_drop(a);
    assert_null(allocation_first());
}

static void memory_of_two_devices_is_counted_apart(void **state)
{
    (void)state;
    char *zero = allocation_make(MEM_DEVICE, 4096, 0), *one = allocation_make(MEM_DEVICE, 8192, 1);
    assert_int_equal(allocation_total(MEM_DEVICE, 0), 4096);
    assert_int_equal(allocation_total(MEM_DEVICE, 1), 8192);
    assert_int_equal(allocation_find(one + 5000)->device, 1);
    assert_ptr_equal(allocation_after(allocation_find(zero)), allocation_find(one));
    assert_null(allocation_after(allocation_find(one)));
    allocation_drop(zero);
    allocation_drop(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_can_be_told_apart),
        cmocka_unit_test(what_reaches_past_an_allocation_is_no_memory),
        cmocka_unit_test(fresh_memory_can_be_written_and_is_zero),
        cmocka_unit_test(the_lowest_gap_that_fits_is_taken_again),
        cmocka_unit_test(allocations_have_a_page_between_them),
        cmocka_unit_test(so_much_is_more_than_there_is),
        cmocka_unit_test(totals_count_one_kind),
        cmocka_unit_test(registered_memory_is_pinned_and_no_part_of_it_twice),
        cmocka_unit_test(what_an_address_lies_in_is_found),
        cmocka_unit_test(memory_of_two_devices_is_counted_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
