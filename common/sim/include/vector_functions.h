/* SPDX-License-Identifier: MIT */
/* vector_functions.h - make_int2, make_float4, … */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define SIM_MAKE(__name, __T) \
    static inline __name##1 make_##__name##1(__T x) { __name##1 __v = { x }; return __v; } \
    static inline __name##2 make_##__name##2(__T x, __T y) { __name##2 __v = { x, y }; return __v; } \
    static inline __name##3 make_##__name##3(__T x, __T y, __T z) { __name##3 __v = { x, y, z }; return __v; } \
    static inline __name##4 make_##__name##4(__T x, __T y, __T z, __T w) { __name##4 __v = { x, y, z, w }; return __v; }

SIM_MAKE(char, signed char)
SIM_MAKE(uchar, unsigned char)
SIM_MAKE(short, short)
SIM_MAKE(ushort, unsigned short)
SIM_MAKE(int, int)
SIM_MAKE(uint, unsigned int)
SIM_MAKE(long, long int)
SIM_MAKE(ulong, unsigned long int)
SIM_MAKE(longlong, long long int)
SIM_MAKE(ulonglong, unsigned long long int)
SIM_MAKE(float, float)
SIM_MAKE(double, double)
#undef SIM_MAKE

#endif
