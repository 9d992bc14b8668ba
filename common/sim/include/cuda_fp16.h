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
#include "detail/sim_small_floats.h"

#ifdef __cplusplus

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };

#define SIM_HALF_INTEGERS(__X) \
    __X(short) __X(unsigned short) __X(int) __X(unsigned int) __X(long long) __X(unsigned long long)

struct __half {
    unsigned short __x;
    __half() = default;
    __half(const __half_raw &__raw) : __x(__raw.x) {}
    __half(float __value) : __x(__sim::__half_bits(__value)) {}
    __half(double __value) : __x(__sim::__half_bits(__value)) {}
    operator __half_raw() const { __half_raw __raw = { __x }; return __raw; }
    operator float() const { return __sim::__half_value(__x); }
    operator bool() const { return (__x & 0x7fff) != 0; }
#define SIM_CONVERSIONS(__T) \
    __half(__T __value) : __x(__sim::__half_bits(__sim::__exactly(__value))) {} \
    operator __T() const { return __sim::__whole_of<__T>(__sim::__half_value(__x), __sim::__to_zero, sizeof(__T) == 8 ? (__T)1 << 63 : (__T)0); }
    SIM_HALF_INTEGERS(SIM_CONVERSIONS)
#undef SIM_CONVERSIONS
};

struct __attribute__((__aligned__(4))) __half2 {
    __half x, y;
    __half2() = default;
    __half2(const __half &__low, const __half &__high) : x(__low), y(__high) {}
    __half2(const __half2_raw &__raw) : x(__half_raw{ __raw.x }), y(__half_raw{ __raw.y }) {}
    operator __half2_raw() const { __half2_raw __raw = { x.__x, y.__x }; return __raw; }
};

typedef __half half, nv_half, __nv_half;
typedef __half2 half2, nv_half2, __nv_half2;

/* ---- conversions ---- */

namespace __sim {
static inline __half __small_of(__half *, double __v, __way __how)
{
    __half_raw __raw = { __rounded(__half_bits, __half_value, __v, __how) };
    return __raw;
}
static inline __half __no_half() { __half_raw __raw = { 0x7fff }; return __raw; }
}
SIM_SMALL_CONVERSIONS(half, __half)
static inline __half __float2half(float __v) { return __half(__v); }
static inline __half __double2half(double __v) { return __half(__v); }
static inline float __half2float(__half __v) { return (float)__v; }
static inline unsigned short __half_as_ushort(__half __v) { return __v.__x; }
static inline short __half_as_short(__half __v) { return (short)__v.__x; }
static inline __half __ushort_as_half(unsigned short __bits) { __half_raw __raw = { __bits }; return __raw; }
static inline __half __short_as_half(short __bits) { return __ushort_as_half((unsigned short)__bits); }

static inline __half2 make_half2(__half __low, __half __high) { return __half2(__low, __high); }
static inline __half2 __halves2half2(__half __low, __half __high) { return __half2(__low, __high); }
static inline __half2 __half2half2(__half __v) { return __half2(__v, __v); }
static inline __half2 __float2half2_rn(float __v) { return __half2(__v, __v); }
static inline __half2 __floats2half2_rn(float __low, float __high) { return __half2(__low, __high); }
static inline __half2 __float22half2_rn(float2 __v) { return __half2(__v.x, __v.y); }
static inline float2 __half22float2(__half2 __v) { return make_float2(__v.x, __v.y); }
static inline __half __low2half(__half2 __v) { return __v.x; }
static inline __half __high2half(__half2 __v) { return __v.y; }
static inline float __low2float(__half2 __v) { return __v.x; }
static inline float __high2float(__half2 __v) { return __v.y; }
static inline __half2 __low2half2(__half2 __v) { return __half2(__v.x, __v.x); }
static inline __half2 __high2half2(__half2 __v) { return __half2(__v.y, __v.y); }
static inline __half2 __lowhigh2highlow(__half2 __v) { return __half2(__v.y, __v.x); }
static inline __half2 __lows2half2(__half2 __a, __half2 __b) { return __half2(__a.x, __b.x); }
static inline __half2 __highs2half2(__half2 __a, __half2 __b) { return __half2(__a.y, __b.y); }

/* ---- arithmetic; the same of both halves ---- */

#define SIM_HALF_OF_TWO(__name, __is) \
    static inline __half __name(__half __a, __half __b) { return __is; }
#define SIM_HALVES(__name) \
    static inline __half2 __name##2(__half2 __a, __half2 __b) { return __half2(__name(__a.x, __b.x), __name(__a.y, __b.y)); }
#define SIM_HALF_OPERATOR(__name, __op) \
    SIM_HALF_OF_TWO(__name, (double)(float)__a __op (double)(float)__b) \
    static inline __half operator __op(const __half &__a, const __half &__b) { return __name(__a, __b); } \
    static inline __half &operator __op##=(__half &__a, const __half &__b) { return __a = __name(__a, __b); }
#define SIM_HALVES_OPERATOR(__name, __name2, __op) \
    static inline __half2 __name2(__half2 __a, __half2 __b) { return __half2(__name(__a.x, __b.x), __name(__a.y, __b.y)); } \
    static inline __half2 operator __op(const __half2 &__a, const __half2 &__b) { return __name2(__a, __b); } \
    static inline __half2 &operator __op##=(__half2 &__a, const __half2 &__b) { return __a = __name2(__a, __b); }
SIM_HALF_OPERATOR(__hadd, +)
SIM_HALF_OPERATOR(__hsub, -)
SIM_HALF_OPERATOR(__hmul, *)
SIM_HALF_OPERATOR(__hdiv, /)
SIM_HALVES_OPERATOR(__hadd, __hadd2, +)
SIM_HALVES_OPERATOR(__hsub, __hsub2, -)
SIM_HALVES_OPERATOR(__hmul, __hmul2, *)
SIM_HALVES_OPERATOR(__hdiv, __h2div, /)
/* What is never joined to a fused multiply-add. */
SIM_HALF_OF_TWO(__hadd_rn, __hadd(__a, __b))
SIM_HALF_OF_TWO(__hsub_rn, __hsub(__a, __b))
SIM_HALF_OF_TWO(__hmul_rn, __hmul(__a, __b))
static inline __half2 __hadd2_rn(__half2 __a, __half2 __b) { return __hadd2(__a, __b); }
static inline __half2 __hsub2_rn(__half2 __a, __half2 __b) { return __hsub2(__a, __b); }
static inline __half2 __hmul2_rn(__half2 __a, __half2 __b) { return __hmul2(__a, __b); }

/* Of two numbers the one that is; both zeros: -0 is less. */
SIM_HALF_OF_TWO(__hmin, (float)__a != (float)__a ? __b : (float)__b != (float)__b ? __a : (float)__a < (float)__b
                        || ((float)__a == (float)__b && __a.__x >> 15) ? __a : __b)
SIM_HALF_OF_TWO(__hmax, (float)__a != (float)__a ? __b : (float)__b != (float)__b ? __a : (float)__a > (float)__b
                        || ((float)__a == (float)__b && !(__a.__x >> 15)) ? __a : __b)
SIM_HALF_OF_TWO(__hmin_nan, (float)__a != (float)__a || (float)__b != (float)__b ? __sim::__no_half() : __hmin(__a, __b))
SIM_HALF_OF_TWO(__hmax_nan, (float)__a != (float)__a || (float)__b != (float)__b ? __sim::__no_half() : __hmax(__a, __b))
SIM_HALVES(__hmin)
SIM_HALVES(__hmax)
static inline __half2 __hmin2_nan(__half2 __a, __half2 __b) { return __half2(__hmin_nan(__a.x, __b.x), __hmin_nan(__a.y, __b.y)); }
static inline __half2 __hmax2_nan(__half2 __a, __half2 __b) { return __half2(__hmax_nan(__a.x, __b.x), __hmax_nan(__a.y, __b.y)); }

static inline __half __hneg(__half __a) { return __ushort_as_half(__a.__x ^ 0x8000); }
static inline __half __habs(__half __a) { return __ushort_as_half(__a.__x & 0x7fff); }
static inline __half2 __hneg2(__half2 __a) { return __half2(__hneg(__a.x), __hneg(__a.y)); }
static inline __half2 __habs2(__half2 __a) { return __half2(__habs(__a.x), __habs(__a.y)); }
static inline __half __hfma(__half __a, __half __b, __half __c)
{
    return (double)(float)__a * (double)(float)__b + (double)(float)__c;
}
static inline __half2 __hfma2(__half2 __a, __half2 __b, __half2 __c)
{
    return __half2(__hfma(__a.x, __b.x, __c.x), __hfma(__a.y, __b.y, __c.y));
}
static inline __half operator+(const __half &__a) { return __a; }
static inline __half operator-(const __half &__a) { return __hneg(__a); }
static inline __half2 operator-(const __half2 &__a) { return __hneg2(__a); }

static inline __half hsqrt(__half __a) { return __builtin_sqrt((double)(float)__a); }
static inline __half2 h2sqrt(__half2 __a) { return __half2(hsqrt(__a.x), hsqrt(__a.y)); }
#define SIM_HALF_FUNCTION(__name, __is) \
    static inline __half h##__name(__half __h) { const float __a = (float)__h; return __is; } \
    static inline __half2 h2##__name(__half2 __v) { return __half2(h##__name(__v.x), h##__name(__v.y)); }
SIM_HALF_FUNCTION(floor, __builtin_floorf(__a))
SIM_HALF_FUNCTION(ceil, __builtin_ceilf(__a))
SIM_HALF_FUNCTION(trunc, __builtin_truncf(__a))
SIM_HALF_FUNCTION(rint, __builtin_rintf(__a))
SIM_HALF_FUNCTION(exp, __builtin_exp((double)__a))
SIM_HALF_FUNCTION(exp2, __builtin_exp2((double)__a))
SIM_HALF_FUNCTION(exp10, __builtin_pow(10, (double)__a))
SIM_HALF_FUNCTION(log, __builtin_log((double)__a))
SIM_HALF_FUNCTION(log2, __builtin_log2((double)__a))
SIM_HALF_FUNCTION(log10, __builtin_log10((double)__a))
SIM_HALF_FUNCTION(sin, __builtin_sin((double)__a))
SIM_HALF_FUNCTION(cos, __builtin_cos((double)__a))
SIM_HALF_FUNCTION(tanh, __builtin_tanh((double)__a))
SIM_HALF_FUNCTION(rsqrt, 1 / __builtin_sqrt((double)__a))
SIM_HALF_FUNCTION(rcp, 1 / (double)__a)
#undef SIM_HALF_FUNCTION
SIM_SHUFFLES(__half)
SIM_SHUFFLES(__half2)

/* ---- comparisons ---- */

#define SIM_HALF_COMPARES(__name, __op) \
    static inline bool __name(__half __a, __half __b) { return (float)__a __op (float)__b; } \
    static inline bool operator __op(const __half &__a, const __half &__b) { return (float)__a __op (float)__b; } \
    static inline __half2 __name##2(__half2 __a, __half2 __b) { return __half2(__name(__a.x, __b.x) ? 1 : 0, __name(__a.y, __b.y) ? 1 : 0); }
SIM_HALF_COMPARES(__heq, ==)
SIM_HALF_COMPARES(__hlt, <)
SIM_HALF_COMPARES(__hle, <=)
SIM_HALF_COMPARES(__hgt, >)
SIM_HALF_COMPARES(__hge, >=)
static inline bool __hisnan(__half __a) { return (__a.__x & 0x7fff) > 0x7c00; }
static inline int __hisinf(__half __a) { return (__a.__x & 0x7fff) != 0x7c00 ? 0 : __a.__x >> 15 ? -1 : 1; }
/* False of what is no number, too; the operator is true of it, as C's. */
static inline bool __hne(__half __a, __half __b) { return !__hisnan(__a) && !__hisnan(__b) && (float)__a != (float)__b; }
static inline bool __hneu(__half __a, __half __b) { return (float)__a != (float)__b; }
static inline __half2 __hne2(__half2 __a, __half2 __b)
{
    return __half2(__hne(__a.x, __b.x) ? 1 : 0, __hne(__a.y, __b.y) ? 1 : 0);
}
static inline bool operator!=(const __half &__a, const __half &__b) { return (float)__a != (float)__b; }
/* Of pairs: both. What ends in u is true of what is no number, too. */
#define SIM_HALF_BOTH(__name) \
    static inline bool __hb##__name##2(__half2 __a, __half2 __b) { return __h##__name(__a.x, __b.x) && __h##__name(__a.y, __b.y); }
#define SIM_HALF_UNORDERED(__name) \
    static inline bool __h##__name##u(__half __a, __half __b) { return __hisnan(__a) || __hisnan(__b) || __h##__name(__a, __b); } \
    static inline __half2 __h##__name##u2(__half2 __a, __half2 __b) { return __half2(__h##__name##u(__a.x, __b.x) ? 1 : 0, __h##__name##u(__a.y, __b.y) ? 1 : 0); }
SIM_HALF_UNORDERED(eq) SIM_HALF_UNORDERED(lt) SIM_HALF_UNORDERED(le) SIM_HALF_UNORDERED(gt) SIM_HALF_UNORDERED(ge)
SIM_HALF_BOTH(eq) SIM_HALF_BOTH(ne) SIM_HALF_BOTH(lt) SIM_HALF_BOTH(le) SIM_HALF_BOTH(gt) SIM_HALF_BOTH(ge)
static inline __half2 __hneu2(__half2 __a, __half2 __b) { return __half2(__hneu(__a.x, __b.x) ? 1 : 0, __hneu(__a.y, __b.y) ? 1 : 0); }
static inline __half2 __hisnan2(__half2 __a) { return __half2(__hisnan(__a.x) ? 1 : 0, __hisnan(__a.y) ? 1 : 0); }
/* As masks: all bits of a half where it is true. */
#define SIM_HALF_MASK(__name) \
    static inline unsigned __h##__name##2_mask(__half2 __a, __half2 __b) \
    { return (__h##__name(__a.x, __b.x) ? 0xffffu : 0) | (__h##__name(__a.y, __b.y) ? 0xffff0000u : 0); }
SIM_HALF_MASK(eq) SIM_HALF_MASK(ne) SIM_HALF_MASK(lt) SIM_HALF_MASK(le) SIM_HALF_MASK(gt) SIM_HALF_MASK(ge)
SIM_HALF_MASK(equ) SIM_HALF_MASK(neu) SIM_HALF_MASK(ltu) SIM_HALF_MASK(leu) SIM_HALF_MASK(gtu) SIM_HALF_MASK(geu)
#undef SIM_HALF_MASK
SIM_HALF_BOTH(equ) SIM_HALF_BOTH(neu) SIM_HALF_BOTH(ltu) SIM_HALF_BOTH(leu) SIM_HALF_BOTH(gtu) SIM_HALF_BOTH(geu)
#undef SIM_HALF_BOTH
#undef SIM_HALF_UNORDERED

/* Cut to 0 … 1, and at 0; of what is no number, 0. */
static inline __half __cut_half(__half __a, float __most)
{
    return !((float)__a > 0) ? __half(0.f) : (float)__a > __most ? __half(__most) : __a;
}
#define SIM_HALF_SATURATED(__name) \
    static inline __half __name##_sat(__half __a, __half __b) { return __cut_half(__name(__a, __b), 1); } \
    static inline __half2 __name##2_sat(__half2 __a, __half2 __b) { return __half2(__name##_sat(__a.x, __b.x), __name##_sat(__a.y, __b.y)); }
SIM_HALF_SATURATED(__hadd) SIM_HALF_SATURATED(__hsub) SIM_HALF_SATURATED(__hmul)
#undef SIM_HALF_SATURATED
static inline __half __hfma_sat(__half __a, __half __b, __half __c) { return __cut_half(__hfma(__a, __b, __c), 1); }
static inline __half2 __hfma2_sat(__half2 __a, __half2 __b, __half2 __c) { return __half2(__hfma_sat(__a.x, __b.x, __c.x), __hfma_sat(__a.y, __b.y, __c.y)); }
static inline __half __hfma_relu(__half __a, __half __b, __half __c)
{
    __half __r = __hfma(__a, __b, __c);
    return __hisnan(__r) ? __r : __cut_half(__r, __builtin_inff());
}
static inline __half2 __hfma2_relu(__half2 __a, __half2 __b, __half2 __c) { return __half2(__hfma_relu(__a.x, __b.x, __c.x), __hfma_relu(__a.y, __b.y, __c.y)); }

/* ---- atomics ---- */

static inline __half atomicAdd(__half *__p, __half __v) { return __sim::__change(__p, [__v](__half __old) { return __old + __v; }); }
static inline __half2 atomicAdd(__half2 *__p, __half2 __v) { return __sim::__change(__p, [__v](__half2 __old) { return __old + __v; }); }

#undef SIM_HALF_INTEGERS
#undef SIM_HALF_OF_TWO
#undef SIM_HALVES
#undef SIM_HALF_OPERATOR
#undef SIM_HALVES_OPERATOR
#undef SIM_HALF_COMPARES

#endif
#endif
