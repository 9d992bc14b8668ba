/* SPDX-License-Identifier: MIT */
/*
 * sim_block.h - what threads share: shared memory, barriers, variables of the device.
 *
 * What is a block's is a variable of the host thread that runs it: blocks may
 * run on several at once. `__shared__ T x;` becomes one that the first thread of
 * each block to reach its declaration finds filled with 0xff, `extern __shared__
 * T x[];` a pointer to the block's dynamic shared memory. `__device__ T x;` and
 * `__constant__ T x;` are variables whose addresses are known (rewrite.h).
 */
#ifndef SIM_INCLUDE_BLOCK_H
#define SIM_INCLUDE_BLOCK_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a program could name, by a macro of its own, has reserved names in C++. */
#ifdef __cplusplus
#define SIM_FIELD(name) __##name
#else
#define SIM_FIELD(name) name
#endif

/* A __shared__ variable. */
struct sim_shared {
    int SIM_FIELD(reached);     /* by a thread of the block that runs */
};
void sim_shared_reach(struct sim_shared *__variable, void *__at, size_t __bytes);

/* Dynamic shared memory of the block that runs; whether any kernel has ever asked where that is. */
extern __thread char *sim_shared_dynamic;
extern int sim_shared_is_used;

/* Threads of a row that run one after the other on one stack: blockDim.x. 0 once each has a stack of its own,
 * since one of the block came to a barrier. */
extern __thread unsigned int sim_block_row;

/* A __device__ or __constant__ variable makes itself known. */
int sim_symbol(void *__at, size_t __bytes, const char *__name);

/* Does a kernel run? In a function of both that asks for __CUDA_ARCH__ (simcc/rewrite/arch.h). */
int sim_on_device(void) __attribute__((__pure__));

enum sim_barrier { SIM_BARRIER, SIM_BARRIER_COUNT, SIM_BARRIER_AND, SIM_BARRIER_OR, SIM_BARRIER_GRID, SIM_BARRIER_DEPENDENCY, SIM_BARRIER_COST };
/* Waits for the threads of the block that have not ended, says what they said together. */
int sim_barrier(enum sim_barrier __kind, int __predicate, const char *__file, int __line);

/* Waits while the word, of the mask's bits, has these: until another thread of the block has changed it. */
void sim_wait(const volatile unsigned long long *__word, unsigned long long __mask, unsigned long long __value, const char *__file, int __line);

#ifdef __cplusplus
}

namespace __sim {
template <typename __T> using __of_no_length = __T[];
struct __dynamic_shared {
    template <typename __T> operator __T *() const
    {
        sim_shared_is_used = 1;
        return (__T *)(void *)sim_shared_dynamic;
    }
    template <typename __T> operator __of_no_length<__T> &() const
    {
        sim_shared_is_used = 1;
        return *(__T (*)[])(void *)sim_shared_dynamic;
    }
};
}

#define SIM_HERE const char *__file = __builtin_FILE(), int __line = __builtin_LINE()

static inline void __syncthreads(SIM_HERE) { sim_barrier(SIM_BARRIER, 0, __file, __line); }
static inline int __syncthreads_count(int __p, SIM_HERE) { return sim_barrier(SIM_BARRIER_COUNT, __p, __file, __line); }
static inline int __syncthreads_and(int __p, SIM_HERE) { return sim_barrier(SIM_BARRIER_AND, __p, __file, __line); }
static inline int __syncthreads_or(int __p, SIM_HERE) { return sim_barrier(SIM_BARRIER_OR, __p, __file, __line); }

#endif
#endif
