/* SPDX-License-Identifier: MIT */
/*
 * Functions of sim_math.h, and the fast ones that glibc declares and does not have.
 *
 * Directed rounding switches the processor's mode around the operation; volatile keeps
 * the operation between the switches.
 */
#include "sim/include/detail/sim_math.h"

#include <fenv.h>
#include <stdint.h>

static const double PI = 3.14159265358979323846;

/* ---- fast ones ---- */

float __expf(float x) { return expf(x); }
float __exp10f(float x) { return exp10f(x); }
float __logf(float x) { return logf(x); }
float __log2f(float x) { return log2f(x); }
float __log10f(float x) { return log10f(x); }
float __sinf(float x) { return sinf(x); }
float __cosf(float x) { return cosf(x); }
float __tanf(float x) { return tanf(x); }
float __tanhf(float x) { return tanhf(x); }
float __powf(float x, float y) { return powf(x, y); }
void __sincosf(float x, float *sine, float *cosine) { sincosf(x, sine, cosine); }

/* ---- what C has under no name ---- */

double rsqrt(double x) { return 1 / sqrt(x); }
float rsqrtf(float x) { return (float)rsqrt(x); }
float __frsqrt_rn(float x) { return (float)rsqrt(x); }
double rcbrt(double x) { return 1 / cbrt(x); }
float rcbrtf(float x) { return (float)rcbrt(x); }
double normcdf(double x) { return erfc(-x / sqrt(2)) / 2; }
float normcdff(float x) { return (float)normcdf(x); }
double rhypot(double x, double y) { return 1 / hypot(x, y); }
float rhypotf(float x, float y) { return (float)rhypot(x, y); }
double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }

/* Exact where the sine is 0 or 1. */
double sinpi(double x)
{
    double task = remainder(x, 2);          /* -1 to 1 */
    if (fabs(task) > 0.5)
        task = copysign(1, task) - task;
    return task == 0 ? copysign(0, x) : sin(PI * task);
}

double cospi(double x)
{
    double task = fabs(remainder(x, 2));    /* 0 to 1 */
    return task == 0.5 ? 0 : task < 0.25 ? cos(PI * task) : sinpi(0.5 - task);
}

float sinpif(float x) { return (float)sinpi(x); }
float cospif(float x) { return (float)cospi(x); }

void sincospi(double x, double *sine, double *cosine)
{
    *sine = sinpi(x);
    *cosine = cospi(x);
}

void sincospif(float x, float *sine, float *cosine)
{
    *sine = sinpif(x);
    *cosine = cospif(x);
}

/* ---- bits ---- */

unsigned __brev(unsigned x)
{
    unsigned reversed = 0;
    for (int i = 0; i < 32; i++)
        reversed |= (x >> i & 1) << (31 - i);
    return reversed;
}

unsigned long long __brevll(unsigned long long x)
{
    return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}

unsigned __byte_perm(unsigned x, unsigned y, unsigned selector)
{
    uint64_t bytes = (uint64_t)y << 32 | x;
    unsigned result = 0;
    for (int i = 0; i < 4; i++) {
        unsigned choice = selector >> 4 * i & 15, byte = (unsigned)(bytes >> 8 * (choice & 7)) & 0xff;
        if (choice & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

/* ---- rounding ---- */

#define ROUNDED_ONE(T, name, parameters, X, expression, suffix, mode) \
    T name##_##suffix parameters \
    { \
        int before = fegetround(); \
        fesetround(mode); \
        volatile X first = x; \
        volatile T result = expression; \
        fesetround(before); \
        return result; \
    }
#define ROUNDED(T, name, parameters, X, expression) \
    T name##_rn parameters { X first = x; return expression; } \
    ROUNDED_ONE(T, name, parameters, X, expression, rz, FE_TOWARDZERO) \
    ROUNDED_ONE(T, name, parameters, X, expression, ru, FE_UPWARD) \
    ROUNDED_ONE(T, name, parameters, X, expression, rd, FE_DOWNWARD)
ROUNDED(float, __fadd, (float x, float y), float, first + y)
ROUNDED(float, __fsub, (float x, float y), float, first - y)
ROUNDED(float, __fmul, (float x, float y), float, first * y)
ROUNDED(float, __fdiv, (float x, float y), float, first / y)
ROUNDED(float, __fmaf, (float x, float y, float z), float, fmaf(first, y, z))
ROUNDED(float, __fsqrt, (float x), float, sqrtf(first))
ROUNDED(float, __frcp, (float x), float, 1 / first)
ROUNDED(double, __dadd, (double x, double y), double, first + y)
ROUNDED(double, __dsub, (double x, double y), double, first - y)
ROUNDED(double, __dmul, (double x, double y), double, first * y)
ROUNDED(double, __ddiv, (double x, double y), double, first / y)
ROUNDED(double, __fma, (double x, double y, double z), double, fma(first, y, z))
ROUNDED(double, __dsqrt, (double x), double, sqrt(first))
ROUNDED(double, __drcp, (double x), double, 1 / first)
ROUNDED(float, __double2float, (double x), double, (float)first)
ROUNDED(float, __int2float, (int x), int, (float)first)
ROUNDED(float, __uint2float, (unsigned x), unsigned, (float)first)
ROUNDED(float, __ll2float, (long long x), long long, (float)first)
ROUNDED(double, __ll2double, (long long x), long long, (double)first)

/* Kept within the integer's range; not a number becomes 0, in 64 bits the smallest (guide). */
#define INTEGER(T, name, X, low, high, nan) \
    static T name##_kept(double x) \
    { \
        return x != x ? nan : x <= (double)low ? low : x >= (double)high ? high : (T)x; \
    } \
    T name##_rn(X x) { return name##_kept(nearbyint(x)); } \
    T name##_rz(X x) { return name##_kept(trunc(x)); } \
    T name##_ru(X x) { return name##_kept(ceil(x)); } \
    T name##_rd(X x) { return name##_kept(floor(x)); }
INTEGER(int, __float2int, float, INT32_MIN, INT32_MAX, 0)
INTEGER(unsigned, __float2uint, float, 0, UINT32_MAX, 0)
INTEGER(long long, __float2ll, float, INT64_MIN, INT64_MAX, INT64_MIN)
INTEGER(int, __double2int, double, INT32_MIN, INT32_MAX, INT32_MIN)
INTEGER(unsigned, __double2uint, double, 0, UINT32_MAX, UINT32_C(0x80000000))
INTEGER(long long, __double2ll, double, INT64_MIN, INT64_MAX, INT64_MIN)
