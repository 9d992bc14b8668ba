/* SPDX-License-Identifier: MIT */
/* vector_types.h - int2, float4, … with CUDA's alignment; dim3. make_float4 and the like: vector_functions.h. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#define SIM_VECTOR(name, T, align2, align4) \
    struct name##1 { T x; }; \
    struct __attribute__((__aligned__(align2))) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; }; \
    struct __attribute__((__aligned__(align4))) name##4 { T x, y, z, w; }; \
    typedef struct name##1 name##1; \
    typedef struct name##2 name##2; \
    typedef struct name##3 name##3; \
    typedef struct name##4 name##4;

SIM_VECTOR(char, signed char, 2, 4)
SIM_VECTOR(uchar, unsigned char, 2, 4)
SIM_VECTOR(short, short, 4, 8)
SIM_VECTOR(ushort, unsigned short, 4, 8)
SIM_VECTOR(int, int, 8, 16)
SIM_VECTOR(uint, unsigned int, 8, 16)
SIM_VECTOR(long, long int, 16, 16)
SIM_VECTOR(ulong, unsigned long int, 16, 16)
SIM_VECTOR(longlong, long long int, 16, 16)
SIM_VECTOR(ulonglong, unsigned long long int, 16, 16)
SIM_VECTOR(float, float, 8, 16)
SIM_VECTOR(double, double, 16, 16)
#undef SIM_VECTOR

struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int __vx = 1, unsigned int __vy = 1, unsigned int __vz = 1) : x(__vx), y(__vy), z(__vz) {}
    constexpr dim3(uint3 __v) : x(__v.x), y(__v.y), z(__v.z) {}
    constexpr operator uint3() const { return uint3{ x, y, z }; }
#endif
};
typedef struct dim3 dim3;

#endif
