/* SPDX-License-Identifier: MIT */
/*
 * sim_launch.h - how a rewritten program (rewrite.h) talks to the simulator.
 *
 * configure() notes what stood in <<<…>>>, then the kernel is called as an
 * ordinary function: its body, a closure that holds the arguments, comes to
 * body(), which hands a copy of it to the device. Each thread of the kernel
 * runs a copy of its own: parameters are a thread's to change. These are copies bit by bit, as a GPU gets them: no
 * copy constructor and no destructor of an argument runs but on the host, around the launch.
 */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include "driver_types.h"
#include "sim_atomics.h"
#include "sim_block.h"
#include "sim_clock.h"
#include "sim_warp.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define SIM_ZERO_IS_PER_THREAD 1
#else
#define SIM_ZERO_IS_PER_THREAD 0
#endif

/* The next call of the runtime stands here; what "stream 0" means there. */
void sim_call_site(const char *file, int line, int zero_is_per_thread);

/* … and nobody looks at what it returns, or the program ends when that is not success. */
void sim_answer_unread(void);

/* A kernel with its arguments, as it waits for the device. */
struct sim_kernel {
    const char *name;
    void *closure;
    size_t bytes;               /* of the closure */
    /* Runs the threads of block blockIdx from number `first` on; the first alone where each has a stack
     * of its own. */
    void (*block)(void *closure, unsigned int first);
    void (*drop)(void *closure);
};

struct sim_configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

void sim_configure(const struct sim_configuration *configuration);
/* Queues the kernel as configured; the closure is the simulator's from here on. */
void sim_launch(const struct sim_kernel *kernel);

#ifdef __cplusplus
}

/* Which thread runs. Objects, not macros: cudaDeviceProp has a field warpSize. */
extern "C" __thread uint3 threadIdx, blockIdx;
extern "C" dim3 blockDim, gridDim;
extern "C" const int warpSize;

/* Inlined: what calls sim_call_site is the program's own function. */
static inline __attribute__((always_inline)) void sim_at(const char *file, int line)
{
    sim_call_site(file, line, SIM_ZERO_IS_PER_THREAD);
}

static inline void sim_unread(const char *file, int line)
{
    sim_at(file, line);
    sim_answer_unread();
}

namespace sim {

static inline void configure(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0,
                             const char *file = __builtin_FILE(), int line = __builtin_LINE())
{
    struct sim_configuration c = { grid, block, shared, stream };
    sim_unread(file, line);     /* <<<…>>> returns nothing: cudaGetLastError does, after it */
    sim_configure(&c);
}

/* The bits of a closure. Where a copy is no more than that anyway, the compiler sees more of it. */
template <typename Body, bool plain = __is_trivially_copyable(Body)> union bits_of {
    Body body;
    explicit bits_of(const Body &from) { __builtin_memcpy((void *)this, (const void *)&from, sizeof from); }
    ~bits_of() {}
};
template <typename Body> union bits_of<Body, true> {
    Body body;
    explicit bits_of(const Body &from) : body(from) {}
};

template <typename Body> struct kernel_of {
    /* From thread x of a row on; just that one where each has a stack of its own. Most programs number
     * their threads by an int: where all of the row's numbers fit into one, the compiler is told that
     * they are not negative, which it knows of a plain loop's. */
    template <bool fits> static inline __attribute__((always_inline)) void run(const Body &body, unsigned int x)
    {
        do {
            if (fits && (int)(blockIdx.x * blockDim.x + x) < 0)
                __builtin_unreachable();
            threadIdx.x = x;
            bits_of<Body> own(body);
            own.body();
        } while (++x < sim_block_row);
    }
    /* A copy that nobody else can reach: what a kernel stores cannot change its arguments, which need not be read
     * again for each thread. */
    template <bool fits> static inline __attribute__((always_inline)) void run_own(const Body &body, unsigned int x)
    {
        if (__is_trivially_copyable(Body)) {
            const Body same(body);
            run<fits>(same, x);
        } else {
            run<fits>(body, x);
        }
    }
#ifdef __SANITIZE_THREAD__
    /* Calls at each load and store would eat what the compiler gains: one copy of the kernel, made in less time. */
    static const bool hints = false;
#else
    static const bool hints = true;
#endif
    static void row(const Body &body, unsigned int x) { run_own<hints>(body, x); }
    static __attribute__((cold, noinline)) void far_row(const Body &body, unsigned int x) { run_own<false>(body, x); }
    static void block(void *closure, unsigned int first)
    {
        const Body &body = static_cast<const bits_of<Body> *>(closure)->body;
        const dim3 size = blockDim;
        const bool far = hints && blockIdx.x >= 0x80000000u / size.x;
        unsigned int x = 0, y = 0, z = 0;
        if (first > 0)
            x = first % size.x, y = first / size.x % size.y, z = first / size.x / size.y;
        for (; z < size.z; ++z, y = 0)
            for (; y < size.y; ++y, x = 0) {
                threadIdx.y = y;
                threadIdx.z = z;
                if (__builtin_expect(far, 0))
                    far_row(body, x);
                else
                    row(body, x);
                if (sim_block_row == 0)
                    return;
            }
    }
    static void drop(void *closure) { delete static_cast<bits_of<Body> *>(closure); }
};

template <typename Body> void body(const char *name, const Body &closure)
{
    typedef kernel_of<Body> kernel;
    struct sim_kernel k = { name, new bits_of<Body>(closure), sizeof(Body), kernel::block, kernel::drop };
    sim_launch(&k);
}

}
#endif
#endif
