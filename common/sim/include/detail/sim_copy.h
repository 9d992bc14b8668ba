/* SPDX-License-Identifier: MIT */
/* sim_copy.h - asynchronous copies of threads: the first of the group makes it, at once. */
#ifndef SIM_INCLUDE_COPY_H
#define SIM_INCLUDE_COPY_H

#include <stddef.h>
#include <string.h>

namespace cuda {

/* Bytes, and what both pointers are aligned to. */
template <size_t __alignment> struct aligned_size_t {
    static constexpr size_t align = __alignment;
    size_t value;
    explicit constexpr aligned_size_t(size_t __bytes) : value(__bytes) {}
    constexpr operator size_t() const { return value; }
};

}

namespace __sim {

template <typename __Group> static inline void __copy(const __Group &__group, void *__to, const void *__from, size_t __bytes)
{
    if (__group.thread_rank() == 0)
        memcpy(__to, __from, __bytes);
}

}

#endif
