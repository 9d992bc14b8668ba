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

template <typename... __Left> struct __unpack;
template <> struct __unpack<> {
    template <typename __F, typename... __Done> static void __call(__F __function, void **, __Done &... __done)
    {
        __function(__done...);
    }
};
template <typename __A, typename... __Left> struct __unpack<__A, __Left...> {
    template <typename __F, typename... __Done> static void __call(__F __function, void **__args, __Done &... __done)
    {
        __unpack<__Left...>::__call(__function, __args + 1, __done..., *static_cast<typename __plain<__A>::__is *>(*__args));
    }
};

template <typename... __A> struct __function_of {
    static void __call(const void *__address, void **__args)
    {
        __unpack<__A...>::__call(reinterpret_cast<void (*)(__A...)>(const_cast<void *>(__address)), __args);
    }
};

template <typename... __A> void *__address(void (*__kernel)(__A...))
{
    void *__address = reinterpret_cast<void *>(__kernel);
    static const size_t __sizes[] = { sizeof(__A)..., __is_trivially_copyable(__A)..., 0 };
    sim_function(__address, __function_of<__A...>::__call, sizeof...(__A), __sizes);
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
