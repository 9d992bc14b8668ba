/* SPDX-License-Identifier: MIT */
/* vector_types.h - int2, float4, … with CUDA's alignment; dim3. make_float4 and the like: vector_functions.h. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

#define SIM_VECTOR(name, T, align2, align4) \
    struct name##1 { T x; }; \
    struct __attribute__((aligned(align2))) name##2 { T x, y; }; \
    struct name##3 { T x, y, z; }; \
    struct __attribute__((aligned(align4))) name##4 { T x, y, z, w; }; \
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
    constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{ x, y, z }; }
#endif
};
typedef struct dim3 dim3;

#endif
