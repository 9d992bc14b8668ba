/* SPDX-License-Identifier: MIT */
/*
 * sim_function.h - kernels by address: cudaLaunchKernel, (void *)kernel.
 *
 * A kernel is an ordinary function here. address() makes it known, with a function that unpacks void *args[] for it; simcc
 * has each kernel do so (known), and where a kernel cannot be named in its own body, puts address() into casts of it
 * to void *, and of whatever is cast to that where a kernel is wanted (rewrite.h).
 */
#ifndef SIM_INCLUDE_FUNCTION_H
#define SIM_INCLUDE_FUNCTION_H

#include "../driver_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* call(address, args) calls the function with the `count` arguments that args[] point to. sizes[] has their sizes, then `count`
 * more entries that say whether the bits of each may be copied. */
void sim_function(const void *__address, void (*__call)(const void *__address, void **__args), unsigned int __count, const size_t *__sizes);

/* cudaOccupancyMaxPotentialBlockSize; shared(context, threads): the dynamic shared memory of a block. */
cudaError_t sim_potential_block(int *__grid, int *__block, const void *__function,
                                size_t (*__shared)(void *__context, int __threads), void *__context, int __limit);

#ifdef __cplusplus
}

namespace __sim {

template <typename __T> struct __plain { typedef __T __is; };
template <typename __T> struct __plain<__T &> { typedef __T __is; };

/* The numbers from 0 to __count - 1. */
template <unsigned... __number> struct __numbers { typedef __numbers __is; };
template <unsigned __count, unsigned... __number> struct __numbers_to : __numbers_to<__count - 1, __count - 1, __number...> {};
template <unsigned... __number> struct __numbers_to<0, __number...> : __numbers<__number...> {};

template <typename __Numbers, typename... __A> struct __function_of;
template <unsigned... __number, typename... __A> struct __function_of<__numbers<__number...>, __A...> {
    static const size_t __sizes[];
    static void __call(const void *__address, void **__args)
    {
        reinterpret_cast<void (*)(__A...)>(const_cast<void *>(__address))(*static_cast<typename __plain<__A>::__is *>(__args[__number])...);
    }
};
template <unsigned... __number, typename... __A>
const size_t __function_of<__numbers<__number...>, __A...>::__sizes[] = { sizeof(__A)..., __is_trivially_copyable(__A)..., 0 };

/* Inlined: one function less to compile for each kernel. */
template <typename... __A> inline __attribute__((__always_inline__)) void *__address(void (*__kernel)(__A...))
{
    typedef __function_of<typename __numbers_to<sizeof...(__A)>::__is, __A...> __function;
    void *__address = reinterpret_cast<void *>(__kernel);
    sim_function(__address, __function::__call, sizeof...(__A), __function::__sizes);
    return __address;
}
/* A kernel that is compiled makes itself known before main begins, whatever its address goes through later. */
template <typename __F, __F __kernel> struct __known;
template <typename... __A, void (*__kernel)(__A...)> struct __known<void (*)(__A...), __kernel> {
    static const bool __is;
};
template <typename... __A, void (*__kernel)(__A...)> const bool __known<void (*)(__A...), __kernel>::__is = __address(__kernel) != 0;
/* It was no pointer to a function. */
template <typename __T> __T __address(__T __other)
{
    return __other;
}

}
#endif
#endif
