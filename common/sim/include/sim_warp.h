/* SPDX-License-Identifier: MIT */
/* sim_warp.h - what the threads of a warp do together: shuffles, votes, matches, reductions. */
#ifndef SIM_INCLUDE_WARP_H
#define SIM_INCLUDE_WARP_H

#include "sim_block.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sim_warp {
    SIM_WARP_SYNC, SIM_WARP_SHUFFLE, SIM_WARP_SHUFFLE_UP, SIM_WARP_SHUFFLE_DOWN, SIM_WARP_SHUFFLE_XOR,
    SIM_WARP_BALLOT, SIM_WARP_ANY, SIM_WARP_ALL, SIM_WARP_MATCH, SIM_WARP_REDUCE, SIM_WARP_ACTIVE
};

/* Waits for the lanes that the mask names. A shuffle answers the value of lane `source`, a vote what
 * was voted, the others which lanes took part; all[32], unless NULL, gets everybody's value. */
unsigned long long sim_warp(enum sim_warp kind, unsigned mask, unsigned long long value, unsigned source,
                            unsigned long long *all, const char *file, int line);
unsigned sim_lane(void);

#ifdef __cplusplus
}

static inline void __syncwarp(unsigned mask = 0xffffffff, SIM_HERE)
{
    sim_warp(SIM_WARP_SYNC, mask, 0, 0, 0, file, line);
}

static inline unsigned __activemask(SIM_HERE)
{
    return (unsigned)sim_warp(SIM_WARP_ACTIVE, 0, 0, 0, 0, file, line);
}

static inline unsigned __ballot_sync(unsigned mask, int p, SIM_HERE)
{
    return (unsigned)sim_warp(SIM_WARP_BALLOT, mask, p != 0, 0, 0, file, line);
}

static inline int __any_sync(unsigned mask, int p, SIM_HERE)
{
    return (int)sim_warp(SIM_WARP_ANY, mask, p != 0, 0, 0, file, line);
}

static inline int __all_sync(unsigned mask, int p, SIM_HERE)
{
    return (int)sim_warp(SIM_WARP_ALL, mask, p != 0, 0, 0, file, line);
}

namespace sim {

/* Which lane a shuffle reads: within its own segment of `width` lanes, itself past the end of that. */
static inline unsigned from_lane(unsigned lane, int wanted, int width)
{
    return (lane & ~(unsigned)(width - 1)) + ((unsigned)wanted & (unsigned)(width - 1));
}

static inline unsigned from_below(unsigned lane, unsigned delta, int width)
{
    return (lane & (unsigned)(width - 1)) < delta ? lane : lane - delta;
}

static inline unsigned from_above(unsigned lane, unsigned delta, int width)
{
    return (lane & (unsigned)(width - 1)) + delta >= (unsigned)width ? lane : lane + delta;
}

static inline unsigned from_partner(unsigned lane, int change, int width)
{
    unsigned other = lane ^ (unsigned)change;
    return other < (lane & ~(unsigned)(width - 1)) + (unsigned)width ? other : lane;
}

template <typename T> static inline T shuffle(enum sim_warp kind, unsigned mask, T value, unsigned source,
                                              const char *file, int line)
{
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    bits = sim_warp(kind, mask, bits, source, 0, file, line);
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

}

#define SIM_SHUFFLES(T) \
    static inline T __shfl_sync(unsigned mask, T v, int from, int width = 32, SIM_HERE) \
    { return sim::shuffle(SIM_WARP_SHUFFLE, mask, v, sim::from_lane(sim_lane(), from, width), file, line); } \
    static inline T __shfl_up_sync(unsigned mask, T v, unsigned delta, int width = 32, SIM_HERE) \
    { return sim::shuffle(SIM_WARP_SHUFFLE_UP, mask, v, sim::from_below(sim_lane(), delta, width), file, line); } \
    static inline T __shfl_down_sync(unsigned mask, T v, unsigned delta, int width = 32, SIM_HERE) \
    { return sim::shuffle(SIM_WARP_SHUFFLE_DOWN, mask, v, sim::from_above(sim_lane(), delta, width), file, line); } \
    static inline T __shfl_xor_sync(unsigned mask, T v, int change, int width = 32, SIM_HERE) \
    { return sim::shuffle(SIM_WARP_SHUFFLE_XOR, mask, v, sim::from_partner(sim_lane(), change, width), file, line); }
SIM_SHUFFLES(int)
SIM_SHUFFLES(unsigned)
SIM_SHUFFLES(long)
SIM_SHUFFLES(unsigned long)
SIM_SHUFFLES(long long)
SIM_SHUFFLES(unsigned long long)
SIM_SHUFFLES(float)
SIM_SHUFFLES(double)
#undef SIM_SHUFFLES

/* The lanes that hold the same value. */
template <typename T> static inline unsigned __match_any_sync(unsigned mask, T value, SIM_HERE)
{
    unsigned long long all[32], bits = 0;
    unsigned same = 0;
    __builtin_memcpy(&bits, &value, sizeof value);
    unsigned lanes = (unsigned)sim_warp(SIM_WARP_MATCH, mask, bits, 0, all, file, line);
    for (unsigned i = 0; i < 32; i++)
        if (lanes >> i & 1 && all[i] == bits)
            same |= 1u << i;
    return same;
}

template <typename T> static inline unsigned __match_all_sync(unsigned mask, T value, int *all_same, SIM_HERE)
{
    unsigned same = __match_any_sync(mask, value, file, line);
    *all_same = same == mask;
    return *all_same ? mask : 0;
}

#define SIM_REDUCE(name, T, together) \
    static inline T __reduce_##name##_sync(unsigned mask, T value, SIM_HERE) \
    { \
        unsigned long long all[32]; \
        unsigned lanes = (unsigned)sim_warp(SIM_WARP_REDUCE, mask, (unsigned)value, 0, all, file, line); \
        unsigned first = (unsigned)__builtin_ctz(lanes); \
        T a = (T)all[first]; \
        for (unsigned i = first + 1; i < 32; i++) { \
            T b = (T)all[i]; \
            if (lanes >> i & 1) \
                a = together; \
        } \
        return a; \
    }
SIM_REDUCE(add, int, a + b)
SIM_REDUCE(add, unsigned, a + b)
SIM_REDUCE(min, int, b < a ? b : a)
SIM_REDUCE(min, unsigned, b < a ? b : a)
SIM_REDUCE(max, int, b > a ? b : a)
SIM_REDUCE(max, unsigned, b > a ? b : a)
SIM_REDUCE(and, unsigned, a & b)
SIM_REDUCE(or, unsigned, a | b)
SIM_REDUCE(xor, unsigned, a ^ b)
#undef SIM_REDUCE

#endif
#endif
