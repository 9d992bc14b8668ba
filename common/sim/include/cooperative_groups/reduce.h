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
    return __group.__fold(__value, __combine, (unsigned)__group.size() - 1, __file, __line);
}

}

#endif
