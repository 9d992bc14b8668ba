/* SPDX-License-Identifier: MIT */
/*
 * sim_math.h - functions of numbers that C++ lacks and kernels have.
 *
 * Fast ones (__expf, …) are as exact as the others: a card's last bits differ.
 * Those that glibc's headers declare already are defined in math.c.
 */
#ifndef SIM_INCLUDE_MATH_H
#define SIM_INCLUDE_MATH_H

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIM_PURE __THROW __attribute__((__const__))

float rsqrtf(float x) SIM_PURE;
double rsqrt(double x) SIM_PURE;
float rcbrtf(float x) SIM_PURE;
double rcbrt(double x) SIM_PURE;
float sinpif(float x) SIM_PURE;
double sinpi(double x) SIM_PURE;
float cospif(float x) SIM_PURE;
double cospi(double x) SIM_PURE;
float normcdff(float x) SIM_PURE;
double normcdf(double x) SIM_PURE;
float rhypotf(float x, float y) SIM_PURE;
double rhypot(double x, double y) SIM_PURE;
float norm3df(float x, float y, float z) SIM_PURE;
double norm3d(double x, double y, double z) SIM_PURE;
float norm4df(float x, float y, float z, float w) SIM_PURE;
double norm4d(double x, double y, double z, double w) SIM_PURE;
float rnorm3df(float x, float y, float z) SIM_PURE;
double rnorm3d(double x, double y, double z) SIM_PURE;
float rnorm4df(float x, float y, float z, float w) SIM_PURE;
double rnorm4d(double x, double y, double z, double w) SIM_PURE;
float erfinvf(float x) SIM_PURE;
double erfinv(double x) SIM_PURE;
float erfcinvf(float x) SIM_PURE;
double erfcinv(double x) SIM_PURE;
float normcdfinvf(float x) SIM_PURE;
double normcdfinv(double x) SIM_PURE;
float erfcxf(float x) SIM_PURE;
double erfcx(double x) SIM_PURE;
void sincospif(float x, float *__sine, float *__cosine) __THROW;
void sincospi(double x, double *__sine, double *__cosine) __THROW;
unsigned __byte_perm(unsigned x, unsigned y, unsigned __selector) SIM_PURE;
unsigned __brev(unsigned x) SIM_PURE;
unsigned long long __brevll(unsigned long long x) SIM_PURE;

/* Rounded towards nearest, zero, up, down. */
#define SIM_ROUNDED(__T, __name, __parameters) \
    __T __name##_rn __parameters SIM_PURE; __T __name##_rz __parameters SIM_PURE; \
    __T __name##_ru __parameters SIM_PURE; __T __name##_rd __parameters SIM_PURE;
SIM_ROUNDED(float, __fadd, (float x, float y))
SIM_ROUNDED(float, __fsub, (float x, float y))
SIM_ROUNDED(float, __fmul, (float x, float y))
SIM_ROUNDED(float, __fdiv, (float x, float y))
SIM_ROUNDED(float, __fmaf, (float x, float y, float z))
SIM_ROUNDED(float, __fsqrt, (float x))
SIM_ROUNDED(float, __frcp, (float x))
SIM_ROUNDED(double, __dadd, (double x, double y))
SIM_ROUNDED(double, __dsub, (double x, double y))
SIM_ROUNDED(double, __dmul, (double x, double y))
SIM_ROUNDED(double, __ddiv, (double x, double y))
SIM_ROUNDED(double, __fma, (double x, double y, double z))
SIM_ROUNDED(double, __dsqrt, (double x))
SIM_ROUNDED(double, __drcp, (double x))
SIM_ROUNDED(float, __double2float, (double x))
SIM_ROUNDED(int, __float2int, (float x))
SIM_ROUNDED(unsigned, __float2uint, (float x))
SIM_ROUNDED(long long, __float2ll, (float x))
SIM_ROUNDED(int, __double2int, (double x))
SIM_ROUNDED(unsigned, __double2uint, (double x))
SIM_ROUNDED(long long, __double2ll, (double x))
SIM_ROUNDED(float, __int2float, (int x))
SIM_ROUNDED(float, __uint2float, (unsigned x))
SIM_ROUNDED(float, __ll2float, (long long x))
SIM_ROUNDED(double, __ll2double, (long long x))
#undef SIM_ROUNDED
float __frsqrt_rn(float x) SIM_PURE;
#undef SIM_PURE

#ifdef __cplusplus
}

static inline float __fdividef(float x, float y) { return x / y; }
static inline float fdividef(float x, float y) { return x / y; }
static inline float __saturatef(float x) { return x > 0 ? x < 1 ? x : 1.0f : 0.0f; }
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned x) { return x; }

#define SIM_BITS(__name, __To, __From) \
    static inline __To __name(__From x) { __To y; __builtin_memcpy(&y, &x, sizeof y); return y; }
SIM_BITS(__float_as_int, int, float)
SIM_BITS(__float_as_uint, unsigned, float)
SIM_BITS(__int_as_float, float, int)
SIM_BITS(__uint_as_float, float, unsigned)
SIM_BITS(__double_as_longlong, long long, double)
SIM_BITS(__longlong_as_double, double, long long)
#undef SIM_BITS
static inline int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return (int)__double_as_longlong(x); }
static inline double __hiloint2double(int __high, int __low)
{
    return __longlong_as_double((long long)((unsigned long long)(unsigned)__high << 32 | (unsigned)__low));
}

static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
/* The n-th set bit from `__base` on, upwards or (below 0) downwards; all ones: there are fewer. */
static inline unsigned __fns(unsigned __mask, unsigned __base, int __n)
{
    for (unsigned __at = __base, __left = (unsigned)(__n < 0 ? -__n : __n); __at < 32; __at += __n < 0 ? -1u : 1u) {
        if (__mask >> __at & 1 && __left-- <= 1)
            return __at;
        if (__n == 0)
            break;
    }
    return 0xffffffffu;
}
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline int __mul24(int x, int y) { return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8)); }
static inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
static inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
static inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
static inline long long __mul64hi(long long x, long long y) { return (long long)((__int128)x * y >> 64); }
static inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y)
{
    return (unsigned long long)((unsigned __int128)x * y >> 64);
}
static inline unsigned __sad(int x, int y, unsigned z)
{
    return (x < y ? (unsigned)y - (unsigned)x : (unsigned)x - (unsigned)y) + z;
}
static inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return (x < y ? y - x : x - y) + z; }
static inline unsigned __funnelshift_l(unsigned __low, unsigned __high, unsigned __by)
{
    return (unsigned)((((unsigned long long)__high << 32 | __low) << (__by & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned __low, unsigned __high, unsigned __by)
{
    return (unsigned)(((unsigned long long)__high << 32 | __low) >> (__by & 31));
}

/* Of both signs, and of mixed sizes, as CUDA has them beside std::min and std::max. */
#define SIM_ORDER(__R, __A, __B) \
    static inline __R (min)(__A __a, __B __b) { return (__R)__a < (__R)__b ? (__R)__a : (__R)__b; } \
    static inline __R (max)(__A __a, __B __b) { return (__R)__a > (__R)__b ? (__R)__a : (__R)__b; }
#define SIM_ORDER3(__T, __U) SIM_ORDER(__T, __T, __T) SIM_ORDER(__U, __U, __U) SIM_ORDER(__U, __T, __U) SIM_ORDER(__U, __U, __T)
SIM_ORDER3(int, unsigned int)
SIM_ORDER3(long int, unsigned long int)
SIM_ORDER3(long long int, unsigned long long int)
#undef SIM_ORDER3
#undef SIM_ORDER
#define SIM_ORDER(__R, __A, __B, __f) \
    static inline __R (min)(__A __a, __B __b) { return __builtin_fmin##__f(__a, __b); } \
    static inline __R (max)(__A __a, __B __b) { return __builtin_fmax##__f(__a, __b); }
SIM_ORDER(float, float, float, f)
SIM_ORDER(double, double, double, )
SIM_ORDER(double, float, double, )
SIM_ORDER(double, double, float, )
#undef SIM_ORDER

/* Through which cache a value comes makes no difference here. */
template <typename __T> static inline __T __ldg(const __T *__p) { return *__p; }
/* What is not read through the cache of the SM may be what another block stores. */
template <typename __T> static inline __T __ldcg(const __T *__p) { __sim::__polled(true); return *__p; }
template <typename __T> static inline __T __ldca(const __T *__p) { return *__p; }
template <typename __T> static inline __T __ldcs(const __T *__p) { return *__p; }
template <typename __T> static inline void __stcg(__T *__p, __T __value) { *__p = __value; }
template <typename __T> static inline void __stcs(__T *__p, __T __value) { *__p = __value; }

#endif
#endif
