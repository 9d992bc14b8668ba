/* SPDX-License-Identifier: MIT */
/* reduce.h - cg::reduce over a tile or over coalesced threads. */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H_
#define _COOPERATIVE_GROUPS_REDUCE_H_

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <typename __T> struct plus { __T operator()(__T __a, __T __b) const { return __a + __b; } };
template <typename __T> struct less { __T operator()(__T __a, __T __b) const { return __b < __a ? __b : __a; } };
template <typename __T> struct greater { __T operator()(__T __a, __T __b) const { return __a < __b ? __b : __a; } };
template <typename __T> struct bit_and { __T operator()(__T __a, __T __b) const { return __a & __b; } };
template <typename __T> struct bit_or { __T operator()(__T __a, __T __b) const { return __a | __b; } };
template <typename __T> struct bit_xor { __T operator()(__T __a, __T __b) const { return __a ^ __b; } };

/* Every thread gets the result. */
template <typename __Group, typename __T, typename __F>
static inline __T reduce(const __Group &__group, __T __value, __F __combine, SIM_HERE)
{
    return __group.__fold_all(__value, __combine, __file, __line);
}

/* What the group has reduced becomes one change, or one store, of a variable that others may change as well. */
template <typename __Group, typename __A, typename __T, typename __F>
static inline void reduce_update_async(const __Group &__group, __A &__at, __T __value, __F __combine, SIM_HERE)
{
    const __T __all = reduce(__group, __value, __combine, __file, __line);
    if (__group.thread_rank() > 0)
        return;
    auto __now = __at.load();
    while (!__at.compare_exchange_weak(__now, __combine(__now, __all)))
        ;
}

template <typename __Group, typename __T, typename __F>
static inline void reduce_store_async(const __Group &__group, __T *__at, __T __value, __F __combine, SIM_HERE)
{
    const __T __all = reduce(__group, __value, __combine, __file, __line);
    if (__group.thread_rank() == 0)
        *__at = __all;
}

template <typename __Group, typename __A, typename __T, typename __F>
static inline void reduce_store_async(const __Group &__group, __A &__at, __T __value, __F __combine, SIM_HERE)
{
    const __T __all = reduce(__group, __value, __combine, __file, __line);
    if (__group.thread_rank() == 0)
        __at.store(__all);
}

}

#endif
