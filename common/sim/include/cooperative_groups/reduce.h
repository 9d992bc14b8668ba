/* SPDX-License-Identifier: MIT */
/* reduce.h - cg::reduce over a tile or over coalesced threads. */
#ifndef _COOPERATIVE_GROUPS_REDUCE_H_
#define _COOPERATIVE_GROUPS_REDUCE_H_

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <typename T> struct plus { T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { T operator()(T a, T b) const { return a | b; } };
template <typename T> struct bit_xor { T operator()(T a, T b) const { return a ^ b; } };

/* Every thread gets the result. */
template <typename Group, typename T, typename F>
static inline T reduce(const Group &group, T value, F combine, SIM_HERE)
{
    T result = group.shfl(value, 0, file, line);
    for (unsigned rank = 1; rank < group.size(); rank++)
        result = combine(result, group.shfl(value, (int)rank, file, line));
    return result;
}

}

#endif
