/* SPDX-License-Identifier: MIT */
/* vector_functions.h - make_int2, make_float4, … */
#ifndef __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define SIM_MAKE(name, T) \
    static inline name##1 make_##name##1(T x) { name##1 v = { x }; return v; } \
    static inline name##2 make_##name##2(T x, T y) { name##2 v = { x, y }; return v; } \
    static inline name##3 make_##name##3(T x, T y, T z) { name##3 v = { x, y, z }; return v; } \
    static inline name##4 make_##name##4(T x, T y, T z, T w) { name##4 v = { x, y, z, w }; return v; }

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
