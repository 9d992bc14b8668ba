/* SPDX-License-Identifier: MIT */
/* sim_texture.h - formats of arrays, and what kernels read and write through texture and surface objects. */
#ifndef SIM_INCLUDE_TEXTURE_H
#define SIM_INCLUDE_TEXTURE_H

#include "../cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a fetch gives, a word a channel: numbers or integers, as the texture has it. */
union sim_texel {
    int SIM_FIELD(i)[4];
    float SIM_FIELD(f)[4];
};

/* In a kernel. Out of range: 0. */
void sim_texture_fetch(union sim_texel *__to, cudaTextureObject_t __object, int __x);
/* With one, two or three coordinates. */
void sim_texture_sample(union sim_texel *__to, cudaTextureObject_t __object, unsigned int __dimensions, float __x, float __y, float __z);
/* In a layer, with one or two coordinates (cudaArrayLayered), or on the face that a direction meets (cudaArrayCubemap, or both). */
struct sim_layer_sample {
    const char *SIM_FIELD(name);
    unsigned int SIM_FIELD(kind), SIM_FIELD(dimensions);
    float SIM_FIELD(at)[3];
    int SIM_FIELD(layer);
};
void sim_texture_sample_layer(union sim_texel *__to, cudaTextureObject_t __object, const struct sim_layer_sample *__sample);

/* Through a surface object: x in bytes, y, and the slice, layer or face; and what is to happen outside. */
struct sim_surface_access {
    const char *SIM_FIELD(name);
    cudaSurfaceObject_t SIM_FIELD(object);
    size_t SIM_FIELD(bytes);
    unsigned int SIM_FIELD(kind);
    int SIM_FIELD(write);
    int SIM_FIELD(at)[3];
    enum cudaSurfaceBoundaryMode SIM_FIELD(mode);
};
void sim_surface_access(void *__value, const struct sim_surface_access *__access);

#ifdef __cplusplus
}

#define SIM_DEVICE static inline __attribute__((__always_inline__))     /* a hazard's line is the kernel's */

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

SIM_DEVICE void __take(float *__to, const union sim_texel &__t, int __channel) { *__to = __t.__f[__channel]; }
template <typename __E> SIM_DEVICE void __take(__E *__to, const union sim_texel &__t, int __channel) { *__to = (__E)__t.__i[__channel]; }

template <typename __T> SIM_DEVICE __T __texel_as(const union sim_texel &__t)
{
    __T __v;
    for (int __channel = 0; __channel < __channels<__T>::__number; __channel++)
        __take((typename __channels<__T>::__type *)&__v + __channel, __t, __channel);
    return __v;
}

}

template <typename __T> SIM_DEVICE __T tex1Dfetch(cudaTextureObject_t __object, int __x)
{
    union sim_texel __t;
    sim_texture_fetch(&__t, __object, __x);
    return __sim::__texel_as<__T>(__t);
}

template <typename __T> SIM_DEVICE __T tex1D(cudaTextureObject_t __object, float __x)
{
    union sim_texel __t;
    sim_texture_sample(&__t, __object, 1, __x, 0, 0);
    return __sim::__texel_as<__T>(__t);
}

template <typename __T> SIM_DEVICE __T tex2D(cudaTextureObject_t __object, float __x, float __y)
{
    union sim_texel __t;
    sim_texture_sample(&__t, __object, 2, __x, __y, 0);
    return __sim::__texel_as<__T>(__t);
}

template <typename __T> SIM_DEVICE __T tex3D(cudaTextureObject_t __object, float __x, float __y, float __z)
{
    union sim_texel __t;
    sim_texture_sample(&__t, __object, 3, __x, __y, __z);
    return __sim::__texel_as<__T>(__t);
}

template <typename __T> SIM_DEVICE void tex1Dfetch(__T *__to, cudaTextureObject_t __object, int __x) { *__to = tex1Dfetch<__T>(__object, __x); }
template <typename __T> SIM_DEVICE void tex1D(__T *__to, cudaTextureObject_t __object, float __x) { *__to = tex1D<__T>(__object, __x); }
template <typename __T> SIM_DEVICE void tex2D(__T *__to, cudaTextureObject_t __object, float __x, float __y)
{
    *__to = tex2D<__T>(__object, __x, __y);
}
template <typename __T> SIM_DEVICE void tex3D(__T *__to, cudaTextureObject_t __object, float __x, float __y, float __z)
{
    *__to = tex3D<__T>(__object, __x, __y, __z);
}

/* Textures of layers, of faces and of layers of faces. */
#define SIM_LAYERED(__name, __coordinates, __names, __of, __dimensions, __at, __layer) \
    template <typename __T> SIM_DEVICE __T __name(cudaTextureObject_t __object, SIM_ALL __coordinates) \
    { \
        union sim_texel __t; \
        const struct sim_layer_sample __s = { #__name, __of, __dimensions, SIM_ALL __at, __layer }; \
        sim_texture_sample_layer(&__t, __object, &__s); \
        return __sim::__texel_as<__T>(__t); \
    } \
    template <typename __T> SIM_DEVICE void __name(__T *__to, cudaTextureObject_t __object, SIM_ALL __coordinates) \
    { \
        *__to = __name<__T>(__object, SIM_ALL __names); \
    }
#define SIM_ALL(...) __VA_ARGS__
SIM_LAYERED(tex1DLayered, (float __x, int __l), (__x, __l), cudaArrayLayered, 1, ({ __x, 0, 0 }), __l)
SIM_LAYERED(tex2DLayered, (float __x, float __y, int __l), (__x, __y, __l), cudaArrayLayered, 2, ({ __x, __y, 0 }), __l)
SIM_LAYERED(texCubemap, (float __x, float __y, float __z), (__x, __y, __z), cudaArrayCubemap, 2, ({ __x, __y, __z }), 0)
SIM_LAYERED(texCubemapLayered, (float __x, float __y, float __z, int __l), (__x, __y, __z, __l), cudaArrayCubemap | cudaArrayLayered, 2,
            ({ __x, __y, __z }), __l)
#undef SIM_LAYERED

#define SIM_SURFACE(__name, __of, __coordinates, __names, __at) \
    template <typename __T> SIM_DEVICE __T __name##read(cudaSurfaceObject_t __object, SIM_ALL __coordinates, \
                                                        enum cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) \
    { \
        __T __v; \
        const struct sim_surface_access __a = { #__name "read", __object, sizeof __v, __of, 0, SIM_ALL __at, __mode }; \
        sim_surface_access(&__v, &__a); \
        return __v; \
    } \
    template <typename __T> SIM_DEVICE void __name##read(__T *__to, cudaSurfaceObject_t __object, SIM_ALL __coordinates, \
                                                         enum cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) \
    { \
        *__to = __name##read<__T>(__object, SIM_ALL __names, __mode); \
    } \
    template <typename __T> SIM_DEVICE void __name##write(__T __v, cudaSurfaceObject_t __object, SIM_ALL __coordinates, \
                                                          enum cudaSurfaceBoundaryMode __mode = cudaBoundaryModeTrap) \
    { \
        const struct sim_surface_access __a = { #__name "write", __object, sizeof __v, __of, 1, SIM_ALL __at, __mode }; \
        sim_surface_access(&__v, &__a); \
    }
SIM_SURFACE(surf1D, 0, (int __x), (__x), ({ __x, 0, 0 }))
SIM_SURFACE(surf2D, 0, (int __x, int __y), (__x, __y), ({ __x, __y, 0 }))
SIM_SURFACE(surf3D, 0, (int __x, int __y, int __z), (__x, __y, __z), ({ __x, __y, __z }))
SIM_SURFACE(surf1DLayered, cudaArrayLayered, (int __x, int __l), (__x, __l), ({ __x, 0, __l }))
SIM_SURFACE(surf2DLayered, cudaArrayLayered, (int __x, int __y, int __l), (__x, __y, __l), ({ __x, __y, __l }))
SIM_SURFACE(surfCubemap, cudaArrayCubemap, (int __x, int __y, int __f), (__x, __y, __f), ({ __x, __y, __f }))
SIM_SURFACE(surfCubemapLayered, cudaArrayCubemap | cudaArrayLayered, (int __x, int __y, int __f), (__x, __y, __f), ({ __x, __y, __f }))
#undef SIM_SURFACE
#undef SIM_ALL
#undef SIM_DEVICE

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
