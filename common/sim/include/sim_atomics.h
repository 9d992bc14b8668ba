/* SPDX-License-Identifier: MIT */
/*
 * sim_atomics.h - atomic functions, for the types that CUDA has them for; each
 * in three widths that are one here. They are the compiler's: the host may
 * touch managed memory at the same time.
 */
#ifndef SIM_ATOMICS_H
#define SIM_ATOMICS_H

#ifdef __cplusplus

namespace sim {

/* *p becomes f(*p); what it was. */
template <typename T, typename F> static inline T change(T *p, F f)
{
    T old, next;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do
        next = f(old);
    while (!__atomic_compare_exchange(p, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

}

#define SIM_ATOMIC(name, T, does) \
    static inline T name(T *p, T v) { does; } \
    static inline T name##_block(T *p, T v) { does; } \
    static inline T name##_system(T *p, T v) { does; }
#define SIM_FETCH(name, op, T) SIM_ATOMIC(name, T, return __atomic_fetch_##op(p, v, __ATOMIC_RELAXED))
#define SIM_CHANGE(name, T, becomes) SIM_ATOMIC(name, T, return sim::change(p, [v](T old) -> T { return becomes; }))
#define SIM_SWAP(T) \
    SIM_ATOMIC(atomicExch, T, T old; __atomic_exchange(p, &v, &old, __ATOMIC_RELAXED); return old)
#define SIM_CAS(T) \
    static inline T atomicCAS(T *p, T expected, T v) \
    { __atomic_compare_exchange(p, &expected, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); return expected; } \
    static inline T atomicCAS_block(T *p, T expected, T v) { return atomicCAS(p, expected, v); } \
    static inline T atomicCAS_system(T *p, T expected, T v) { return atomicCAS(p, expected, v); }
#define SIM_BITS(T) SIM_FETCH(atomicAnd, and, T) SIM_FETCH(atomicOr, or, T) SIM_FETCH(atomicXor, xor, T)
#define SIM_LIMITS(T) \
    SIM_CHANGE(atomicMin, T, v < old ? v : old) SIM_CHANGE(atomicMax, T, v > old ? v : old)

SIM_FETCH(atomicAdd, add, int)
SIM_FETCH(atomicAdd, add, unsigned int)
SIM_FETCH(atomicAdd, add, unsigned long long)
SIM_CHANGE(atomicAdd, float, old + v)
/* A template, so that a program may have its own for cards before 6.0, as it needs one there. */
template <int = 0> SIM_CHANGE(atomicAdd, double, old + v)
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
SIM_CHANGE(atomicInc, unsigned int, old >= v ? 0 : old + 1)
SIM_CHANGE(atomicDec, unsigned int, old == 0 || old > v ? v : old - 1)
SIM_BITS(int)
SIM_BITS(unsigned int)
SIM_BITS(unsigned long long)
SIM_CAS(int)
SIM_CAS(unsigned int)
SIM_CAS(unsigned long long)
SIM_CAS(unsigned short)

#undef SIM_ATOMIC
#undef SIM_FETCH
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
