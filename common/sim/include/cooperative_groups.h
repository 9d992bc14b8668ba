/* SPDX-License-Identifier: MIT */
/*
 * cooperative_groups.h - threads that work together, as objects: the block,
 * tiles of a warp or of several, the lanes that are here. Over sim_block.h and sim_warp.h.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

namespace cooperative_groups {

/* Where the toolkit's header has them. */
namespace __v1 = ::cooperative_groups;

/* Of a barrier in two halves. Each thread that arrives waits later: here it waits for all others there. */
struct __arrival { };

/* Any of the groups below, as a parameter of a function that takes them all: a block when the mask is 0. */
class thread_group {
public:
    void sync(SIM_HERE) const
    {
        if (__mask_)
            __syncwarp(__mask_, __file, __line);
        else
            __syncthreads(__file, __line);
    }
    unsigned long long size() const { return __size_; }
    unsigned long long num_threads() const { return __size_; }
    unsigned long long thread_rank() const { return __rank_; }
    bool is_valid() const { return true; }
    /* Hidden by what tiles and coalesced threads have. */
    template <typename __T, typename... __Rest> __T __fold(__T, const __Rest &...) const
    {
        static_assert(sizeof(__T) == 0, "cg::inclusive_scan and cg::exclusive_scan take a tile or coalesced threads, not a whole block");
        return __T();
    }
    template <typename __T, typename... __Rest> __T __fold_all(__T, const __Rest &...) const
    {
        static_assert(sizeof(__T) == 0, "cg::reduce takes a tile or coalesced threads, not a whole block");
        return __T();
    }

protected:
    thread_group(unsigned __mask, unsigned __size, unsigned __rank) : __mask_(__mask), __size_(__size), __rank_(__rank) {}
    unsigned __mask_, __size_, __rank_;
    friend thread_group tiled_partition(const thread_group &__parent, unsigned __size);
};

class thread_block : public thread_group {
public:
    thread_block()
        : thread_group(0, blockDim.x * blockDim.y * blockDim.z,
                       threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) {}
    static dim3 group_index() { return dim3(blockIdx); }
    static dim3 thread_index() { return dim3(threadIdx); }
    static dim3 group_dim() { return blockDim; }
    static dim3 dim_threads() { return blockDim; }
    static void sync(SIM_HERE) { __syncthreads(__file, __line); }
    typedef __arrival arrival_token;
    static arrival_token barrier_arrive() { return arrival_token(); }
    static void barrier_wait(arrival_token &&, SIM_HERE) { __syncthreads(__file, __line); }
};

static inline thread_block this_thread_block() { return thread_block(); }

/* What cards before 8.0 need for tiles of several warps; here they have it elsewhere. */
template <unsigned __Most = 1024> struct block_tile_memory { unsigned long long __unused[__Most / 32]; };
template <unsigned __Most> static inline thread_block this_thread_block(block_tile_memory<__Most> &) { return thread_block(); }

/* All blocks; to wait for each other they need cudaLaunchCooperativeKernel. */
class grid_group {
public:
    unsigned long long num_blocks() const { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    unsigned long long block_rank() const
    {
        return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    }
    unsigned long long size() const { return num_blocks() * thread_block().size(); }
    unsigned long long num_threads() const { return size(); }
    unsigned long long thread_rank() const { return block_rank() * thread_block().size() + thread_block().thread_rank(); }
    static bool is_valid() { return sim_grid_is_valid(); }
    static void sync(SIM_HERE) { sim_grid_barrier(__file, __line); }
    typedef __arrival arrival_token;
    static arrival_token barrier_arrive() { return arrival_token(); }
    static void barrier_wait(arrival_token &&, SIM_HERE) { sim_grid_barrier(__file, __line); }
    static dim3 group_dim() { return gridDim; }
    static dim3 block_index() { return dim3(blockIdx); }
    static dim3 dim_blocks() { return gridDim; }
    static dim3 cluster_index() { return __clusterIdx(); }
    static dim3 dim_clusters() { return __clusterGridDimInClusters(); }
    static unsigned long long num_clusters() { return (unsigned long long)dim_clusters().x * dim_clusters().y * dim_clusters().z; }
    static unsigned long long cluster_rank()
    {
        return cluster_index().x + (unsigned long long)dim_clusters().x * (cluster_index().y + (unsigned long long)dim_clusters().y * cluster_index().z);
    }
};

static inline grid_group this_grid() { return grid_group(); }

/* The blocks of a cluster; without one, the block alone. */
class cluster_group {
public:
    typedef __arrival arrival_token;
    static void sync(SIM_HERE) { sim_cluster_barrier(__file, __line); }
    static arrival_token barrier_arrive() { return arrival_token(); }
    static void barrier_wait(SIM_HERE) { sim_cluster_barrier(__file, __line); }
    static void barrier_wait(arrival_token &&, SIM_HERE) { sim_cluster_barrier(__file, __line); }
    static bool is_valid() { return true; }
    static unsigned query_shared_rank(const void *__at) { return sim_cluster_rank_of(__at); }
    template <typename __T> static __T *map_shared_rank(__T *__at, int __rank) { return (__T *)sim_cluster_map(__at, (unsigned)__rank); }
    static dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static unsigned block_rank() { return __clusterRelativeBlockRank(); }
    static dim3 dim_blocks() { return __clusterDim(); }
    static unsigned num_blocks() { return __clusterSizeInBlocks(); }
    static dim3 dim_threads()
    {
        const dim3 __blocks = dim_blocks();
        return dim3(__blocks.x * blockDim.x, __blocks.y * blockDim.y, __blocks.z * blockDim.z);
    }
    static dim3 thread_index()
    {
        const dim3 __block = block_index();
        return dim3(__block.x * blockDim.x + threadIdx.x, __block.y * blockDim.y + threadIdx.y, __block.z * blockDim.z + threadIdx.z);
    }
    static unsigned thread_rank() { return block_rank() * (unsigned)thread_block().size() + (unsigned)thread_block().thread_rank(); }
    static unsigned num_threads() { return num_blocks() * (unsigned)thread_block().size(); }
    static unsigned size() { return num_threads(); }
};

static inline cluster_group this_cluster() { return cluster_group(); }

/* Lanes of one warp, by their mask; ranks go by lane. */
class __lanes_group : public thread_group {
public:
    /* As CUDA has it: of types of up to 32 bytes that can be copied as they lie. */
    template <typename __T> static void __must_be_plain()
    {
        static_assert(__is_trivially_copyable(__T) && sizeof(__T) <= 32, "a shuffle takes what can be copied as it lies, up to 32 bytes");
    }
    template <typename __T> __T shfl(__T __v, int __rank, SIM_HERE) const
    {
        __must_be_plain<__T>();
        return __sim::__shuffle(SIM_WARP_SHUFFLE, __mask_, __v, __lane_of((unsigned)__rank % __size_), __file, __line);
    }
    template <typename __T> __T shfl_up(__T __v, unsigned __delta, SIM_HERE) const
    {
        __must_be_plain<__T>();
        return __sim::__shuffle(SIM_WARP_SHUFFLE_UP, __mask_, __v, __lane_of(__rank_ < __delta ? __rank_ : __rank_ - __delta), __file, __line);
    }
    template <typename __T> __T shfl_down(__T __v, unsigned __delta, SIM_HERE) const
    {
        __must_be_plain<__T>();
        return __sim::__shuffle(SIM_WARP_SHUFFLE_DOWN, __mask_, __v,
                            __lane_of(__rank_ + __delta >= __size_ ? __rank_ : __rank_ + __delta), __file, __line);
    }
    /* The group's lanes that bring the same value. */
    template <typename __T> unsigned __lanes_with(__T __v, const char *__file, int __line) const
    {
        return __match_any_sync(__mask_, __v, __file, __line);
    }
    /* The values of all the group's threads, combined in the order of their ranks: once for all, where nothing but the values says what
     * that makes. */
    template <typename __T, typename __F> __T __fold_all(__T __value, __F &&__combine, const char *__file, int __line) const
    {
        return __folds<__T, decltype(__function_of(__combine))>::__all(*this, __value, __combine, __file, __line);
    }
    /* The values of the group's threads of ranks 0 to `last`, combined in this order. */
    template <typename __T, typename __F> __T __fold(__T __value, __F &&__combine, unsigned __last, const char *__file, int __line) const
    {
        alignas(__T) unsigned char __values[32][sizeof(__T)];
        unsigned __lanes = 0;
        for (unsigned __at = 0; __at < sizeof(__T); __at += 8) {
            unsigned __size = sizeof(__T) - __at < 8 ? (unsigned)sizeof(__T) - __at : 8;
            unsigned long long __bits = 0, __all[32];
            __builtin_memcpy(&__bits, (const char *)&__value + __at, __size);
            __lanes = (unsigned)sim_warp(SIM_WARP_REDUCE, __mask_, __bits, 0, __all, __file, __line);
            for (unsigned __i = 0; __i < 32; __i++)
                if (__lanes >> __i & 1)
                    __builtin_memcpy(&__values[__i][__at], &__all[__i], __size);
        }
        unsigned __i = (unsigned)__builtin_ctz(__lanes);
        __T __result = *(const __T *)(const void *)__values[__i];
        while (__last-- > 0 && (__lanes &= __lanes - 1) != 0) {
            __i = (unsigned)__builtin_ctz(__lanes);
            __result = __combine(__result, *(const __T *)(const void *)__values[__i]);
        }
        return __result;
    }
    /* Those that say so. */
    unsigned __lanes_that(bool __p, const char *__file, int __line) const { return __ballot_sync(__mask_, __p, __file, __line); }
    int any(int __p, SIM_HERE) const { return __any_sync(__mask_, __p, __file, __line); }
    int all(int __p, SIM_HERE) const { return __all_sync(__mask_, __p, __file, __line); }
    unsigned ballot(int __p, SIM_HERE) const { return __packed(__ballot_sync(__mask_, __p, __file, __line)); }
    template <typename __T> unsigned match_any(__T __v, SIM_HERE) const
    {
        return __packed(__match_any_sync(__mask_, __v, __file, __line));
    }
    template <typename __T> unsigned match_all(__T __v, int &__same, SIM_HERE) const
    {
        return __packed(__match_all_sync(__mask_, __v, &__same, __file, __line));
    }

protected:
    template <typename __F> static __F __function_of(const __F &);
    template <typename __T, typename __F, bool __once = sizeof(__T) <= 8 && __is_trivially_copyable(__T) && __is_empty(__F) && __is_trivially_constructible(__F)>
    struct __folds {
        static __T __all(const __lanes_group &__group, __T __value, const __F &__combine, const char *__file, int __line)
        {
            return __group.__fold(__value, __combine, __group.__size_ - 1, __file, __line);
        }
    };
    template <typename __T, typename __F> struct __folds<__T, __F, true> {
        static unsigned long long __two(unsigned long long __so_far, unsigned long long __next)
        {
            __T __a, __b;
            __builtin_memcpy(&__a, &__so_far, sizeof __a);
            __builtin_memcpy(&__b, &__next, sizeof __b);
            return __bits_of(__F()(__a, __b));
        }
        static unsigned long long __bits_of(__T __value)
        {
            unsigned long long __bits = 0;
            __builtin_memcpy(&__bits, &__value, sizeof __value);
            return __bits;
        }
        static __T __all(const __lanes_group &__group, __T __value, const __F &, const char *__file, int __line)
        {
            unsigned long long __bits = sim_warp_fold(__group.__mask_, __bits_of(__value), __two, __file, __line);
            __builtin_memcpy(&__value, &__bits, sizeof __value);
            return __value;
        }
    };
    __lanes_group(unsigned __mask, unsigned __size, unsigned __rank) : thread_group(__mask, __size, __rank) {}
    /* The lane with this rank. */
    unsigned __lane_of(unsigned __rank) const
    {
        unsigned __lanes = __mask_, __first = (unsigned)__builtin_ctz(__lanes);
        if ((__lanes >> __first & ((__lanes >> __first) + 1)) == 0)
            return __first + __rank;        /* the lanes of a tile follow each other */
        while (__rank-- > 0)
            __lanes &= __lanes - 1;
        return (unsigned)__builtin_ctz(__lanes);
    }
    /* Bits of lanes as bits of ranks. */
    unsigned __packed(unsigned __lanes) const
    {
        unsigned __bits = 0;
        for (unsigned __rank = 0; __rank < __size_; __rank++)
            __bits |= (__lanes >> __lane_of(__rank) & 1) << __rank;
        return __bits;
    }
};

static inline unsigned __tile_mask(unsigned __rank, unsigned __size)
{
    return (__size >= 32 ? 0xffffffffu : (1u << __size) - 1) << (__rank % 32 / __size * __size);
}

template <unsigned __Size, typename __Parent = void, bool __of_warps = (__Size > 32)> class thread_block_tile : public __lanes_group {
    static_assert(__Size >= 1 && __Size <= 32 && (__Size & (__Size - 1)) == 0, "a tile has 1, 2, 4, … 512 or 1024 threads");

public:
    explicit thread_block_tile(const thread_group &__parent)
        : __lanes_group(__tile_mask((unsigned)thread_block().thread_rank(), __Size), __Size, (unsigned)__parent.thread_rank() % __Size),
          __number_((unsigned)__parent.thread_rank() / __Size), __count_((unsigned)(__parent.size() + __Size - 1) / __Size) {}
    /* A tile of some parent is a tile. */
    template <typename __Other>
    thread_block_tile(const thread_block_tile<__Size, __Other> &__tile)
        : __lanes_group(__tile), __number_((unsigned)__tile.meta_group_rank()), __count_((unsigned)__tile.meta_group_size()) {}
    static constexpr unsigned long long size() { return __Size; }
    static constexpr unsigned long long num_threads() { return __Size; }
    unsigned long long meta_group_rank() const { return __number_; }
    unsigned long long meta_group_size() const { return __count_; }
    template <typename __T> __T shfl_xor(__T __v, unsigned __change, SIM_HERE) const
    {
        __must_be_plain<__T>();
        unsigned __other = __rank_ ^ __change;
        return __sim::__shuffle(SIM_WARP_SHUFFLE_XOR, __mask_, __v, __lane_of(__other < __Size ? __other : __rank_), __file, __line);
    }

private:
    unsigned __number_, __count_;
};

/* Tiles of several warps meet in the block's own memory. */
template <unsigned __Size, typename __Parent> class thread_block_tile<__Size, __Parent, true> : public thread_group {
    static_assert(__Size <= 1024 && (__Size & (__Size - 1)) == 0, "a tile has 1, 2, 4, … 512 or 1024 threads");

public:
    explicit thread_block_tile(const thread_group &__parent)
        : thread_group(0, __Size, (unsigned)__parent.thread_rank() % __Size), __number_((unsigned)__parent.thread_rank() / __Size),
          __count_((unsigned)(__parent.size() + __Size - 1) / __Size) {}
    template <typename __Other>
    thread_block_tile(const thread_block_tile<__Size, __Other> &__tile)
        : thread_group(__tile), __number_((unsigned)__tile.meta_group_rank()), __count_((unsigned)__tile.meta_group_size()) {}
    static constexpr unsigned long long size() { return __Size; }
    static constexpr unsigned long long num_threads() { return __Size; }
    unsigned long long meta_group_rank() const { return __number_; }
    unsigned long long meta_group_size() const { return __count_; }
    void sync(SIM_HERE) const { sim_tile_meet(__Size, 0, 0, __file, __line); }
    template <typename __T> __T shfl(__T __v, int __rank, SIM_HERE) const
    {
        unsigned __meeting = __meet(__v, __file, __line);
        sim_tile_take(__Size, __meeting, (unsigned)__rank % __Size, &__v, sizeof __v);
        return __v;
    }
    template <typename __T, typename __F> __T __fold_all(__T __value, __F &&__combine, const char *__file, int __line) const
    {
        return __fold(__value, __combine, __Size - 1, __file, __line);
    }
    int any(int __p, SIM_HERE) const { return __fold(__p != 0, [](int __a, int __b) { return __a | __b; }, __Size - 1, __file, __line); }
    int all(int __p, SIM_HERE) const { return __fold(__p != 0, [](int __a, int __b) { return __a & __b; }, __Size - 1, __file, __line); }
    template <typename __T, typename __F> __T __fold(__T __value, __F &&__combine, unsigned __last, const char *__file, int __line) const
    {
        const unsigned __meeting = __meet(__value, __file, __line);
        __T __result = __value, __next = __value;
        sim_tile_take(__Size, __meeting, 0, &__result, sizeof __result);
        for (unsigned __i = 1; __i <= __last; __i++) {
            sim_tile_take(__Size, __meeting, __i, &__next, sizeof __next);
            __result = __combine(__result, __next);
        }
        return __result;
    }

private:
    template <typename __T> static unsigned __meet(const __T &__value, const char *__file, int __line)
    {
        static_assert(__is_trivially_copyable(__T) && sizeof(__T) <= SIM_TILE_BYTES, "a tile takes what can be copied as it lies, up to 32 bytes");
        return sim_tile_meet(__Size, &__value, sizeof __value, __file, __line);
    }
    unsigned __number_, __count_;
};

template <unsigned __Size, typename __Parent>
static inline thread_block_tile<__Size, __Parent> tiled_partition(const __Parent &__parent)
{
    return thread_block_tile<__Size, __Parent>(__parent);
}

/* Of a size that is known only when it runs. */
inline thread_group tiled_partition(const thread_group &__parent, unsigned __size)
{
    unsigned __in_block = (unsigned)thread_block().thread_rank();
    return thread_group(__tile_mask(__in_block, __size), __size, __parent.__rank_ % __size);
}

class coalesced_group : public __lanes_group {
public:
    explicit coalesced_group(unsigned __mask, unsigned __number = 0, unsigned __count = 1)
        : __lanes_group(__mask, (unsigned)__builtin_popcount(__mask),
                      (unsigned)__builtin_popcount(__mask & ((1u << sim_lane()) - 1))), __number_(__number), __count_(__count) {}
    /* Among the groups that a partition has made, in the order of their first lanes. */
    unsigned long long meta_group_rank() const { return __number_; }
    unsigned long long meta_group_size() const { return __count_; }

private:
    unsigned __number_, __count_;
};

static inline coalesced_group coalesced_threads(SIM_HERE) { return coalesced_group(__activemask(__file, __line)); }

template <typename __T> static inline coalesced_group labeled_partition(const __lanes_group &__parent, __T __label, SIM_HERE)
{
    unsigned __lanes = __parent.__lanes_with(__label, __file, __line), __first = (unsigned)__builtin_ctz(__lanes);
    unsigned __firsts = __parent.__lanes_that(__first == sim_lane(), __file, __line);
    return coalesced_group(__lanes, (unsigned)__builtin_popcount(__firsts & ((1u << __first) - 1)), (unsigned)__builtin_popcount(__firsts));
}

static inline coalesced_group binary_partition(const __lanes_group &__parent, bool __side, SIM_HERE)
{
    return labeled_partition(__parent, (int)__side, __file, __line);
}

/* One of the group's threads makes the call. */
template <typename __Group, typename __F, typename... __A> static inline void invoke_one(const __Group &__group, __F &&__f, __A &&...__a)
{
    if (__group.thread_rank() == 0)
        __f(static_cast<__A &&>(__a)...);
}

/* … and all of them get what it returns. */
template <typename __Group, typename __F, typename... __A>
static inline auto invoke_one_broadcast(const __Group &__group, __F &&__f, __A &&...__a) -> decltype(__f(static_cast<__A &&>(__a)...))
{
    decltype(__f(static_cast<__A &&>(__a)...)) __result = {};
    if (__group.thread_rank() == 0)
        __result = __f(static_cast<__A &&>(__a)...);
    return __group.shfl(__result, 0);
}

template <typename __Group> static inline unsigned long long thread_rank(const __Group &__group) { return __group.thread_rank(); }
template <typename __Group> static inline unsigned long long group_size(const __Group &__group) { return __group.size(); }
template <typename __Group> static inline unsigned long long num_threads(const __Group &__group) { return __group.size(); }
template <typename __Group> static inline void sync(const __Group &__group, SIM_HERE) { __group.sync(__file, __line); }

}

#endif
