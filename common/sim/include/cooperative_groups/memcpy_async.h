/* SPDX-License-Identifier: MIT */
/* memcpy_async.h - cg::memcpy_async and the waits for it: one thread copies, and a wait is one for the group. */
#ifndef _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_
#define _COOPERATIVE_GROUPS_MEMCPY_ASYNC_H_

#include "../cooperative_groups.h"

namespace cooperative_groups {

template <typename __Group> static inline void memcpy_async(const __Group &__group, void *__to, const void *__from, size_t __bytes)
{
    if (__group.thread_rank() == 0)
        memcpy(__to, __from, __bytes);
}

/* As many elements as there are, and as there is room for. */
template <typename __Group, typename __T>
static inline void memcpy_async(const __Group &__group, __T *__to, size_t __room, const __T *__from, size_t __count)
{
    memcpy_async(__group, __to, __from, (__room < __count ? __room : __count) * sizeof(__T));
}

template <typename __Group> static inline void wait(const __Group &__group, SIM_HERE) { __group.sync(__file, __line); }
template <unsigned __Stages, typename __Group> static inline void wait_prior(const __Group &__group, SIM_HERE) { __group.sync(__file, __line); }

}

#endif
