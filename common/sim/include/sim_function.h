/* SPDX-License-Identifier: MIT */
/*
 * sim_function.h - kernels by address: cudaLaunchKernel, (void *)kernel.
 *
 * A kernel is an ordinary function here. Whoever takes its address by way of
 * address() makes it known, with a function that unpacks void *args[] for it;
 * simcc puts address() into casts of kernels to void *, and of whatever is cast
 * to it where a kernel is wanted (rewrite.h).
 */
#ifndef SIM_FUNCTION_INCLUDE_H
#define SIM_FUNCTION_INCLUDE_H

#include "driver_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* call(address, args) calls the function with the `count` arguments that args[] point to. */
void sim_function(const void *address, void (*call)(const void *address, void **args), unsigned int count);

/* cudaOccupancyMaxPotentialBlockSize; shared(context, threads): the dynamic shared memory of a block. */
cudaError_t sim_potential_block(int *grid, int *block, const void *function,
                                size_t (*shared)(void *context, int threads), void *context, int limit);

#ifdef __cplusplus
}

namespace sim {

template <typename... Left> struct unpack;
template <> struct unpack<> {
    template <typename F, typename... Done> static void call(F function, void **, Done &... done)
    {
        function(done...);
    }
};
template <typename A, typename... Left> struct unpack<A, Left...> {
    template <typename F, typename... Done> static void call(F function, void **args, Done &... done)
    {
        unpack<Left...>::call(function, args + 1, done..., *static_cast<A *>(*args));
    }
};

template <typename... A> struct function_of {
    static void call(const void *address, void **args)
    {
        unpack<A...>::call(reinterpret_cast<void (*)(A...)>(const_cast<void *>(address)), args);
    }
};

template <typename... A> void *address(void (*kernel)(A...))
{
    void *address = reinterpret_cast<void *>(kernel);
    sim_function(address, function_of<A...>::call, sizeof...(A));
    return address;
}
/* It was no pointer to a function. */
template <typename T> T address(T other)
{
    return other;
}

}
#endif
#endif
