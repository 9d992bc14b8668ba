/* SPDX-License-Identifier: MIT */
/*
 * cuComplex.h - complex numbers as float2 and double2, for host and device.
 *
 * Sizes go through hypot, and a quotient is scaled by the larger half of its
 * divisor, so that nothing overflows on the way to a result that does not.
 */
#ifndef __CU_COMPLEX_H__
#define __CU_COMPLEX_H__

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define SIM_COMPLEX(__C, __T, __f, __fabs, __hypot, __make) \
    static inline __C __make(__T __re, __T __im) { __C __z; __z.x = __re; __z.y = __im; return __z; } \
    static inline __T cuCreal##__f(__C __z) { return __z.x; } \
    static inline __T cuCimag##__f(__C __z) { return __z.y; } \
    static inline __C cuConj##__f(__C __z) { return __make(__z.x, -__z.y); } \
    static inline __C cuCadd##__f(__C __a, __C __b) { return __make(__a.x + __b.x, __a.y + __b.y); } \
    static inline __C cuCsub##__f(__C __a, __C __b) { return __make(__a.x - __b.x, __a.y - __b.y); } \
    static inline __C cuCmul##__f(__C __a, __C __b) { return __make(__a.x * __b.x - __a.y * __b.y, __a.x * __b.y + __a.y * __b.x); } \
    static inline __C cuCfma##__f(__C __a, __C __b, __C __c) { return cuCadd##__f(cuCmul##__f(__a, __b), __c); } \
    static inline __T cuCabs##__f(__C __z) { return __hypot(__z.x, __z.y); } \
    static inline __C cuCdiv##__f(__C __a, __C __b) \
    { \
        __T __size = __fabs(__b.x) + __fabs(__b.y), __x = __b.x / __size, __y = __b.y / __size; \
        __T __square = __x * __x + __y * __y, __re = __a.x / __size, __im = __a.y / __size; \
        return __make((__re * __x + __im * __y) / __square, (__im * __x - __re * __y) / __square); \
    }
SIM_COMPLEX(cuFloatComplex, float, f, __builtin_fabsf, __builtin_hypotf, make_cuFloatComplex)
SIM_COMPLEX(cuDoubleComplex, double, , __builtin_fabs, __builtin_hypot, make_cuDoubleComplex)
#undef SIM_COMPLEX

static inline cuComplex make_cuComplex(float __re, float __im) { return make_cuFloatComplex(__re, __im); }
static inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex __z) { return make_cuFloatComplex((float)__z.x, (float)__z.y); }
static inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex __z) { return make_cuDoubleComplex(__z.x, __z.y); }

#endif
