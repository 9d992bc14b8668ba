/* SPDX-License-Identifier: MIT */
/*
 * cuda_fp16.h - half and half2: conversions, arithmetic, comparisons, for host and device.
 *
 * Operations compute in double and round once, to nearest even: of two halves
 * a sum, product, quotient, square root or fused multiply-add that is rounded to
 * double first is still rounded rightly to half. A NaN that comes of a
 * conversion is 0x7fff, as a card's.
 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__

#include "cuda_runtime.h"

#ifdef __cplusplus

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

namespace sim {

static inline unsigned short half_bits(double value)
{
    unsigned long long bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    unsigned sign = (unsigned)(bits >> 48 & 0x8000);
    double size = __builtin_fabs(value);
    if (size != size)
        return 0x7fff;
    if (size >= 65520)
        return (unsigned short)(sign | 0x7c00);
    const double whole = 4503599627370496.0;    /* 2^52: what is added to it is rounded to an integer */
    if (size < 0x1p-14)
        return (unsigned short)(sign | (unsigned)(size * 0x1p24 + whole - whole));
    unsigned exponent = (unsigned)(bits >> 52 & 0x7ff) - 1023 + 15;
    bits = (bits & 0xfffffffffffffull) | 1033ull << 52;         /* 1024 to 2048 */
    __builtin_memcpy(&size, &bits, sizeof size);
    return (unsigned short)(sign | ((exponent << 10) + (unsigned)(size + whole - whole) - 1024));
}

static inline float half_value(unsigned short half)
{
    unsigned sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ffu;
    if (exponent == 0)
        return (sign ? -0x1p-24f : 0x1p-24f) * (float)fraction;
    unsigned bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
    float value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

/* Towards 0; what is too large becomes the largest, no number 0. */
template <typename T> static inline T half_to(float value)
{
    const bool is_signed = (T)-1 < (T)0;
    const T most = is_signed ? (T)(((1ull << (8 * sizeof(T) - 2)) - 1) * 2 + 1) : (T)-1;
    const T least = is_signed ? (T)(-most - 1) : (T)0;
    return value != value ? (T)0 : value >= (float)most ? most : value <= (float)least ? least : (T)value;
}

}

#define SIM_HALF_INTEGERS(X) \
    X(short) X(unsigned short) X(int) X(unsigned int) X(long long) X(unsigned long long)

struct __half {
    unsigned short __x;
    __half() = default;
    __half(const __half_raw &raw) : __x(raw.x) {}
    __half(float value) : __x(sim::half_bits(value)) {}
    __half(double value) : __x(sim::half_bits(value)) {}
    operator __half_raw() const { __half_raw raw = { __x }; return raw; }
    operator float() const { return sim::half_value(__x); }
    operator bool() const { return (__x & 0x7fff) != 0; }
#define SIM_CONVERSIONS(T) \
    __half(T value) : __x(sim::half_bits((double)value)) {} \
    operator T() const { return sim::half_to<T>(sim::half_value(__x)); }
    SIM_HALF_INTEGERS(SIM_CONVERSIONS)
#undef SIM_CONVERSIONS
};

struct __attribute__((aligned(4))) __half2 {
    __half x, y;
    __half2() = default;
    __half2(const __half &low, const __half &high) : x(low), y(high) {}
};

typedef __half half, nv_half, __nv_half;
typedef __half2 half2, nv_half2, __nv_half2;

/* ---- conversions ---- */

static inline __half __float2half(float v) { return __half(v); }
static inline __half __float2half_rn(float v) { return __half(v); }
static inline __half __double2half(double v) { return __half(v); }
static inline __half __int2half_rn(int v) { return __half(v); }
static inline __half __uint2half_rn(unsigned v) { return __half(v); }
static inline float __half2float(__half v) { return (float)v; }
static inline int __half2int_rz(__half v) { return (int)v; }
static inline int __half2int_rn(__half v) { return sim::half_to<int>(__builtin_rintf((float)v)); }
static inline unsigned __half2uint_rz(__half v) { return (unsigned)v; }
static inline unsigned short __half_as_ushort(__half v) { return v.__x; }
static inline short __half_as_short(__half v) { return (short)v.__x; }
static inline __half __ushort_as_half(unsigned short bits) { __half_raw raw = { bits }; return raw; }
static inline __half __short_as_half(short bits) { return __ushort_as_half((unsigned short)bits); }

static inline __half2 make_half2(__half low, __half high) { return __half2(low, high); }
static inline __half2 __halves2half2(__half low, __half high) { return __half2(low, high); }
static inline __half2 __half2half2(__half v) { return __half2(v, v); }
static inline __half2 __float2half2_rn(float v) { return __half2(v, v); }
static inline __half2 __floats2half2_rn(float low, float high) { return __half2(low, high); }
static inline __half2 __float22half2_rn(float2 v) { return __half2(v.x, v.y); }
static inline float2 __half22float2(__half2 v) { return make_float2(v.x, v.y); }
static inline __half __low2half(__half2 v) { return v.x; }
static inline __half __high2half(__half2 v) { return v.y; }
static inline float __low2float(__half2 v) { return v.x; }
static inline float __high2float(__half2 v) { return v.y; }
static inline __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
static inline __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
static inline __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }

/* ---- arithmetic; the same of both halves ---- */

#define SIM_HALF_OF_TWO(name, is) \
    static inline __half name(__half a, __half b) { return is; }
#define SIM_HALVES(name) \
    static inline __half2 name##2(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); }
#define SIM_HALF_OPERATOR(name, op) \
    SIM_HALF_OF_TWO(name, (double)(float)a op (double)(float)b) \
    static inline __half operator op(const __half &a, const __half &b) { return name(a, b); } \
    static inline __half &operator op##=(__half &a, const __half &b) { return a = name(a, b); }
#define SIM_HALVES_OPERATOR(name, name2, op) \
    static inline __half2 name2(__half2 a, __half2 b) { return __half2(name(a.x, b.x), name(a.y, b.y)); } \
    static inline __half2 operator op(const __half2 &a, const __half2 &b) { return name2(a, b); } \
    static inline __half2 &operator op##=(__half2 &a, const __half2 &b) { return a = name2(a, b); }
SIM_HALF_OPERATOR(__hadd, +)
SIM_HALF_OPERATOR(__hsub, -)
SIM_HALF_OPERATOR(__hmul, *)
SIM_HALF_OPERATOR(__hdiv, /)
SIM_HALVES_OPERATOR(__hadd, __hadd2, +)
SIM_HALVES_OPERATOR(__hsub, __hsub2, -)
SIM_HALVES_OPERATOR(__hmul, __hmul2, *)
SIM_HALVES_OPERATOR(__hdiv, __h2div, /)

/* Of two numbers the one that is; both zeros: -0 is less. */
SIM_HALF_OF_TWO(__hmin, (float)a != (float)a ? b : (float)b != (float)b ? a : (float)a < (float)b ||
                        ((float)a == (float)b && a.__x >> 15) ? a : b)
SIM_HALF_OF_TWO(__hmax, (float)a != (float)a ? b : (float)b != (float)b ? a : (float)a > (float)b ||
                        ((float)a == (float)b && !(a.__x >> 15)) ? a : b)
SIM_HALVES(__hmin)
SIM_HALVES(__hmax)

static inline __half __hneg(__half a) { return __ushort_as_half(a.__x ^ 0x8000); }
static inline __half __habs(__half a) { return __ushort_as_half(a.__x & 0x7fff); }
static inline __half2 __hneg2(__half2 a) { return __half2(__hneg(a.x), __hneg(a.y)); }
static inline __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
static inline __half __hfma(__half a, __half b, __half c)
{
    return (double)(float)a * (double)(float)b + (double)(float)c;
}
static inline __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
    return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}
static inline __half operator+(const __half &a) { return a; }
static inline __half operator-(const __half &a) { return __hneg(a); }
static inline __half2 operator-(const __half2 &a) { return __hneg2(a); }

static inline __half hsqrt(__half a) { return __builtin_sqrt((double)(float)a); }
static inline __half hfloor(__half a) { return __builtin_floorf((float)a); }
static inline __half hceil(__half a) { return __builtin_ceilf((float)a); }
static inline __half htrunc(__half a) { return __builtin_truncf((float)a); }
static inline __half hrint(__half a) { return __builtin_rintf((float)a); }

/* ---- comparisons ---- */

#define SIM_HALF_COMPARES(name, op) \
    static inline bool name(__half a, __half b) { return (float)a op (float)b; } \
    static inline bool operator op(const __half &a, const __half &b) { return (float)a op (float)b; } \
    static inline __half2 name##2(__half2 a, __half2 b) { return __half2(name(a.x, b.x) ? 1 : 0, name(a.y, b.y) ? 1 : 0); }
SIM_HALF_COMPARES(__heq, ==)
SIM_HALF_COMPARES(__hlt, <)
SIM_HALF_COMPARES(__hle, <=)
SIM_HALF_COMPARES(__hgt, >)
SIM_HALF_COMPARES(__hge, >=)
static inline bool __hisnan(__half a) { return (a.__x & 0x7fff) > 0x7c00; }
static inline int __hisinf(__half a) { return (a.__x & 0x7fff) != 0x7c00 ? 0 : a.__x >> 15 ? -1 : 1; }
/* False of what is no number, too; the operator is true of it, as C's. */
static inline bool __hne(__half a, __half b) { return !__hisnan(a) && !__hisnan(b) && (float)a != (float)b; }
static inline bool __hneu(__half a, __half b) { return (float)a != (float)b; }
static inline __half2 __hne2(__half2 a, __half2 b)
{
    return __half2(__hne(a.x, b.x) ? 1 : 0, __hne(a.y, b.y) ? 1 : 0);
}
static inline bool operator!=(const __half &a, const __half &b) { return (float)a != (float)b; }

/* ---- atomics ---- */

static inline __half atomicAdd(__half *p, __half v) { return sim::change(p, [v](__half old) { return old + v; }); }
static inline __half2 atomicAdd(__half2 *p, __half2 v) { return sim::change(p, [v](__half2 old) { return old + v; }); }

#undef SIM_HALF_INTEGERS
#undef SIM_HALF_OF_TWO
#undef SIM_HALVES
#undef SIM_HALF_OPERATOR
#undef SIM_HALVES_OPERATOR
#undef SIM_HALF_COMPARES

#endif
#endif
