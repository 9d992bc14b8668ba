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

double norm4d(double x, double y, double z, double w) { return hypot(norm3d(x, y, z), w); }
float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
double rnorm3d(double x, double y, double z) { return 1 / norm3d(x, y, z); }
float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
double rnorm4d(double x, double y, double z, double w) { return 1 / norm4d(x, y, z, w); }
float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }

static double erf_slope(double x) { return 2 / sqrt(PI) * exp(-x * x); }

/* A rational guess (Abramowitz and Stegun 26.2.23), and Halley's steps from there. */
double erfcinv(double x)
{
    if (!(x > 0 && x < 2))
        return x == 0 ? INFINITY : x == 2 ? -INFINITY : NAN;
    if (x > 1)
        return -erfcinv(2 - x);
    double t = sqrt(-2 * log(x / 2)),
           y = -0.70711 * ((2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)) - t);
    for (int step = 0; step < 4; step++) {
        double error = erfc(y) - x;
        y += error / (erf_slope(y) - y * error);
    }
    return y;
}

/* Near 0 a difference to 1 says little of x: a last step looks at x itself. */
double erfinv(double x)
{
    double y = erfcinv(1 - x);
    return fabs(x) < 0.5 ? y - (erf(y) - x) / erf_slope(y) : y;
}

double normcdfinv(double x) { return -sqrt(2) * erfcinv(2 * x); }

/* Where erfc is too small for a double its series goes on. */
double erfcx(double x)
{
    if (x < 10)
        return exp(x * x) * erfc(x);
    double sum = 1, term = 1;
    for (int n = 1; n < 20; n++)
        sum += term *= -(2 * n - 1) / (2 * x * x);
    return sum / (x * sqrt(PI));
}

float erfcinvf(float x) { return (float)erfcinv(x); }
float erfinvf(float x) { return (float)erfinv(x); }
float normcdfinvf(float x) { return (float)normcdfinv(x); }
float erfcxf(float x) { return (float)erfcx(x); }

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
        unsigned choice = selector >> 4 * i & 15,
                 byte = (unsigned)(bytes >> 8 * (choice & 7)) & 0xff;
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
