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

/* One outside of all functions: each block that begins reaches it, by this. Gives 0. */
int sim_shared_outer(void (*__reach)(void));

/* Dynamic shared memory of the block that runs; whether any kernel has ever asked where that is. */
extern __thread char *sim_shared_dynamic;
extern int sim_shared_is_used;

/* An address of shared memory as 32 bits have it: where it is in the window of the block that runs. An address that is none of
 * shared memory, and one of the window that no variable has, are led to where nothing is. */
unsigned sim_shared_window(const void *__at);
void *sim_shared_at(unsigned long long __window);

/* Which memory an address belongs to. */
enum sim_space { SIM_SPACE_GLOBAL, SIM_SPACE_SHARED, SIM_SPACE_CLUSTER, SIM_SPACE_LOCAL, SIM_SPACE_CONSTANT };
enum sim_space sim_space(const void *__at);

/* Threads of a row that run one after the other on one stack: blockDim.x. 0 once each has a stack of its own,
 * since one of the block came to a barrier. */
extern __thread unsigned int sim_block_row;

/* A __device__ or __constant__ variable makes itself known. */
int sim_symbol(void *__at, size_t __bytes, const char *__name);
int sim_constant(void *__at, size_t __bytes, const char *__name);
int sim_managed_variable(void *__at, size_t __bytes, const char *__name);

/* Does a kernel run? In a function of both that asks for __CUDA_ARCH__ (simcc/rewrite/arch.h). */
int sim_on_device(void) __attribute__((__pure__));

enum sim_barrier { SIM_BARRIER, SIM_BARRIER_COUNT, SIM_BARRIER_AND, SIM_BARRIER_OR, SIM_BARRIER_CLUSTER, SIM_BARRIER_GRID, SIM_BARRIER_DEPENDENCY, SIM_BARRIER_COST };
/* Waits for the threads of the block that have not ended, says what they said together. */
int sim_barrier(enum sim_barrier __kind, int __predicate, const char *__file, int __line);

/* Clusters: how many blocks one has in x (0), y and z; was one asked for? A barrier of its blocks. The address that shared memory of the block
 * that runs has in the block of that rank, and whose an address is. */
unsigned sim_cluster_dim(unsigned __axis) __attribute__((__pure__));
int sim_cluster_is_specified(void) __attribute__((__pure__));
void sim_cluster_barrier(const char *__file, int __line);
void *sim_cluster_map(const void *__at, unsigned __rank);
unsigned sim_cluster_rank_of(const void *__at);

/* Waits while the word, of the mask's bits, has these: until another thread of the block has changed it. */
void sim_wait(const volatile unsigned long long *__word, unsigned long long __mask, unsigned long long __value, const char *__file, int __line);

/* The block's barrier of this number, 0 to 15, for that many of its threads (0: all); bar.sync and bar.arrive of PTX. */
void sim_named_barrier(unsigned int __number, unsigned int __threads, int __waits, const char *__file, int __line);

/* Tiles of `size` threads, whole warps: those of the caller's meet, and each brings that many bytes, up to SIM_TILE_BYTES. Until they meet
 * again each may take what the thread of some rank has brought, by the number of the meeting, which is the answer. */
enum { SIM_TILE_BYTES = 32 };
unsigned int sim_tile_meet(unsigned int __size, const void *__value, size_t __bytes, const char *__file, int __line);
void sim_tile_take(unsigned int __size, unsigned int __meeting, unsigned int __rank, void *__value, size_t __bytes);

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

static inline unsigned __isShared(const void *__p) { return sim_space(__p) == SIM_SPACE_SHARED; }
static inline unsigned __isGlobal(const void *__p) { return sim_space(__p) == SIM_SPACE_GLOBAL; }
static inline unsigned __isLocal(const void *__p) { return sim_space(__p) == SIM_SPACE_LOCAL; }
static inline unsigned __isConstant(const void *__p) { return sim_space(__p) == SIM_SPACE_CONSTANT; }
/* Addresses of other memory are the same in 64 bits, whatever they are asked for as. */
static inline size_t __cvta_generic_to_shared(const void *__p) { return sim_shared_window(__p); }
static inline size_t __cvta_generic_to_global(const void *__p) { return (size_t)__p; }
static inline size_t __cvta_generic_to_local(const void *__p) { return (size_t)__p; }
static inline size_t __cvta_generic_to_constant(const void *__p) { return (size_t)__p; }
static inline void *__cvta_shared_to_generic(size_t __window) { return sim_shared_at(__window); }
static inline void *__cvta_global_to_generic(size_t __at) { return (void *)__at; }
static inline void *__cvta_local_to_generic(size_t __at) { return (void *)__at; }
static inline void *__cvta_constant_to_generic(size_t __at) { return (void *)__at; }

#define SIM_HERE const char *__file = __builtin_FILE(), int __line = __builtin_LINE()

static inline void __syncthreads(SIM_HERE) { sim_barrier(SIM_BARRIER, 0, __file, __line); }
static inline int __syncthreads_count(int __p, SIM_HERE) { return sim_barrier(SIM_BARRIER_COUNT, __p, __file, __line); }
static inline int __syncthreads_and(int __p, SIM_HERE) { return sim_barrier(SIM_BARRIER_AND, __p, __file, __line); }
static inline int __syncthreads_or(int __p, SIM_HERE) { return sim_barrier(SIM_BARRIER_OR, __p, __file, __line); }

#endif
#endif
