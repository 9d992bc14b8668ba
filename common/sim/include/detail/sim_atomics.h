/* SPDX-License-Identifier: MIT */
/*
 * sim_atomics.h - atomic functions, for the types that CUDA has them for; each
 * in three widths that are one here. They are the compiler's: the host may
 * touch managed memory at the same time.
 */
#ifndef SIM_INCLUDE_ATOMICS_H
#define SIM_INCLUDE_ATOMICS_H

#ifdef __cplusplus

#include "sim_at_once.h"

namespace __sim {

/* *p becomes f(*p); what it was. */
template <typename __T, typename __F> static inline SIM_AT_ONCE(__T) __change(__T *__p, __F __f)
{
    __T __old, __next;
    __atomic_load(__p, &__old, __ATOMIC_RELAXED);
    do
        __next = __f(__old);
    while (!__atomic_compare_exchange(__p, &__old, &__next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return __old;
}

}

#define SIM_ATOMIC(__name, __T, __does) \
    static inline __T __name(__T *__p, __T __v) { __does; } \
    static inline __T __name##_block(__T *__p, __T __v) { __does; } \
    static inline __T __name##_system(__T *__p, __T __v) { __does; }
#define SIM_FETCH(__name, __op, __T) SIM_ATOMIC(__name, __T, return __atomic_fetch_##__op(__p, __v, __ATOMIC_RELAXED))
/* Programs read by adding 0, or by an or with 0. */
#define SIM_POLL(__name, __op, __T) \
    SIM_ATOMIC(__name, __T, __T __old = __atomic_fetch_##__op(__p, __v, __ATOMIC_RELAXED); __sim::__polled(__v == 0); return __old)
#define SIM_CHANGE(__name, __T, __becomes) SIM_ATOMIC(__name, __T, return __sim::__change(__p, [__v](__T __old) -> __T { return __becomes; }))
#define SIM_SWAP(__T) \
    SIM_ATOMIC(atomicExch, __T, __T __old; __atomic_exchange(__p, &__v, &__old, __ATOMIC_RELAXED); __sim::__polled(__old == __v); return __old)
#define SIM_CAS(__T) \
    static inline __T atomicCAS(__T *__p, __T __expected, __T __v) \
    { __sim::__polled(!__atomic_compare_exchange(__p, &__expected, &__v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)); return __expected; } \
    static inline __T atomicCAS_block(__T *__p, __T __expected, __T __v) { return atomicCAS(__p, __expected, __v); } \
    static inline __T atomicCAS_system(__T *__p, __T __expected, __T __v) { return atomicCAS(__p, __expected, __v); }
#define SIM_BITS(__T) SIM_FETCH(atomicAnd, and, __T) SIM_POLL(atomicOr, or, __T) SIM_FETCH(atomicXor, xor, __T)
#define SIM_LIMITS(__T) \
    SIM_CHANGE(atomicMin, __T, __v < __old ? __v : __old) SIM_CHANGE(atomicMax, __T, __v > __old ? __v : __old)

SIM_POLL(atomicAdd, add, int)
SIM_POLL(atomicAdd, add, unsigned int)
SIM_POLL(atomicAdd, add, unsigned long long)
SIM_CHANGE(atomicAdd, float, __old + __v)
/* A template, so that a program may have its own for cards before 6.0, as it needs one there. */
template <int = 0> SIM_CHANGE(atomicAdd, double, __old + __v)
SIM_FETCH(atomicSub, sub, int)
SIM_FETCH(atomicSub, sub, unsigned int)
SIM_SWAP(int)
SIM_SWAP(unsigned int)
SIM_SWAP(unsigned long long)
SIM_SWAP(float)
SIM_LIMITS(int)
SIM_LIMITS(unsigned int)
SIM_LIMITS(long long)
SIM_LIMITS(unsigned long long)
SIM_CHANGE(atomicInc, unsigned int, __old >= __v ? 0 : __old + 1)
SIM_CHANGE(atomicDec, unsigned int, __old == 0 || __old > __v ? __v : __old - 1)
SIM_BITS(int)
SIM_BITS(unsigned int)
SIM_BITS(unsigned long long)
SIM_CAS(int)
SIM_CAS(unsigned int)
SIM_CAS(unsigned long long)
SIM_CAS(unsigned short)

#undef SIM_ATOMIC
#undef SIM_FETCH
#undef SIM_POLL
#undef SIM_CHANGE
#undef SIM_SWAP
#undef SIM_CAS
#undef SIM_BITS
#undef SIM_LIMITS

/* Threads of a kernel see each other's writes in order as it is. */
static inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
static inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

#endif
#endif
