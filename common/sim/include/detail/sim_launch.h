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
#ifndef SIM_INCLUDE_LAUNCH_H
#define SIM_INCLUDE_LAUNCH_H

#include "../driver_types.h"
#include "sim_arithmetic.h"
#include "sim_step.h"
#include "sim_atomics.h"
#include "sim_block.h"
#include "sim_clock.h"
#include "sim_device_runtime.h"
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
void sim_call_site(const char *__file, int __line, int __zero_is_per_thread);

/* … and nobody looks at what it returns, or the program ends when that is not success. */
void sim_answer_unread(void);
void sim_answer_half_read(void);
/* … and it is made by the driver API's call of the same meaning. */
void sim_by_driver_api(void);

/* That wait may give up, and the program ignores what it returns. */
void sim_gives_up(const char *__file, int __line, const char *__name);

/* For our own code between a launch and its kernel: its loads and stores are not reported. */
#define SIM_UNSEEN __attribute__((__no_sanitize_thread__))

/* What a kernel touches, where its text shows that: elements of memory, by an index that no two blocks have in common. A number of
 * threads of a block along an axis is 0 where that is blockDim's own. */
struct sim_touch {
    const volatile void *SIM_FIELD(at);
    size_t SIM_FIELD(size);             /* of an element */
    int SIM_FIELD(stores);
    int SIM_FIELD(index);               /* 1: x, 2: y * width + x; 0: any */
    int SIM_FIELD(loops);               /* x goes on by the threads of the grid */
    long long SIM_FIELD(x), SIM_FIELD(x_end); /* threads of a block along x; x is below that (negative: nothing says so) */
    long long SIM_FIELD(width), SIM_FIELD(y), SIM_FIELD(y_end);
};
enum { SIM_TOUCHES = 16 };
struct sim_touches {
    unsigned int SIM_FIELD(count);
    struct sim_touch SIM_FIELD(list)[SIM_TOUCHES];
#ifdef __cplusplus
    SIM_UNSEEN void __add(const volatile void *__at, size_t __size, int __stores, int __index, int __loops, long long __x, long long __x_end,
                          long long __width, long long __y, long long __y_end)
    {
        const struct sim_touch __t = { __at, __size, __stores, __index, __loops, __x, __x_end, __width, __y, __y_end };
        __list[__count++] = __t;
    }
#endif
};

/* A kernel with its arguments, as it waits for the device. */
struct sim_kernel {
    const char *SIM_FIELD(name);
    void *SIM_FIELD(closure);
    size_t SIM_FIELD(bytes);            /* of the closure */
    /* Runs the threads of block blockIdx from number `first` on; the first alone where each has a stack
     * of its own. */
    void (*SIM_FIELD(block))(void *__closure, unsigned int __first);
    void (*SIM_FIELD(drop))(void *__closure);
    void (*SIM_FIELD(which))(void);     /* one for each kernel and each instance of a template */
    int SIM_FIELD(loops);               /* is there a loop in it? */
    int SIM_FIELD(depends);             /* does it name what dependent launches are for? */
    int SIM_FIELD(bounds);              /* most threads of a block by __launch_bounds__; 0: it has none */
    unsigned int SIM_FIELD(cluster)[3]; /* __cluster_dims__, or as the launch has it; 0: none */
    /* Says what it touches; NULL: its text does not show it. */
    void (*SIM_FIELD(touches))(const void *__closure, struct sim_touches *__out);
    /* Runs block blockIdx whole, on one stack: its threads in a loop from barrier to barrier
     * (simcc/rewrite/cut). NULL: they need stacks of their own. */
    void (*SIM_FIELD(whole))(const void *__closure);
};

struct sim_configuration {
    dim3 SIM_FIELD(grid), SIM_FIELD(block);
    size_t SIM_FIELD(shared);
    cudaStream_t SIM_FIELD(stream);
    int SIM_FIELD(cooperative);         /* its blocks are all there at once, and may wait for each other */
    int SIM_FIELD(own_priority), SIM_FIELD(priority);   /* has it one of its own? Which? */
    int SIM_FIELD(dependent);           /* it may begin before the kernel ahead of it has ended */
    unsigned int SIM_FIELD(cluster)[3]; /* blocks of a cluster; 0: the launch says nothing of it */
};

void sim_configure(const struct sim_configuration *__configuration);
/* The same for <<<…>>>, which stands there. */
#ifdef __cplusplus
void sim_configure_at(dim3 __grid, dim3 __block = 1, size_t __shared = 0, cudaStream_t __stream = 0,
                      const char *__file = __builtin_FILE(), int __line = __builtin_LINE(),
                      int __zero_is_per_thread = SIM_ZERO_IS_PER_THREAD);
#else
void sim_configure_at(dim3 __grid, dim3 __block, size_t __shared, cudaStream_t __stream, const char *__file, int __line,
                      int __zero_is_per_thread);
#endif
/* Queues the kernel as configured; the closure is the simulator's from here on. */
void sim_launch(const struct sim_kernel *__kernel);
/* What a kernel's `block` does, with what runs the threads of a row from number x on. */
void sim_block_rows(const void *__closure, unsigned int __first, void (*__row)(const void *__closure, unsigned int __x));
/* A kernel whose threads are a call each: of `call`, with a copy of the closure's bits that is the thread's own. The closure stays the
 * caller's. `has` and `how` are __body's. */
void sim_launch_calls(const char *__name, const void *__closure, size_t __bytes, size_t __alignment, void (*__call)(void *__own),
                      int __has, unsigned long long __how);

#ifdef __cplusplus
}

/* Which thread runs. Objects, not macros: cudaDeviceProp has a field warpSize. */
extern "C" __thread uint3 threadIdx, blockIdx;
extern "C" dim3 blockDim, gridDim;
extern "C" const int warpSize;

/* Inlined: what calls sim_call_site is the program's own function. */
static inline __attribute__((__always_inline__)) void sim_at(const char *__file, int __line)
{
    sim_call_site(__file, __line, SIM_ZERO_IS_PER_THREAD);
}

static inline __attribute__((__always_inline__)) void sim_unread(const char *__file, int __line)
{
    sim_at(__file, __line);
    sim_answer_unread();
}

static inline __attribute__((__always_inline__)) void sim_half_read(const char *__file, int __line)
{
    sim_at(__file, __line);
    sim_answer_half_read();
}

namespace __sim {

/* The bits of a closure. Where a copy is no more than that anyway, the compiler sees more of it. */
template <typename __Body, bool __plain = __is_trivially_copyable(__Body)> union __bits_of {
    __Body __body;
    explicit __bits_of(const __Body &__from) { __builtin_memcpy((void *)this, (const void *)&__from, sizeof __from); }
    ~__bits_of() {}
};
template <typename __Body> union __bits_of<__Body, true> {
    __Body __body;
    explicit __bits_of(const __Body &__from) : __body(__from) {}
};

/* Does this build look at what kernels load and store? Both are made of one text, before which simcc says which it is.
 * There a thread's loads and stores have to be its own: the compiler may not number the next one before they are done. */
namespace {
#ifdef __SIMCC__
extern const bool __instrumented;
#else
const bool __instrumented = false;
#endif
}
#ifdef __x86_64__
#include "sim_own.h"
#else
static inline __attribute__((__always_inline__)) void __is_thread(unsigned int x)
{
    if (__instrumented)
        __asm__ volatile("" ::: "memory");
    threadIdx.x = x;
    if (__instrumented)
        __asm__ volatile("" ::: "memory");
}
#endif
/* A variable of the program's that is called as one of ours. */
template <typename __T> static inline __attribute__((__always_inline__)) __T &__own(__T &__value) { return __value; }

#ifndef __SIM_THREAD_CALLS__
template <typename __Body> struct __kernel_of {
    /* From thread x of a row on; just that one where each has a stack of its own. Most programs number
     * their threads by an int: where all of the row's numbers fit into one, the compiler is told that
     * they are not negative, which it knows of a plain loop's. */
    template <bool __fits> static inline __attribute__((__always_inline__)) void __run(const __Body &__body, unsigned int x)
    {
        if (!__hints)
            __is_thread(x);
        do {
            if (__fits && (int)(blockIdx.x * blockDim.x + x) < 0)
                __builtin_unreachable();
            if (__hints)
                __is_thread(x);
            __bits_of<__Body> __own(__body);
            __own.__body();
            if (!__hints)
                __is_thread(x + 1);
        } while (++x < __own(sim_block_row));
    }
    /* A copy that nobody else can reach: what a kernel stores cannot change its arguments, which need not be read
     * again for each thread. */
    template <bool __fits> static inline __attribute__((__always_inline__)) void __run_own(const __Body &__body, unsigned int x)
    {
        if (__is_trivially_copyable(__Body)) {
            const __Body __same(__body);
            __run<__fits>(__same, x);
        } else {
            __run<__fits>(__body, x);
        }
    }
#ifdef __SANITIZE_THREAD__
    /* Calls at each load and store would eat what the compiler gains: one copy of the kernel, made in less time, and the way
     * through a block is the simulator's. */
    static const bool __hints = false;
    static void __row(const void *__closure, unsigned int x)
    {
        __run_own<false>(static_cast<const __bits_of<__Body> *>(__closure)->__body, x);
    }
    static void __block(void *__closure, unsigned int __first) { sim_block_rows(__closure, __first, __row); }
#else
    static const bool __hints = true;
    static void __row(const __Body &__body, unsigned int x) { __run_own<true>(__body, x); }
    static __attribute__((__cold__, __noinline__)) void __far_row(const __Body &__body, unsigned int x) { __run_own<false>(__body, x); }
    static void __block(void *__closure, unsigned int __first)
    {
        const __Body &__body = static_cast<const __bits_of<__Body> *>(__closure)->__body;
        const dim3 __size = blockDim;
        const bool __far = blockIdx.x >= 0x80000000u / __size.x;
        unsigned int x = 0, y = 0, z = 0;
        if (__first > 0)
            x = __first % __size.x, y = __first / __size.x % __size.y, z = __first / __size.x / __size.y;
        for (; z < __size.z; ++z, y = 0)
            for (; y < __size.y; ++y, x = 0) {
                threadIdx.y = y;
                threadIdx.z = z;
                if (__builtin_expect(__far, 0))
                    __far_row(__body, x);
                else
                    __row(__body, x);
                if (sim_block_row == 0)
                    return;
            }
    }
#endif
    static SIM_UNSEEN void __drop(void *__closure) { delete static_cast<__bits_of<__Body> *>(__closure); }
};
#endif

/* A number of threads that the program gives, or of elements of a row: -1 for one that makes no sense. */
static constexpr long long __threads(long long __number) { return __number > 0 ? __number : -1; }

/* What stands in __launch_bounds__(…) and __cluster_dims__(…), as one number. */
static constexpr unsigned long long __bounds(unsigned long long __threads, unsigned long long = 0, unsigned long long = 0) { return __threads; }
static constexpr unsigned long long __cluster(unsigned long long __x, unsigned long long __y = 1, unsigned long long __z = 1)
{
    return __x << 48 | __y << 32 | __z << 16;
}

/* `__has`: 1 for a loop, 2 where it names what dependent launches are for. */
#ifdef __SIM_THREAD_CALLS__
template <typename __Body> void __call(void *__own) { (*static_cast<__Body *>(__own))(); }

template <int __has = 0, unsigned long long __how = 0, typename __Body>
static inline __attribute__((__always_inline__)) void __body(const char *__name, const __Body &__closure)
{
    sim_launch_calls(__name, &__closure, sizeof(__Body), alignof(__Body), __call<__Body>, __has, __how);
}
template <int __has = 0, unsigned long long __how = 0, typename __Body, typename __Touches>
static inline __attribute__((__always_inline__)) void __body(const char *__name, const __Body &__closure, const __Touches &)
{
    __body<__has, __how>(__name, __closure);
}
#else
template <int __has = 0, unsigned long long __how = 0, typename __Body> SIM_UNSEEN void __body(const char *__name, const __Body &__closure)
{
    typedef __kernel_of<__Body> __kernel;
    struct sim_kernel __k = { __name, new __bits_of<__Body>(__closure), sizeof(__Body), __kernel::__block, __kernel::__drop,
                              (void (*)())__kernel::__block, __has & 1, __has >> 1, (int)(__how & 0xffff),
                              { (unsigned)(__how >> 48), (unsigned)(__how >> 32 & 0xffff), (unsigned)(__how >> 16 & 0xffff) }, 0, 0 };
    sim_launch(&__k);
}

/* A kernel's closure, and behind it the one that lists what the kernel touches. */
template <typename __Body, typename __Touches> struct __with_touches {
    __bits_of<__Body> __bits;
    __bits_of<__Touches> __touches;
    static SIM_UNSEEN void __drop(void *__closure) { delete static_cast<__with_touches *>(__closure); }
    static SIM_UNSEEN void __say(const void *__closure, struct sim_touches *__out)
    {
        static_cast<const __with_touches *>(__closure)->__touches.__body(*__out);
    }
};
template <int __has = 0, unsigned long long __how = 0, typename __Body, typename __Touches>
SIM_UNSEEN void __body(const char *__name, const __Body &__closure, const __Touches &__touches)
{
    typedef __kernel_of<__Body> __kernel;
    typedef __with_touches<__Body, __Touches> __with;
    __with *__both = new __with{ __bits_of<__Body>(__closure), __bits_of<__Touches>(__touches) };
    struct sim_kernel __k = { __name, __both, sizeof(__Body), __kernel::__block, __with::__drop,
                              (void (*)())__kernel::__block, __has & 1, __has >> 1, (int)(__how & 0xffff),
                              { (unsigned)(__how >> 48), (unsigned)(__how >> 32 & 0xffff), (unsigned)(__how >> 16 & 0xffff) }, __with::__say, 0 };
    sim_launch(&__k);
}

/* A kernel's closure, followed by the one that runs a block whole, which no thread can change. Both are copied bit by
 * bit, so that no copy of an argument is made more often than without it. */
template <typename __Cut> struct __cut_of { const __Cut &__cut; };
struct __cut_at_barriers {
    template <typename __Cut> __cut_of<__Cut> operator*(const __Cut &__cut) const { return { __cut }; }
};
template <typename __Body, typename __Cut> struct __with_cut {
    static_assert(__is_trivially_copyable(__Body) && __is_trivially_copyable(__Cut), "an argument is more than its bits");
    __bits_of<__Body> __bits;
    __bits_of<__Cut> __cut;
    static void __drop(void *__closure) { delete static_cast<__with_cut *>(__closure); }
    static void __whole(const void *__closure)
    {
        const __Cut __own(static_cast<const __with_cut *>(__closure)->__cut.__body);
        __own();
    }
};
template <int __has = 0, unsigned long long __how = 0, typename __Body, typename __Cut>
void __body(const char *__name, const __Body &__closure, const __cut_of<__Cut> &__cut)
{
    typedef __kernel_of<__Body> __kernel;
    typedef __with_cut<__Body, __Cut> __with;
    __with *__both = new __with{ __bits_of<__Body>(__closure), __bits_of<__Cut>(__cut.__cut) };
    struct sim_kernel __k = { __name, __both, sizeof(__Body), __kernel::__block, __with::__drop,
                              (void (*)())__kernel::__block, __has & 1, __has >> 1, (int)(__how & 0xffff),
                              { (unsigned)(__how >> 48), (unsigned)(__how >> 32 & 0xffff), (unsigned)(__how >> 16 & 0xffff) }, 0, __with::__whole };
    sim_launch(&__k);
}
#endif

}
#endif
#endif
