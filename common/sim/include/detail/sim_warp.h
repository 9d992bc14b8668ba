/* SPDX-License-Identifier: MIT */
/* sim_warp.h - what the threads of a warp do together: shuffles, votes, matches, reductions. */
#ifndef SIM_INCLUDE_WARP_H
#define SIM_INCLUDE_WARP_H

#include "sim_at_once.h"
#include "sim_block.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sim_warp {
    SIM_WARP_SYNC, SIM_WARP_SHUFFLE, SIM_WARP_SHUFFLE_UP, SIM_WARP_SHUFFLE_DOWN, SIM_WARP_SHUFFLE_XOR,
    SIM_WARP_BALLOT, SIM_WARP_ANY, SIM_WARP_ALL, SIM_WARP_MATCH, SIM_WARP_REDUCE, SIM_WARP_FOLD, SIM_WARP_ACTIVE
};

/* Waits for the lanes that the mask names. A shuffle answers the value of lane `source`, a vote what
 * was voted, the others which lanes took part; all[32], unless NULL, gets everybody's value. */
unsigned long long sim_warp(enum sim_warp __kind, unsigned __mask, unsigned long long __value, unsigned __source,
                            unsigned long long *__all, const char *__file, int __line);
/* What fold makes of the values of the lanes, two at a time, from the lowest up. It depends on these alone. */
typedef unsigned long long sim_fold(unsigned long long __so_far, unsigned long long __next);
unsigned long long sim_warp_fold(unsigned __mask, unsigned long long __value, sim_fold *__fold, const char *__file, int __line);
unsigned sim_lane(void);

#ifdef __cplusplus
}

static inline void __syncwarp(unsigned __mask = 0xffffffff, SIM_HERE)
{
    sim_warp(SIM_WARP_SYNC, __mask, 0, 0, 0, __file, __line);
}

static inline unsigned __activemask(SIM_HERE)
{
    return (unsigned)sim_warp(SIM_WARP_ACTIVE, 0, 0, 0, 0, __file, __line);
}

static inline unsigned __ballot_sync(unsigned __mask, int __p, SIM_HERE)
{
    return (unsigned)sim_warp(SIM_WARP_BALLOT, __mask, __p != 0, 0, 0, __file, __line);
}

static inline int __any_sync(unsigned __mask, int __p, SIM_HERE)
{
    return (int)sim_warp(SIM_WARP_ANY, __mask, __p != 0, 0, 0, __file, __line);
}

static inline int __all_sync(unsigned __mask, int __p, SIM_HERE)
{
    return (int)sim_warp(SIM_WARP_ALL, __mask, __p != 0, 0, 0, __file, __line);
}

namespace __sim {

/* Which lane a shuffle reads: within its own segment of `width` lanes, itself past the end of that. */
static inline unsigned __from_lane(unsigned __lane, int __wanted, int __width)
{
    return (__lane & ~(unsigned)(__width - 1)) + ((unsigned)__wanted & (unsigned)(__width - 1));
}

static inline unsigned __from_below(unsigned __lane, unsigned __delta, int __width)
{
    return (__lane & (unsigned)(__width - 1)) < __delta ? __lane : __lane - __delta;
}

static inline unsigned __from_above(unsigned __lane, unsigned __delta, int __width)
{
    return (__lane & (unsigned)(__width - 1)) + __delta >= (unsigned)__width ? __lane : __lane + __delta;
}

static inline unsigned __from_partner(unsigned __lane, int __change, int __width)
{
    unsigned __other = __lane ^ (unsigned)__change;
    return __other < (__lane & ~(unsigned)(__width - 1)) + (unsigned)__width ? __other : __lane;
}

/* Eight bytes at a time. */
template <typename __T> static inline SIM_AT_ONCE(__T) __shuffle(enum sim_warp __kind, unsigned __mask, __T __value, unsigned __source,
                                                    const char *__file, int __line)
{
    for (unsigned __at = 0; __at < sizeof __value; __at += 8) {
        unsigned __size = sizeof __value - __at < 8 ? (unsigned)sizeof __value - __at : 8;
        unsigned long long __bits = 0;
        __builtin_memcpy(&__bits, (const char *)&__value + __at, __size);
        __bits = sim_warp(__kind, __mask, __bits, __source, 0, __file, __line);
        __builtin_memcpy((char *)&__value + __at, &__bits, __size);
    }
    return __value;
}

}

#define SIM_SHUFFLES(__T) \
    static inline __T __shfl_sync(unsigned __mask, __T __v, int __from, int __width = 32, SIM_HERE) \
    { return __sim::__shuffle(SIM_WARP_SHUFFLE, __mask, __v, __sim::__from_lane(sim_lane(), __from, __width), __file, __line); } \
    static inline __T __shfl_up_sync(unsigned __mask, __T __v, unsigned __delta, int __width = 32, SIM_HERE) \
    { return __sim::__shuffle(SIM_WARP_SHUFFLE_UP, __mask, __v, __sim::__from_below(sim_lane(), __delta, __width), __file, __line); } \
    static inline __T __shfl_down_sync(unsigned __mask, __T __v, unsigned __delta, int __width = 32, SIM_HERE) \
    { return __sim::__shuffle(SIM_WARP_SHUFFLE_DOWN, __mask, __v, __sim::__from_above(sim_lane(), __delta, __width), __file, __line); } \
    static inline __T __shfl_xor_sync(unsigned __mask, __T __v, int __change, int __width = 32, SIM_HERE) \
    { return __sim::__shuffle(SIM_WARP_SHUFFLE_XOR, __mask, __v, __sim::__from_partner(sim_lane(), __change, __width), __file, __line); }
SIM_SHUFFLES(int)
SIM_SHUFFLES(unsigned)
SIM_SHUFFLES(long)
SIM_SHUFFLES(unsigned long)
SIM_SHUFFLES(long long)
SIM_SHUFFLES(unsigned long long)
SIM_SHUFFLES(float)
SIM_SHUFFLES(double)
/* cuda_fp16.h and cuda_bf16.h have their own types shuffled, too. */

/* The lanes that hold the same value. */
template <typename __T> static inline unsigned __match_any_sync(unsigned __mask, __T __value, SIM_HERE)
{
    static_assert(sizeof(__T) <= 8, "a value to match has 8 bytes at most");
    unsigned long long __all[32], __bits = 0;
    unsigned __same = 0;
    __builtin_memcpy(&__bits, &__value, sizeof __value);
    unsigned __lanes = (unsigned)sim_warp(SIM_WARP_MATCH, __mask, __bits, 0, __all, __file, __line);
    for (unsigned __i = 0; __i < 32; __i++)
        if (__lanes >> __i & 1 && __all[__i] == __bits)
            __same |= 1u << __i;
    return __same;
}

template <typename __T> static inline unsigned __match_all_sync(unsigned __mask, __T __value, int *__all_same, SIM_HERE)
{
    unsigned __same = __match_any_sync(__mask, __value, __file, __line);
    *__all_same = __same == __mask;
    return *__all_same ? __mask : 0;
}

#define SIM_REDUCE(__name, __T, __together) \
    static inline __T __reduce_##__name##_sync(unsigned __mask, __T __value, SIM_HERE) \
    { \
        return (__T)sim_warp_fold(__mask, (unsigned)__value, [](unsigned long long __so_far, unsigned long long __next) -> unsigned long long { \
            const __T __a = (__T)__so_far, __b = (__T)__next; \
            return (unsigned)(__together); \
        }, __file, __line); \
    }
SIM_REDUCE(add, int, __a + __b)
SIM_REDUCE(add, unsigned, __a + __b)
SIM_REDUCE(min, int, __b < __a ? __b : __a)
SIM_REDUCE(min, unsigned, __b < __a ? __b : __a)
SIM_REDUCE(max, int, __b > __a ? __b : __a)
SIM_REDUCE(max, unsigned, __b > __a ? __b : __a)
SIM_REDUCE(and, unsigned, __a & __b)
SIM_REDUCE(or, unsigned, __a | __b)
SIM_REDUCE(xor, unsigned, __a ^ __b)
#undef SIM_REDUCE

#endif
#endif
