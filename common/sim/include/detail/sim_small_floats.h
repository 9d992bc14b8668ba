/* SPDX-License-Identifier: MIT */
/*
 * sim_small_floats.h - conversions between numbers of 16 bits, half and bfloat16, and others, rounded in each of the four ways.
 *
 * Both formats are ordered as their bits are, sign apart: the neighbour of a number is one more or one less. So a value that
 * was rounded to the nearest one (__bits) is a step away, at most, from what the other ways give.
 */
#ifndef SIM_INCLUDE_SMALL_FLOATS_H
#define SIM_INCLUDE_SMALL_FLOATS_H

#ifdef __cplusplus

#include "sim_at_once.h"

namespace __sim {

enum __way { __to_nearest, __to_zero, __to_below, __to_above };

/* A 64-bit integer as a double that lies on the same side of whatever has at most 52 bits: the last bit says that some were cut. */
template <typename __T> static inline SIM_AT_ONCE(double) __cut_long(__T __v)
{
    const bool __below_zero = __v < 0;
    unsigned long long __size = __below_zero ? -(unsigned long long)__v : (unsigned long long)__v;
    if (__size >> 53)
        __size = (__size & ~2047ull) | (unsigned long long)((__size & 2047) != 0) << 11;
    return __below_zero ? -(double)__size : (double)__size;
}
static inline double __exactly(double __v) { return __v; }
static inline double __exactly(float __v) { return __v; }
static inline double __exactly(short __v) { return __v; }
static inline double __exactly(unsigned short __v) { return __v; }
static inline double __exactly(int __v) { return __v; }
static inline double __exactly(unsigned __v) { return __v; }
static inline double __exactly(long long __v) { return __cut_long(__v); }
static inline double __exactly(unsigned long long __v) { return __cut_long(__v); }

/* `__bits` rounds to nearest, `__value` is what bits stand for. */
template <typename __B, typename __V> static inline unsigned short __rounded(__B __bits, __V __value, double __v, __way __how)
{
    unsigned short __r = __bits(__v);
    const double __is = __value(__r);
    if (__how == __to_nearest || __v != __v || __is == __v)
        return __r;
    const bool __negative = __v < 0, __too_large = __negative ? __is < __v : __is > __v;
    const bool __outwards = __how == (__negative ? __to_below : __to_above);
    if (__too_large && !__outwards)
        __r--;
    if (!__too_large && __outwards)
        __r++;
    return __r;
}

/* ---- bits and values ---- */

static inline unsigned short __half_bits(double __value)
{
    unsigned long long __bits;
    __builtin_memcpy(&__bits, &__value, sizeof __bits);
    unsigned __sign = (unsigned)(__bits >> 48 & 0x8000);
    double __size = __builtin_fabs(__value);
    if (__size != __size)
        return 0x7fff;
    if (__size >= 65520)
        return (unsigned short)(__sign | 0x7c00);
    const double __whole = 4503599627370496.0;    /* 2^52: what is added to it is rounded to an integer */
    if (__size < 1.0 / 16384)
        return (unsigned short)(__sign | (unsigned)(__size * 16777216 + __whole - __whole));
    unsigned __exponent = (unsigned)(__bits >> 52 & 0x7ff) - 1023 + 15;
    __bits = (__bits & 0xfffffffffffffull) | 1033ull << 52;         /* 1024 to 2048 */
    __builtin_memcpy(&__size, &__bits, sizeof __size);
    return (unsigned short)(__sign | ((__exponent << 10) + (unsigned)(__size + __whole - __whole) - 1024));
}

static inline float __half_value(unsigned short __h)
{
    unsigned __sign = (__h & 0x8000u) << 16, __exponent = __h >> 10 & 31, __fraction = __h & 0x3ffu;
    if (__exponent == 0)
        return (__sign ? -1.0f : 1.0f) / 16777216 * (float)__fraction;
    unsigned __bits = __sign | (__exponent == 31 ? 0x7f800000u : (__exponent + 112) << 23) | __fraction << 13;
    float __value;
    __builtin_memcpy(&__value, &__bits, sizeof __value);
    return __value;
}

/* Rounded once: a float that lies on the same side of whatever has 8 bits comes between. */
static inline unsigned short __bf16_bits(double __exact)
{
    float __value = (float)__exact;
    unsigned __bits;
    __builtin_memcpy(&__bits, &__value, sizeof __bits);
    if (__value != __value)
        return 0x7fff;
    if ((double)__value != __exact)
        __bits = (__bits - (__builtin_fabs((double)__value) > __builtin_fabs(__exact))) | 1;
    return (unsigned short)((__bits + 0x7fff + (__bits >> 16 & 1)) >> 16);
}

static inline float __bf16_value(unsigned short __h)
{
    unsigned __bits = (unsigned)__h << 16;
    float __value;
    __builtin_memcpy(&__value, &__bits, sizeof __value);
    return __value;
}

/* An integral value; what is too large becomes the largest, no number `__none`. */
template <typename __T> static inline __T __whole_of(float __v, __way __how, __T __none)
{
    const bool __is_signed = (__T)-1 < (__T)0;
    const __T __most = __is_signed ? (__T)(((1ull << (8 * sizeof(__T) - 2)) - 1) * 2 + 1) : (__T)-1;
    const __T __least = __is_signed ? (__T)(-__most - 1) : (__T)0;
    if (__v != __v)
        return __none;
    __v = __how == __to_nearest ? __builtin_rintf(__v) : __how == __to_zero ? __builtin_truncf(__v) :
          __how == __to_below ? __builtin_floorf(__v) : __builtin_ceilf(__v);
    return __v >= (float)__most ? __most : __v <= (float)__least ? __least : (__T)__v;
}

}

/* __int2NAME_rn, rz, rd and ru, and so on of each type; __NAME2int_rn likewise. */
#define SIM_SMALL_FROM(__name, __small, __from, __T) \
    SIM_SMALL_WAYS(__from##2##__name, __small, __T)
#define SIM_SMALL_WAYS(__stem, __small, __T) \
    SIM_SMALL_WAY(__stem##_rn, __small, __T, __to_nearest) SIM_SMALL_WAY(__stem##_rz, __small, __T, __to_zero) \
    SIM_SMALL_WAY(__stem##_rd, __small, __T, __to_below) SIM_SMALL_WAY(__stem##_ru, __small, __T, __to_above)
#define SIM_SMALL_WAY(__f, __small, __T, __how) \
    static inline __small __##__f(__T __v) { return __sim::__small_of((__small *)0, __sim::__exactly(__v), __sim::__how); }
#define SIM_SMALL_TO(__name, __small, __to, __T, __none) \
    SIM_WHOLE_WAY(__name##2##__to##_rn, __small, __T, __to_nearest, __none) SIM_WHOLE_WAY(__name##2##__to##_rz, __small, __T, __to_zero, __none) \
    SIM_WHOLE_WAY(__name##2##__to##_rd, __small, __T, __to_below, __none) SIM_WHOLE_WAY(__name##2##__to##_ru, __small, __T, __to_above, __none)
#define SIM_WHOLE_WAY(__f, __small, __T, __how, __none) \
    static inline __T __##__f(__small __v) { return __sim::__whole_of<__T>((float)__v, __sim::__how, __none); }
#define SIM_SMALL_CONVERSIONS(__name, __small) \
    SIM_SMALL_FROM(__name, __small, float, float) SIM_SMALL_FROM(__name, __small, short, short) \
    SIM_SMALL_FROM(__name, __small, ushort, unsigned short) SIM_SMALL_FROM(__name, __small, int, int) \
    SIM_SMALL_FROM(__name, __small, uint, unsigned int) SIM_SMALL_FROM(__name, __small, ll, long long) \
    SIM_SMALL_FROM(__name, __small, ull, unsigned long long) \
    SIM_SMALL_TO(__name, __small, short, short, 0) SIM_SMALL_TO(__name, __small, ushort, unsigned short, 0) \
    SIM_SMALL_TO(__name, __small, int, int, 0) SIM_SMALL_TO(__name, __small, uint, unsigned int, 0) \
    SIM_SMALL_TO(__name, __small, ll, long long, (long long)0x8000000000000000ll) \
    SIM_SMALL_TO(__name, __small, ull, unsigned long long, 0x8000000000000000ull) \
    SIM_WHOLE_WAY(__name##2char_rz, __small, signed char, __to_zero, 0) SIM_WHOLE_WAY(__name##2uchar_rz, __small, unsigned char, __to_zero, 0)

#endif
#endif
