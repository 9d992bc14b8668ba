/* SPDX-License-Identifier: MIT */
/* scan.h - cg::inclusive_scan and cg::exclusive_scan over a tile or over coalesced threads. */
#ifndef _COOPERATIVE_GROUPS_SCAN_H_
#define _COOPERATIVE_GROUPS_SCAN_H_

#include "reduce.h"

namespace cooperative_groups {

template <typename __Group, typename __T, typename __F>
static inline __T inclusive_scan(const __Group &__group, __T __value, __F __combine, SIM_HERE)
{
    return __group.__fold(__value, __combine, (unsigned)__group.thread_rank(), __file, __line);
}

/* The first thread gets what a value of the type is at first: 0. */
template <typename __Group, typename __T, typename __F>
static inline __T exclusive_scan(const __Group &__group, __T __value, __F __combine, SIM_HERE)
{
    unsigned __rank = (unsigned)__group.thread_rank();
    __T __before = __group.__fold(__value, __combine, __rank > 0 ? __rank - 1 : 0, __file, __line);
    return __rank == 0 ? __T() : __before;
}

template <typename __Group, typename __T> static inline __T inclusive_scan(const __Group &__group, __T __value, SIM_HERE)
{
    return inclusive_scan(__group, __value, plus<__T>(), __file, __line);
}

template <typename __Group, typename __T> static inline __T exclusive_scan(const __Group &__group, __T __value, SIM_HERE)
{
    return exclusive_scan(__group, __value, plus<__T>(), __file, __line);
}

}

#endif
