/* SPDX-License-Identifier: MIT */
#include <alloca.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sim/host/counters.h"

enum { DEPTHS = 40 };

#define APART __attribute__((noinline))

/* As a call of the runtime's asks who called the function that it stands in. */
static APART uint64_t asked(void)
{
    uint64_t counter = counter_of_caller(__builtin_return_address(0), __builtin_dwarf_cfa());
    __asm__ volatile("" ::: "memory");  /* no jump: it returns to here */
    return counter;
}

static void use(void *room)
{
    __asm__ volatile("" : : "r"(room) : "memory");
}

static uint64_t counter_of(void *returns_to)
{
    return (uintptr_t)returns_to - 1;
}

static APART void fixed_frame(size_t room)
{
    char own[200];
    use(own);
    assert_int_equal(asked(), counter_of(__builtin_return_address(0)));
    use(&room);
}

static APART void growing_frame(size_t room)
{
    use(alloca(room));
    assert_int_equal(asked(), counter_of(__builtin_return_address(0)));
    use(&room);
}

static APART void aligned_frame(size_t room)
{
    _Alignas(256) char own[100];
    use(own);
    assert_int_equal(asked(), counter_of(__builtin_return_address(0)));
    use(&room);
}

static APART void aligned_growing_frame(size_t room)
{
    _Alignas(256) char own[100];
    use(own);
    use(alloca(room));
    assert_int_equal(asked(), counter_of(__builtin_return_address(0)));
    use(&room);
}

/* From each of two places, with frames before it that have another size each time. */
static APART void call_at_depths(void (*function)(size_t room))
{
    for (size_t depth = 1; depth <= DEPTHS; depth++) {
        use(alloca(depth * 24));
        function(depth * 40);
        use(&depth);
        function(8);
    }
}

static void a_caller_is_found_again_whatever_its_frame(void **state)
{
    (void)state;
    void (*const kinds[])(size_t) = { fixed_frame, growing_frame, aligned_frame,
                                      aligned_growing_frame };
    for (size_t again = 0; again < 3; again++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            call_at_depths(kinds[k]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_caller_is_found_again_whatever_its_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
