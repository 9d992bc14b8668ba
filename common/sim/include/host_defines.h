/* SPDX-License-Identifier: MIT */
/*
 * host_defines.h - the words that CUDA adds to C++, as the simulator takes them.
 *
 * __global__, __device__, __host__, __constant__, __managed__, __shared__, __launch_bounds__ and __cluster_dims__ are no macros: simcc looks for the words, and a macro of a
 * system header makes g++ -E call its line a system header's. __noinline__ stays what the compiler's own headers use inside
 * __attribute__.
 */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#define __forceinline__ inline __attribute__((__always_inline__))
#define __grid_constant__
#define __align__(n) __attribute__((__aligned__(n)))
#define CUDARTAPI
#define CUDART_DEVICE
#define CUDART_CB

#endif
