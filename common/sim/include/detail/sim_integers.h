/* SPDX-License-Identifier: MIT */
/* sim_integers.h - what a GPU has for whole numbers and C++ has not: pieces of words, dot products, caches' hints. */
#ifndef SIM_INCLUDE_INTEGERS_H
#define SIM_INCLUDE_INTEGERS_H

#ifdef __cplusplus

#include "sim_at_once.h"
#include "sim_small_floats.h"

static inline unsigned umin(unsigned __a, unsigned __b) { return __a < __b ? __a : __b; }
static inline unsigned umax(unsigned __a, unsigned __b) { return __a > __b ? __a : __b; }
static inline long long llmin(long long __a, long long __b) { return __a < __b ? __a : __b; }
static inline long long llmax(long long __a, long long __b) { return __a > __b ? __a : __b; }
static inline unsigned long long ullmin(unsigned long long __a, unsigned long long __b) { return __a < __b ? __a : __b; }
static inline unsigned long long ullmax(unsigned long long __a, unsigned long long __b) { return __a > __b ? __a : __b; }

/* The mean, rounded down and up. */
static inline int __hadd(int __a, int __b) { return (int)(((long long)__a + __b) >> 1); }
static inline int __rhadd(int __a, int __b) { return (int)(((long long)__a + __b + 1) >> 1); }
static inline unsigned __uhadd(unsigned __a, unsigned __b) { return (unsigned)(((unsigned long long)__a + __b) >> 1); }
static inline unsigned __urhadd(unsigned __a, unsigned __b) { return (unsigned)(((unsigned long long)__a + __b + 1) >> 1); }

static inline unsigned __funnelshift_lc(unsigned __low, unsigned __high, unsigned __by)
{
    return (unsigned)((((unsigned long long)__high << 32 | __low) << (__by < 32 ? __by : 32)) >> 32);
}
static inline unsigned __funnelshift_rc(unsigned __low, unsigned __high, unsigned __by)
{
    return (unsigned)(((unsigned long long)__high << 32 | __low) >> (__by < 32 ? __by : 32));
}

static inline unsigned long long __float2ull_rn(float __v) { return (unsigned long long)__builtin_rintf(__v); }
static inline unsigned long long __float2ull_rz(float __v) { return (unsigned long long)__v; }
static inline unsigned long long __double2ull_rn(double __v) { return (unsigned long long)__builtin_rint(__v); }
static inline unsigned long long __double2ull_rz(double __v) { return (unsigned long long)__v; }
static inline double __ull2double_rn(unsigned long long __v) { return (double)__v; }
static inline float __ull2float_rn(unsigned long long __v) { return (float)__v; }

/* ---- two halves and four bytes of a word ---- */

namespace __sim {

/* Each of the pieces of the words, of that many bits, as it is or with its sign. */
template <int __bits, typename __F> static inline SIM_AT_ONCE(unsigned) __each_piece(unsigned __a, unsigned __b, __F __f)
{
    const unsigned __piece = (1u << __bits) - 1;
    unsigned __result = 0;
    for (int __at = 0; __at < 32; __at += __bits)
        __result |= ((unsigned)__f(__a >> __at & __piece, __b >> __at & __piece) & __piece) << __at;
    return __result;
}
template <int __bits> static inline SIM_AT_ONCE(int) __with_sign(unsigned __v) { return (int)(__v << (32 - __bits)) >> (32 - __bits); }
template <int __bits> static inline SIM_AT_ONCE(int) __cut_piece(int __v)
{
    const int __most = (1 << (__bits - 1)) - 1;
    return __v > __most ? __most : __v < -__most - 1 ? -__most - 1 : __v;
}

}

#define SIM_PIECES(__name, __value) \
    static inline unsigned __name##2(unsigned __x, unsigned __y) \
    { enum { __bits = 16 }; return __sim::__each_piece<16>(__x, __y, [](unsigned __a, unsigned __b) { return (unsigned)(__value); }); } \
    static inline unsigned __name##4(unsigned __x, unsigned __y) \
    { enum { __bits = 8 }; return __sim::__each_piece<8>(__x, __y, [](unsigned __a, unsigned __b) { return (unsigned)(__value); }); }
#define SIM_SIGNED(__v) __sim::__with_sign<__bits>(__v)
SIM_PIECES(__vadd, __a + __b)
SIM_PIECES(__vsub, __a - __b)
SIM_PIECES(__vminu, __a < __b ? __a : __b)
SIM_PIECES(__vmaxu, __a > __b ? __a : __b)
SIM_PIECES(__vmins, SIM_SIGNED(__a) < SIM_SIGNED(__b) ? __a : __b)
SIM_PIECES(__vmaxs, SIM_SIGNED(__a) > SIM_SIGNED(__b) ? __a : __b)
SIM_PIECES(__vabsdiffu, __a > __b ? __a - __b : __b - __a)
SIM_PIECES(__vavgu, (__a + __b + 1) >> 1)
SIM_PIECES(__vhaddu, (__a + __b) >> 1)
SIM_PIECES(__vcmpeq, __a == __b ? ~0u : 0)
SIM_PIECES(__vcmpne, __a != __b ? ~0u : 0)
SIM_PIECES(__vcmpgtu, __a > __b ? ~0u : 0)
SIM_PIECES(__vcmpltu, __a < __b ? ~0u : 0)
SIM_PIECES(__vcmpgts, SIM_SIGNED(__a) > SIM_SIGNED(__b) ? ~0u : 0)
SIM_PIECES(__vcmpgeu, __a >= __b ? ~0u : 0)
SIM_PIECES(__vcmpleu, __a <= __b ? ~0u : 0)
SIM_PIECES(__vcmpges, SIM_SIGNED(__a) >= SIM_SIGNED(__b) ? ~0u : 0)
SIM_PIECES(__vcmples, SIM_SIGNED(__a) <= SIM_SIGNED(__b) ? ~0u : 0)
SIM_PIECES(__vcmplts, SIM_SIGNED(__a) < SIM_SIGNED(__b) ? ~0u : 0)
SIM_PIECES(__vseteq, __a == __b)
SIM_PIECES(__vsetne, __a != __b)
SIM_PIECES(__vsetgeu, __a >= __b)
SIM_PIECES(__vsetgtu, __a > __b)
SIM_PIECES(__vsetleu, __a <= __b)
SIM_PIECES(__vsetltu, __a < __b)
SIM_PIECES(__vsetges, SIM_SIGNED(__a) >= SIM_SIGNED(__b))
SIM_PIECES(__vsetgts, SIM_SIGNED(__a) > SIM_SIGNED(__b))
SIM_PIECES(__vsetles, SIM_SIGNED(__a) <= SIM_SIGNED(__b))
SIM_PIECES(__vsetlts, SIM_SIGNED(__a) < SIM_SIGNED(__b))
SIM_PIECES(__vaddss, __sim::__cut_piece<__bits>(SIM_SIGNED(__a) + SIM_SIGNED(__b)))
SIM_PIECES(__vsubss, __sim::__cut_piece<__bits>(SIM_SIGNED(__a) - SIM_SIGNED(__b)))
SIM_PIECES(__vaddus, (__a + __b) >> __bits ? ~0u : __a + __b)
SIM_PIECES(__vsubus, __a > __b ? __a - __b : 0)
SIM_PIECES(__vavgs, (SIM_SIGNED(__a) + SIM_SIGNED(__b) + (SIM_SIGNED(__a) + SIM_SIGNED(__b) >= 0)) >> 1)
SIM_PIECES(__vabsdiffs, SIM_SIGNED(__a) > SIM_SIGNED(__b) ? __a - __b : __b - __a)
#undef SIM_PIECES
#define SIM_PIECES(__name, __value) \
    static inline unsigned __name##2(unsigned __x) \
    { enum { __bits = 16 }; return __sim::__each_piece<16>(__x, 0, [](unsigned __a, unsigned) { return (unsigned)(__value); }); } \
    static inline unsigned __name##4(unsigned __x) \
    { enum { __bits = 8 }; return __sim::__each_piece<8>(__x, 0, [](unsigned __a, unsigned) { return (unsigned)(__value); }); }
SIM_PIECES(__vneg, -__a)
SIM_PIECES(__vnegss, __sim::__cut_piece<__bits>(-SIM_SIGNED(__a)))
SIM_PIECES(__vabs, SIM_SIGNED(__a) < 0 ? -__a : __a)
SIM_PIECES(__vabsss, __sim::__cut_piece<__bits>(SIM_SIGNED(__a) < 0 ? -SIM_SIGNED(__a) : SIM_SIGNED(__a)))
#undef SIM_SIGNED
#undef SIM_PIECES

namespace __sim {
template <int __bits> static inline SIM_AT_ONCE(unsigned) __sum_of_pieces(unsigned __v)
{
    unsigned __sum = 0;
    for (int __at = 0; __at < 32; __at += __bits)
        __sum += __v >> __at & ((1u << __bits) - 1);
    return __sum;
}
}
static inline unsigned __vsadu2(unsigned __x, unsigned __y) { return __sim::__sum_of_pieces<16>(__vabsdiffu2(__x, __y)); }
static inline unsigned __vsads2(unsigned __x, unsigned __y) { return __sim::__sum_of_pieces<16>(__vabsdiffs2(__x, __y)); }
static inline unsigned __vsadu4(unsigned __x, unsigned __y) { return __sim::__sum_of_pieces<8>(__vabsdiffu4(__x, __y)); }
static inline unsigned __vsads4(unsigned __x, unsigned __y) { return __sim::__sum_of_pieces<8>(__vabsdiffs4(__x, __y)); }


static inline int __dp4a(int __x, int __y, int __sum)
{
    for (int __i = 0; __i < 32; __i += 8)
        __sum += (signed char)(__x >> __i) * (signed char)(__y >> __i);
    return __sum;
}
static inline unsigned __dp4a(unsigned __x, unsigned __y, unsigned __sum)
{
    for (int __i = 0; __i < 32; __i += 8)
        __sum += (__x >> __i & 0xff) * (__y >> __i & 0xff);
    return __sum;
}

/* Two pieces of 16 bits with two of the four of 8, the lower or the higher ones. */
#define SIM_DP2A(__half, __from) \
    static inline int __dp2a_##__half(int __x, int __y, int __sum) \
    { return __sum + (short)__x * (signed char)(__y >> __from) + (short)(__x >> 16) * (signed char)(__y >> (__from + 8)); } \
    static inline unsigned __dp2a_##__half(unsigned __x, unsigned __y, unsigned __sum) \
    { return __sum + (__x & 0xffff) * (__y >> __from & 0xff) + (__x >> 16) * (__y >> (__from + 8) & 0xff); }
SIM_DP2A(lo, 0)
SIM_DP2A(hi, 16)
#undef SIM_DP2A

/* The same of vectors (sm_61_intrinsics.h). */
namespace __sim { template <typename __T, typename __V> static inline SIM_AT_ONCE(__T) __word_of(const __V &__v) { __T __w; __builtin_memcpy(&__w, &__v, sizeof __w); return __w; } }
static inline int __dp4a(char4 __x, char4 __y, int __sum) { return __dp4a(__sim::__word_of<int>(__x), __sim::__word_of<int>(__y), __sum); }
static inline unsigned __dp4a(uchar4 __x, uchar4 __y, unsigned __sum) { return __dp4a(__sim::__word_of<unsigned>(__x), __sim::__word_of<unsigned>(__y), __sum); }
static inline int __dp2a_lo(short2 __x, char4 __y, int __sum) { return __dp2a_lo(__sim::__word_of<int>(__x), __sim::__word_of<int>(__y), __sum); }
static inline int __dp2a_hi(short2 __x, char4 __y, int __sum) { return __dp2a_hi(__sim::__word_of<int>(__x), __sim::__word_of<int>(__y), __sum); }
static inline unsigned __dp2a_lo(ushort2 __x, uchar4 __y, unsigned __sum) { return __dp2a_lo(__sim::__word_of<unsigned>(__x), __sim::__word_of<unsigned>(__y), __sum); }
static inline unsigned __dp2a_hi(ushort2 __x, uchar4 __y, unsigned __sum) { return __dp2a_hi(__sim::__word_of<unsigned>(__x), __sim::__word_of<unsigned>(__y), __sum); }

/* ---- vectors in memory ---- */

/* Each number is added by itself [G]. */
static inline float2 atomicAdd(float2 *__p, float2 __v) { float2 __old = { atomicAdd(&__p->x, __v.x), atomicAdd(&__p->y, __v.y) }; return __old; }
static inline float4 atomicAdd(float4 *__p, float4 __v)
{
    float4 __old = { atomicAdd(&__p->x, __v.x), atomicAdd(&__p->y, __v.y), atomicAdd(&__p->z, __v.z), atomicAdd(&__p->w, __v.w) };
    return __old;
}

/* ---- what instructions of PTX do (simcc/rewrite/ptx/ptx_operations.c) ---- */

namespace __sim {

/* A register's value as an operand of a type, and a result into a register: where one of the two is a floating-point number and
 * the other is none, of the same size, the bits stay what they are. */
template <bool __bits> struct __ptx_move {
    template <typename __To, typename __From> static __To __as(const __From &__v) { return (__To)__v; }
};
template <> struct __ptx_move<true> {
    template <typename __To, typename __From> static __To __as(const __From &__v)
    {
        __To __to;
        __builtin_memcpy(&__to, &__v, sizeof __to);
        return __to;
    }
};
template <typename __T> struct __ptx_plain { typedef __T __type; };
template <typename __T> struct __ptx_plain<volatile __T> { typedef __T __type; };
template <typename __T> struct __ptx_is_floating { static const bool __is = false; };
template <> struct __ptx_is_floating<float> { static const bool __is = true; };
template <> struct __ptx_is_floating<double> { static const bool __is = true; };
template <typename __To, typename __From> static inline __To __ptx_in(__From __v)
{
    return __ptx_move<sizeof(__To) == sizeof(__From) && __ptx_is_floating<__To>::__is != __ptx_is_floating<__From>::__is>::template __as<__To>(__v);
}
template <typename __To, typename __From> static inline void __ptx_out(__To &__to, __From __v)
{
    __to = __ptx_in<typename __ptx_plain<__To>::__type>(__v);
}

/* Numbers of 16 bits, as they lie in a register, and two of them in one. */
static inline float __ptx_f16_value(unsigned short __bits) { return __half_value(__bits); }
static inline float __ptx_bf16_value(unsigned short __bits) { return __bf16_value(__bits); }
template <__way __how, typename __T> static inline unsigned short __ptx_f16(__T __v) { return __rounded(__half_bits, __half_value, __exactly(__v), __how); }
template <__way __how, typename __T> static inline unsigned short __ptx_bf16(__T __v) { return __rounded(__bf16_bits, __bf16_value, __exactly(__v), __how); }
static inline unsigned __ptx_f16_pair(float __low, float __high) { return __half_bits(__low) | (unsigned)__half_bits(__high) << 16; }
static inline unsigned __ptx_bf16_pair(float __low, float __high) { return __bf16_bits(__low) | (unsigned)__bf16_bits(__high) << 16; }

/* An operation on each of the numbers that a register holds. */
template <unsigned short (*__bits)(double), float (*__value)(unsigned short), typename __T, typename __F>
static inline __T __ptx_each(__T __a, __T __b, __T __c, __F __f)
{
    __T __result = 0;
    for (unsigned __at = 0; __at < 8 * sizeof(__T); __at += 16)
        __result |= (__T)((__T)__bits(__f(__value((unsigned short)(__a >> __at)), __value((unsigned short)(__b >> __at)),
                                          __value((unsigned short)(__c >> __at)))) << __at);
    return __result;
}
template <typename __T, typename __F> static inline __T __ptx_each_f16(__T __a, __T __b, __T __c, __F __f)
{
    return __ptx_each<__half_bits, __half_value>(__a, __b, __c, __f);
}
template <typename __T, typename __F> static inline __T __ptx_each_bf16(__T __a, __T __b, __T __c, __F __f)
{
    return __ptx_each<__bf16_bits, __bf16_value>(__a, __b, __c, __f);
}

static inline float __ptx_float(unsigned __bits) { float __v; __builtin_memcpy(&__v, &__bits, sizeof __v); return __v; }
static inline double __ptx_double(unsigned long long __bits) { double __v; __builtin_memcpy(&__v, &__bits, sizeof __v); return __v; }
/* .ftz: what is below the smallest normal number is 0. */
static inline float __ptx_flushed(float __v) { return __builtin_fabsf(__v) < __FLT_MIN__ ? __builtin_copysignf(0, __v) : __v; }
/* The carry, which an asm leaves for the next one of its thread. */
static inline unsigned &__ptx_flag()
{
    static __thread unsigned __flag;
    return __flag;
}
template <typename __T> static inline __T __ptx_shl(unsigned long long __v, unsigned __by)
{
    return __by < 8 * sizeof(__T) ? (__T)(__v << __by) : (__T)0;
}
template <typename __T> static inline __T __ptx_shr(__T __v, unsigned __by)
{
    const unsigned __most = 8 * sizeof(__T) - 1;
    return __by <= __most ? __v >> __by : __v < 0 ? (__T)-1 : (__T)0;
}
/* So many bits from a place on; of a signed type, the last of them is the sign. */
template <typename __T> static inline __T __ptx_bfe(__T __v, unsigned __from, unsigned __count)
{
    const unsigned __most = 8 * sizeof(__T) - 1;
    __from &= 0xff, __count &= 0xff;
    unsigned __sign = __from + __count - 1 < __most ? __from + __count - 1 : __most;
    bool __fill = (__T)-1 < (__T)0 && __count > 0 && __v >> __sign & 1;
    __T __result = 0;
    for (unsigned __i = 0; __i <= __most; __i++)
        __result |= (__T)(__i < __count && __from + __i <= __most ? (unsigned long long)(__v >> (__from + __i) & 1) << __i
                                                                  : (unsigned long long)__fill << __i);
    return __result;
}
template <typename __T> static inline __T __ptx_bfi(__T __v, __T __into, unsigned __from, unsigned __count)
{
    const unsigned __most = 8 * sizeof(__T) - 1;
    __from &= 0xff, __count &= 0xff;
    for (unsigned __i = 0; __i < __count && __from + __i <= __most; __i++)
        __into = (__T)((__into & ~((unsigned long long)1 << (__from + __i))) | (unsigned long long)(__v >> __i & 1) << (__from + __i));
    return __into;
}
/* The sum or the difference, with a carry that comes in and one that goes out. */
template <typename __T, bool __subtracts> static inline __T __ptx_carry(__T __a, __T __b, unsigned __in, unsigned &__out, bool __gives)
{
    typedef unsigned __int128 __wide;
    const __wide __mask = (((__wide)1 << (8 * sizeof(__T) - 1)) << 1) - 1, __x = (__wide)__a & __mask, __y = (__wide)__b & __mask;
    const __wide __r = __subtracts ? __x - __y - __in : __x + __y + __in;
    if (__gives)
        __out = __r >> (8 * sizeof(__T)) & 1;
    return (__T)__r;
}
template <typename __T, bool __high> static inline __T __ptx_product(__T __a, __T __b)
{
    const bool __negates = (__T)-1 < (__T)0;
    unsigned __int128 __r = __negates ? (unsigned __int128)((__int128)__a * (__int128)__b) : (unsigned __int128)__a * __b;
    return (__T)(__high ? __r >> (8 * sizeof(__T)) : __r);
}
/* c holds where segments end, in its bits 8 to 12, and where they are clamped [PTX ISA: shfl.sync]. */
template <int __mode> static inline unsigned __ptx_shuffle(unsigned __v, unsigned __b, unsigned __c, unsigned __mask, bool &__there, SIM_HERE)
{
    const enum sim_warp __kinds[] = { SIM_WARP_SHUFFLE, SIM_WARP_SHUFFLE_UP, SIM_WARP_SHUFFLE_DOWN, SIM_WARP_SHUFFLE_XOR };
    const int __lane = (int)sim_lane(), __segment = (int)(__c >> 8 & 31), __by = (int)(__b & 31);
    const int __first = __lane & __segment, __last = __first | ((int)(__c & 31) & ~__segment);
    const int __from = __mode == 0 ? __first | (__by & ~__segment) : __mode == 1 ? __lane - __by : __mode == 2 ? __lane + __by : __lane ^ __by;
    __there = __mode == 1 ? __from >= __last : __from <= __last;
    return __shuffle(__kinds[__mode], __mask, __v, (unsigned)(__there ? __from : __lane), __file, __line);
}
/* cp.async: what is not given is 0. */
template <bool __all> static inline void __ptx_copy_async(char *__to, const char *__from, unsigned __bytes, unsigned __given)
{
    if (__bytes != 16 && (__all || (__bytes != 4 && __bytes != 8)))
        __trap();
    if (__given > __bytes)
        __given = __bytes;
    memcpy(__to, __from, __given);
    memset(__to + __given, 0, __bytes - __given);
}

/* A video instruction. The second operation joins the whole word with __c; where a word is several integers, it adds
 * them to __c as they are before they are cut. */
static inline long long __ptx_piece(unsigned __word, unsigned __number, unsigned __bits, bool __is_signed)
{
    const long long __value = (long long)(__word >> __number * __bits) & ((1ll << __bits) - 1);
    return __is_signed && __value >> (__bits - 1) ? __value - (1ll << __bits) : __value;
}

template <unsigned __pieces, bool __signed_d, bool __signed_a, bool __signed_b, bool __saturates, bool __joins, typename __F, typename __G>
static inline unsigned __ptx_video(unsigned __a, unsigned __b, unsigned __c, __F __call, __G __join)
{
    const unsigned __bits = 32 / __pieces;
    const long long __least = __signed_d ? -(1ll << (__bits - 1)) : 0, __most = __least + (1ll << __bits) - 1;
    unsigned __word = 0;
    long long __sum = __c;
    for (unsigned __i = 0; __i < __pieces; __i++) {
        long long __value = __call(__ptx_piece(__a, __i, __bits, __signed_a), __ptx_piece(__b, __i, __bits, __signed_b));
        __sum += __value;
        if (__saturates)
            __value = __value < __least ? __least : __value > __most ? __most : __value;
        __word |= (unsigned)(__value & ((1ll << __bits) - 1)) << __i * __bits;
    }
    if (!__joins)
        return __word;
    return __pieces > 1 ? (unsigned)__sum : (unsigned)__join(__ptx_piece(__word, 0, 32, __signed_d), __ptx_piece(__c, 0, 32, __signed_d));
}

/* A function of three bits, by its table. */
static inline unsigned __ptx_lop3(unsigned __a, unsigned __b, unsigned __c, unsigned __table)
{
    unsigned __result = 0;
    for (unsigned __i = 0; __i < 8; __i++)
        if (__table >> __i & 1)
            __result |= (__i & 4 ? __a : ~__a) & (__i & 2 ? __b : ~__b) & (__i & 1 ? __c : ~__c);
    return __result;
}

}

/* ---- hints ---- */

template <typename __T> static inline __T __ldlu(const __T *__p) { return *__p; }
template <typename __T> static inline __T __ldcv(const __T *__p) { __sim::__polled(true); return *__p; }
template <typename __T> static inline void __stwb(__T *__p, __T __value) { *__p = __value; }
template <typename __T> static inline void __stwt(__T *__p, __T __value) { *__p = __value; }
#ifndef __builtin_assume
#define __builtin_assume(...) ((void)0)
#endif
#define __prof_trigger(...) ((void)0)

#endif
#endif
