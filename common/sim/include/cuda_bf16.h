/* SPDX-License-Identifier: MIT */
/*
 * cuda_bf16.h - bfloat16 and pairs of it: conversions, arithmetic and comparisons, for host and device. Operations compute in
 * float and round once, to nearest even.
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__

#include "cuda_runtime.h"
#include "detail/sim_small_floats.h"

#ifdef __cplusplus

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };

struct __nv_bfloat16 {
    unsigned short __x;
    __nv_bfloat16() = default;
    __nv_bfloat16(const __nv_bfloat16_raw &__raw) : __x(__raw.x) {}
    __nv_bfloat16(float __value) : __x(__sim::__bf16_bits(__value)) {}
    __nv_bfloat16(double __value) : __x(__sim::__bf16_bits(__value)) {}
#define SIM_CONVERSIONS(__T) __nv_bfloat16(__T __value) : __x(__sim::__bf16_bits(__sim::__exactly(__value))) {}
    SIM_CONVERSIONS(short) SIM_CONVERSIONS(unsigned short) SIM_CONVERSIONS(int) SIM_CONVERSIONS(unsigned) SIM_CONVERSIONS(long long)
    SIM_CONVERSIONS(unsigned long long)
#undef SIM_CONVERSIONS
    operator float() const { return __sim::__bf16_value(__x); }
    operator __nv_bfloat16_raw() const { __nv_bfloat16_raw __raw = { __x }; return __raw; }
};

struct __attribute__((__aligned__(4))) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    __nv_bfloat162() = default;
    __nv_bfloat162(const __nv_bfloat16 &__low, const __nv_bfloat16 &__high) : x(__low), y(__high) {}
    __nv_bfloat162(const __nv_bfloat162_raw &__raw) : x(__nv_bfloat16_raw{ __raw.x }), y(__nv_bfloat16_raw{ __raw.y }) {}
    operator __nv_bfloat162_raw() const { __nv_bfloat162_raw __raw = { x.__x, y.__x }; return __raw; }
};

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat16 __float2bfloat16(float __v) { return __nv_bfloat16(__v); }
namespace __sim {
static inline __nv_bfloat16 __small_of(__nv_bfloat16 *, double __v, __way __how)
{
    __nv_bfloat16_raw __raw = { __rounded(__bf16_bits, __bf16_value, __v, __how) };
    return __raw;
}
}
SIM_SMALL_CONVERSIONS(bfloat16, __nv_bfloat16)
static inline __nv_bfloat16 __double2bfloat16(double __v) { return __nv_bfloat16(__v); }
static inline float __bfloat162float(__nv_bfloat16 __v) { return (float)__v; }
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 __v) { return __v.__x; }
static inline short __bfloat16_as_short(__nv_bfloat16 __v) { return (short)__v.__x; }
static inline __nv_bfloat16 __short_as_bfloat16(short __bits) { __nv_bfloat16_raw __raw = { (unsigned short)__bits }; return __raw; }
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short __bits) { __nv_bfloat16_raw __raw = { __bits }; return __raw; }
static inline __nv_bfloat162 __float2bfloat162_rn(float __v) { return __nv_bfloat162(__v, __v); }
static inline __nv_bfloat162 __floats2bfloat162_rn(float __low, float __high) { return __nv_bfloat162(__low, __high); }
static inline __nv_bfloat162 __float22bfloat162_rn(float2 __v) { return __nv_bfloat162(__v.x, __v.y); }
static inline float2 __bfloat1622float2(__nv_bfloat162 __v) { return make_float2(__v.x, __v.y); }
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 __v) { return __nv_bfloat162(__v, __v); }
static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 __low, __nv_bfloat16 __high) { return __nv_bfloat162(__low, __high); }
static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 __low, __nv_bfloat16 __high) { return __nv_bfloat162(__low, __high); }
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 __v) { return __v.x; }
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 __v) { return __v.y; }
static inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 __v) { return __nv_bfloat162(__v.x, __v.x); }
static inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 __v) { return __nv_bfloat162(__v.y, __v.y); }
static inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 __a, __nv_bfloat162 __b) { return __nv_bfloat162(__a.x, __b.x); }
static inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 __a, __nv_bfloat162 __b) { return __nv_bfloat162(__a.y, __b.y); }
static inline float __low2float(__nv_bfloat162 __v) { return __v.x; }
static inline float __high2float(__nv_bfloat162 __v) { return __v.y; }

#define SIM_BF16(__name, __op) \
    static inline __nv_bfloat16 __name(__nv_bfloat16 __a, __nv_bfloat16 __b) { return (float)__a __op (float)__b; } \
    static inline __nv_bfloat162 __name##2(__nv_bfloat162 __a, __nv_bfloat162 __b) \
    { return __nv_bfloat162(__name(__a.x, __b.x), __name(__a.y, __b.y)); } \
    static inline __nv_bfloat16 operator __op(const __nv_bfloat16 &__a, const __nv_bfloat16 &__b) { return __name(__a, __b); } \
    static inline __nv_bfloat16 &operator __op##=(__nv_bfloat16 &__a, const __nv_bfloat16 &__b) { return __a = __name(__a, __b); } \
    static inline __nv_bfloat162 operator __op(const __nv_bfloat162 &__a, const __nv_bfloat162 &__b) { return __name##2(__a, __b); }
SIM_BF16(__hadd, +)
SIM_BF16(__hsub, -)
SIM_BF16(__hmul, *)
SIM_BF16(__hdiv, /)
#undef SIM_BF16
static inline __nv_bfloat16 __hfma(__nv_bfloat16 __a, __nv_bfloat16 __b, __nv_bfloat16 __c)
{
    return (double)(float)__a * (double)(float)__b + (double)(float)__c;
}
static inline __nv_bfloat162 __hfma2(__nv_bfloat162 __a, __nv_bfloat162 __b, __nv_bfloat162 __c)
{
    return __nv_bfloat162(__hfma(__a.x, __b.x, __c.x), __hfma(__a.y, __b.y, __c.y));
}
static inline __nv_bfloat16 __hneg(__nv_bfloat16 __a) { return __ushort_as_bfloat16(__a.__x ^ 0x8000); }
static inline __nv_bfloat16 __habs(__nv_bfloat16 __a) { return __ushort_as_bfloat16(__a.__x & 0x7fff); }
static inline __nv_bfloat16 operator-(const __nv_bfloat16 &__a) { return __hneg(__a); }
#define SIM_BF16_COMPARES(__name, __op) \
    static inline bool __name(__nv_bfloat16 __a, __nv_bfloat16 __b) { return (float)__a __op (float)__b; } \
    static inline bool operator __op(const __nv_bfloat16 &__a, const __nv_bfloat16 &__b) { return (float)__a __op (float)__b; }
SIM_BF16_COMPARES(__heq, ==)
SIM_BF16_COMPARES(__hlt, <)
SIM_BF16_COMPARES(__hle, <=)
SIM_BF16_COMPARES(__hgt, >)
SIM_BF16_COMPARES(__hge, >=)
#undef SIM_BF16_COMPARES
static inline bool operator!=(const __nv_bfloat16 &__a, const __nv_bfloat16 &__b) { return (float)__a != (float)__b; }
static inline __nv_bfloat16 __hmax(__nv_bfloat16 __a, __nv_bfloat16 __b) { return __a != __a ? __b : __b != __b ? __a : __a > __b ? __a : __b; }
static inline __nv_bfloat16 __hmin(__nv_bfloat16 __a, __nv_bfloat16 __b) { return __a != __a ? __b : __b != __b ? __a : __a < __b ? __a : __b; }
#define SIM_BF16_FUNCTION(__name, __is) \
    static inline __nv_bfloat16 h##__name(__nv_bfloat16 __h) { const double __a = (float)__h; return __is; } \
    static inline __nv_bfloat162 h2##__name(__nv_bfloat162 __v) { return __nv_bfloat162(h##__name(__v.x), h##__name(__v.y)); }
SIM_BF16_FUNCTION(sqrt, __builtin_sqrt(__a))
SIM_BF16_FUNCTION(exp, __builtin_exp(__a))
SIM_BF16_FUNCTION(exp2, __builtin_exp2(__a))
SIM_BF16_FUNCTION(log, __builtin_log(__a))
SIM_BF16_FUNCTION(log2, __builtin_log2(__a))
SIM_BF16_FUNCTION(sin, __builtin_sin(__a))
SIM_BF16_FUNCTION(cos, __builtin_cos(__a))
SIM_BF16_FUNCTION(tanh, __builtin_tanh(__a))
SIM_BF16_FUNCTION(rsqrt, 1 / __builtin_sqrt(__a))
SIM_BF16_FUNCTION(rcp, 1 / __a)
#undef SIM_BF16_FUNCTION
SIM_SHUFFLES(__nv_bfloat16)
SIM_SHUFFLES(__nv_bfloat162)
static inline bool __hisnan(__nv_bfloat16 __a) { return __a != __a; }
static inline __nv_bfloat16 atomicAdd(__nv_bfloat16 *__p, __nv_bfloat16 __v)
{
    return __sim::__change(__p, [__v](__nv_bfloat16 __old) { return __old + __v; });
}
static inline __nv_bfloat162 atomicAdd(__nv_bfloat162 *__p, __nv_bfloat162 __v)
{
    return __sim::__change(__p, [__v](__nv_bfloat162 __old) { return __old + __v; });
}

#endif
#endif
