/* SPDX-License-Identifier: MIT */
/* vector_types.h - uint3 and dim3: the coordinates of threads, blocks and grids. */
#ifndef __VECTOR_TYPES_H__
#define __VECTOR_TYPES_H__

struct uint3 { unsigned int x, y, z; };
typedef struct uint3 uint3;

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
