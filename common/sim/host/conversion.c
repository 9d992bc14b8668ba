/* SPDX-License-Identifier: MIT */
/*
 * What g++'s check of conversions calls, -fsanitize=float-cast-overflow, where a floating-point number becomes an integer that
 * has no room for it. Conversions that the program writes do as a GPU does (simcc/rewrite/arithmetic.c), and never come here.
 */
#include "sim/host/conversion.h"

#include <stddef.h>

#include "sim/sim.h"
#include "sim/visible.h"

static const void *without_room;

const void *conversion_without_room(void)
{
    return __atomic_exchange_n(&without_room, NULL, __ATOMIC_RELAXED);
}

VISIBLE void __ubsan_handle_float_cast_overflow(void *where, uintptr_t value)
{
    (void)where, (void)value;
    const void *none = NULL, *here = __builtin_return_address(0);
    if (sim.kernel_now != NO_NODE)
        __atomic_compare_exchange_n(&without_room, &none, here, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
