/* SPDX-License-Identifier: MIT */
/*
 * cuda_fp8.h - numbers of 8 bits, e4m3 and e5m2, one, two and four at a time: conversions, for host and device. There is no
 * arithmetic with them. A conversion to them rounds once, to nearest even.
 */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__

#include "cuda_fp16.h"
#include "cuda_bf16.h"

/* The toolkit leaves this one defined, and programs use it. */
#define __CUDA_ALIGN__(n) __align__(n)

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short int __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 } __nv_fp8_interpretation_t;

#ifdef __cplusplus

namespace __sim {

/* A value that is too large becomes the largest number; with __NV_NOSAT, infinity (in e4m3, which has none, NaN). */
static inline unsigned char __fp8_bits(double __value, __nv_saturation_t __saturate, __nv_fp8_interpretation_t __kind)
{
    const bool __wide = __kind == __NV_E5M2;
    const int __fraction_bits = __wide ? 2 : 3, __bias = __wide ? 15 : 7;
    const unsigned char __largest = __wide ? 0x7b : 0x7e;
    unsigned long long __bits;
    __builtin_memcpy(&__bits, &__value, sizeof __bits);
    const unsigned char __sign = (unsigned char)(__bits >> 63 << 7);
    const double __size = __builtin_fabs(__value);
    if (__size != __size)
        return (unsigned char)(__wide ? __sign | 0x7e | (__bits >> 50 & 3) : __sign | 0x7f);
    int __exponent = (int)(__bits >> 52 & 0x7ff) - 1023;
    if (__exponent < 1 - __bias)
        __exponent = 1 - __bias;                /* denormal numbers are as far apart as the smallest normal ones */
    unsigned __steps = 0x80;                    /* above all that there are */
    if (__exponent <= 16) {
        const double __whole = 4503599627370496.0;    /* 2^52: what is added to it is rounded to an integer */
        const double __step = __builtin_ldexp(1.0, __exponent - __fraction_bits);
        __steps = (unsigned)(__size / __step + __whole - __whole)
                + (unsigned)((__exponent + __bias - 1) << __fraction_bits);
    }
    if (__steps > __largest)
        return (unsigned char)(__sign | (__saturate == __NV_SATFINITE ? __largest : __wide ? 0x7c : 0x7f));
    return (unsigned char)(__sign | __steps);
}

/* All NaNs become one, but those of a double. */
static inline unsigned char __fp8_bits(float __value, __nv_saturation_t __saturate, __nv_fp8_interpretation_t __kind)
{
    return __value != __value ? 0x7f : __fp8_bits((double)__value, __saturate, __kind);
}

/* e5m2 is the upper half of a half; e4m3 has another exponent. */
static inline unsigned short __half_of_fp8(unsigned char __x, __nv_fp8_interpretation_t __kind)
{
    const unsigned __sign = (unsigned)(__x & 0x80) << 8, __rest = __x & 0x7f;
    if (__kind == __NV_E5M2)
        return (unsigned short)(__rest > 0x7c ? 0x7fff : __sign | __rest << 8);
    if (__rest == 0x7f)
        return 0x7fff;
    return (unsigned short)(__sign | __half_bits(__half_value((unsigned short)(__rest << 7)) * 256.0));
}

}

static inline __nv_fp8_storage_t __nv_cvt_double_to_fp8(const double __x, const __nv_saturation_t __saturate,
                                                        const __nv_fp8_interpretation_t __kind)
{
    return __sim::__fp8_bits(__x, __saturate, __kind);
}
static inline __half_raw __nv_cvt_fp8_to_halfraw(const __nv_fp8_storage_t __x, const __nv_fp8_interpretation_t __kind)
{
    __half_raw __raw = { __sim::__half_of_fp8(__x, __kind) };
    return __raw;
}
static inline __half2_raw __nv_cvt_fp8x2_to_halfraw2(const __nv_fp8x2_storage_t __x, const __nv_fp8_interpretation_t __kind)
{
    __half2_raw __raw = { __sim::__half_of_fp8((unsigned char)__x, __kind), __sim::__half_of_fp8((unsigned char)(__x >> 8), __kind) };
    return __raw;
}

/* The same of another type, and of two of it: the first is the lower byte. */
#define SIM_FP8_FROM(__name, __T, __value) \
    static inline __nv_fp8_storage_t __name(const __T __x, const __nv_saturation_t __saturate, const __nv_fp8_interpretation_t __kind) \
    { return __sim::__fp8_bits(__value, __saturate, __kind); }
#define SIM_FP8_FROM_TWO(__name, __T, __low, __high) \
    static inline __nv_fp8x2_storage_t __name(const __T __x, const __nv_saturation_t __saturate, const __nv_fp8_interpretation_t __kind) \
    { return (__nv_fp8x2_storage_t)(__sim::__fp8_bits(__low, __saturate, __kind) | __sim::__fp8_bits(__high, __saturate, __kind) << 8); }
SIM_FP8_FROM(__nv_cvt_float_to_fp8, float, __x)
SIM_FP8_FROM(__nv_cvt_halfraw_to_fp8, __half_raw, __sim::__half_value(__x.x))
SIM_FP8_FROM(__nv_cvt_bfloat16raw_to_fp8, __nv_bfloat16_raw, __sim::__bf16_value(__x.x))
SIM_FP8_FROM_TWO(__nv_cvt_double2_to_fp8x2, double2, __x.x, __x.y)
SIM_FP8_FROM_TWO(__nv_cvt_float2_to_fp8x2, float2, __x.x, __x.y)
SIM_FP8_FROM_TWO(__nv_cvt_halfraw2_to_fp8x2, __half2_raw, __sim::__half_value(__x.x), __sim::__half_value(__x.y))
SIM_FP8_FROM_TWO(__nv_cvt_bfloat16raw2_to_fp8x2, __nv_bfloat162_raw, __sim::__bf16_value(__x.x), __sim::__bf16_value(__x.y))
#undef SIM_FP8_FROM
#undef SIM_FP8_FROM_TWO

namespace __sim {

/* Towards zero; what the integer has no room for becomes its nearest, and NaN 0. */
template <typename __T> static inline __T __integer_of(float __v)
{
    const bool __has_sign = (__T)-1 < (__T)0;
    const __T __most = (__T)(__has_sign ? ~0ull >> (65 - 8 * sizeof(__T)) : ~0ull), __least = __has_sign ? (__T)(-__most - 1) : (__T)0;
    if (__v != __v)
        return 0;
    return __v >= (float)__most ? __most : __v <= (float)__least ? __least : (__T)__v;
}

}

#define SIM_FP8_INTEGERS(__X) \
    __X(unsigned short) __X(unsigned int) __X(unsigned long) __X(unsigned long long) __X(short) __X(int) __X(long) __X(long long)
#define SIM_FP8_FROM_INTEGER(__T) explicit SIM_FP8_NAME(const __T __v) : SIM_FP8_NAME((float)__v) {}
#define SIM_FP8_TO_INTEGER(__T) explicit operator __T() const { return __sim::__integer_of<__T>((float)*this); }
#define SIM_FP8_ONE \
    struct SIM_FP8_NAME { \
        __nv_fp8_storage_t __x; \
        SIM_FP8_NAME() = default; \
        explicit SIM_FP8_NAME(const float __v) : __x(__nv_cvt_float_to_fp8(__v, __NV_SATFINITE, SIM_FP8_KIND)) {} \
        explicit SIM_FP8_NAME(const double __v) : __x(__nv_cvt_double_to_fp8(__v, __NV_SATFINITE, SIM_FP8_KIND)) {} \
        explicit SIM_FP8_NAME(const __half __v) : SIM_FP8_NAME((float)__v) {} \
        explicit SIM_FP8_NAME(const __nv_bfloat16 __v) : SIM_FP8_NAME((float)__v) {} \
        SIM_FP8_INTEGERS(SIM_FP8_FROM_INTEGER) \
        explicit operator __half() const { return __half(__nv_cvt_fp8_to_halfraw(__x, SIM_FP8_KIND)); } \
        explicit operator float() const { return __sim::__half_value(__nv_cvt_fp8_to_halfraw(__x, SIM_FP8_KIND).x); } \
        explicit operator double() const { return (float)*this; } \
        explicit operator __nv_bfloat16() const { return __nv_bfloat16((float)*this); } \
        explicit operator bool() const { return (__x & 0x7f) != 0; } \
        SIM_FP8_INTEGERS(SIM_FP8_TO_INTEGER) \
        SIM_FP8_TO_INTEGER(unsigned char) SIM_FP8_TO_INTEGER(signed char) SIM_FP8_TO_INTEGER(char) \
    };
#define SIM_FP8_TWO \
    struct __attribute__((__aligned__(2))) SIM_FP8_NAME { \
        __nv_fp8x2_storage_t __x; \
        SIM_FP8_NAME() = default; \
        explicit SIM_FP8_NAME(const __half2 __v) : SIM_FP8_NAME(__half22float2(__v)) {} \
        explicit SIM_FP8_NAME(const __nv_bfloat162 __v) : SIM_FP8_NAME(__bfloat1622float2(__v)) {} \
        explicit SIM_FP8_NAME(const float2 __v) : __x(__nv_cvt_float2_to_fp8x2(__v, __NV_SATFINITE, SIM_FP8_KIND)) {} \
        explicit SIM_FP8_NAME(const double2 __v) : __x(__nv_cvt_double2_to_fp8x2(__v, __NV_SATFINITE, SIM_FP8_KIND)) {} \
        explicit operator __half2() const { return __half2(__nv_cvt_fp8x2_to_halfraw2(__x, SIM_FP8_KIND)); } \
        explicit operator float2() const { return __half22float2((__half2)*this); } \
    };
#define SIM_FP8_FOUR(__two) \
    struct __attribute__((__aligned__(4))) SIM_FP8_NAME { \
        __nv_fp8x4_storage_t __x; \
        SIM_FP8_NAME() = default; \
        explicit SIM_FP8_NAME(const __half2 __low, const __half2 __high) : __x(__both(__two(__low), __two(__high))) {} \
        explicit SIM_FP8_NAME(const __nv_bfloat162 __low, const __nv_bfloat162 __high) : __x(__both(__two(__low), __two(__high))) {} \
        explicit SIM_FP8_NAME(const float4 __v) \
            : __x(__both(__two(make_float2(__v.x, __v.y)), __two(make_float2(__v.z, __v.w)))) {} \
        explicit SIM_FP8_NAME(const double4 __v) \
            : __x(__both(__two(make_double2(__v.x, __v.y)), __two(make_double2(__v.z, __v.w)))) {} \
        explicit operator float4() const \
        { \
            __two __low, __high; \
            __low.__x = (__nv_fp8x2_storage_t)__x, __high.__x = (__nv_fp8x2_storage_t)(__x >> 16); \
            const float2 __a = (float2)__low, __b = (float2)__high; \
            return make_float4(__a.x, __a.y, __b.x, __b.y); \
        } \
    private: \
        static __nv_fp8x4_storage_t __both(const __two __low, const __two __high) \
        { return (__nv_fp8x4_storage_t)__low.__x | (__nv_fp8x4_storage_t)__high.__x << 16; } \
    };

#define SIM_FP8_KIND __NV_E5M2
#define SIM_FP8_NAME __nv_fp8_e5m2
SIM_FP8_ONE
#undef SIM_FP8_NAME
#define SIM_FP8_NAME __nv_fp8x2_e5m2
SIM_FP8_TWO
#undef SIM_FP8_NAME
#define SIM_FP8_NAME __nv_fp8x4_e5m2
SIM_FP8_FOUR(__nv_fp8x2_e5m2)
#undef SIM_FP8_NAME
#undef SIM_FP8_KIND
#define SIM_FP8_KIND __NV_E4M3
#define SIM_FP8_NAME __nv_fp8_e4m3
SIM_FP8_ONE
#undef SIM_FP8_NAME
#define SIM_FP8_NAME __nv_fp8x2_e4m3
SIM_FP8_TWO
#undef SIM_FP8_NAME
#define SIM_FP8_NAME __nv_fp8x4_e4m3
SIM_FP8_FOUR(__nv_fp8x2_e4m3)
#undef SIM_FP8_NAME
#undef SIM_FP8_KIND
#undef SIM_FP8_INTEGERS
#undef SIM_FP8_FROM_INTEGER
#undef SIM_FP8_TO_INTEGER
#undef SIM_FP8_ONE
#undef SIM_FP8_TWO
#undef SIM_FP8_FOUR

#endif
#endif
