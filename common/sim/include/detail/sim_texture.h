/* SPDX-License-Identifier: MIT */
/* sim_texture.h - formats of arrays, and what kernels read and write through texture and surface objects. */
#ifndef SIM_TEXTURE_H
#define SIM_TEXTURE_H

#include "../cuda_runtime_api.h"

#ifdef __cplusplus

namespace __sim {

/* A type that an element, or what is read of one, may have: its channels. */
template <typename __T> struct __channels;
#define SIM_CHANNELS(__T, __E, __count, __kind) \
    template <> struct __channels<__T> { \
        typedef __E __type; \
        static const int __number = __count; \
        static const enum cudaChannelFormatKind __format = cudaChannelFormatKind##__kind; \
    };
#define SIM_CHANNELS_OF(__T, __E, __kind) \
    SIM_CHANNELS(__E, __E, 1, __kind) SIM_CHANNELS(__T##1, __E, 1, __kind) SIM_CHANNELS(__T##2, __E, 2, __kind) \
    SIM_CHANNELS(__T##4, __E, 4, __kind)
SIM_CHANNELS(char, char, 1, Signed)
SIM_CHANNELS_OF(char, signed char, Signed)
SIM_CHANNELS_OF(uchar, unsigned char, Unsigned)
SIM_CHANNELS_OF(short, short, Signed)
SIM_CHANNELS_OF(ushort, unsigned short, Unsigned)
SIM_CHANNELS_OF(int, int, Signed)
SIM_CHANNELS_OF(uint, unsigned int, Unsigned)
SIM_CHANNELS_OF(float, float, Float)
#undef SIM_CHANNELS_OF
#undef SIM_CHANNELS

}

template <typename __T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef __sim::__channels<__T> __c;
    const int __bits = 8 * (int)sizeof(typename __c::__type), __n = __c::__number;
    return cudaCreateChannelDesc(__bits, __n > 1 ? __bits : 0, __n > 2 ? __bits : 0, __n > 3 ? __bits : 0, __c::__format);
}

/* Numbers of 16 bits. */
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf() { return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() { return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat); }
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() { return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat); }

#endif
#endif
