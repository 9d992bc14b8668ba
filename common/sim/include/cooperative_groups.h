/* SPDX-License-Identifier: MIT */
/*
 * cooperative_groups.h - threads that work together, as objects: the block,
 * tiles of a warp, the lanes that are here. Over sim_block.h and sim_warp.h.
 */
#ifndef _COOPERATIVE_GROUPS_H_
#define _COOPERATIVE_GROUPS_H_

#include "cuda_runtime.h"

namespace cooperative_groups {

/* Any of the groups below, as a parameter of a function that takes them all: a block when the mask is 0. */
class thread_group {
public:
    void sync(SIM_HERE) const
    {
        if (mask_)
            __syncwarp(mask_, file, line);
        else
            __syncthreads(file, line);
    }
    unsigned long long size() const { return size_; }
    unsigned long long num_threads() const { return size_; }
    unsigned long long thread_rank() const { return rank_; }
    bool is_valid() const { return true; }

protected:
    thread_group(unsigned mask, unsigned size, unsigned rank) : mask_(mask), size_(size), rank_(rank) {}
    unsigned mask_, size_, rank_;
    friend thread_group tiled_partition(const thread_group &parent, unsigned size);
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
    static void sync(SIM_HERE) { __syncthreads(file, line); }
};

static inline thread_block this_thread_block() { return thread_block(); }

/* All blocks; it cannot be synchronised, which takes a cooperative launch. */
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
    static dim3 group_dim() { return gridDim; }
    static dim3 dim_blocks() { return gridDim; }
};

static inline grid_group this_grid() { return grid_group(); }

/* Lanes of one warp, by their mask; ranks go by lane. */
class lanes_group : public thread_group {
public:
    template <typename T> T shfl(T v, int rank, SIM_HERE) const
    {
        return sim::shuffle(SIM_WARP_SHUFFLE, mask_, v, lane_of((unsigned)rank % size_), file, line);
    }
    template <typename T> T shfl_up(T v, unsigned delta, SIM_HERE) const
    {
        return sim::shuffle(SIM_WARP_SHUFFLE_UP, mask_, v, lane_of(rank_ < delta ? rank_ : rank_ - delta), file, line);
    }
    template <typename T> T shfl_down(T v, unsigned delta, SIM_HERE) const
    {
        return sim::shuffle(SIM_WARP_SHUFFLE_DOWN, mask_, v,
                            lane_of(rank_ + delta >= size_ ? rank_ : rank_ + delta), file, line);
    }
    int any(int p, SIM_HERE) const { return __any_sync(mask_, p, file, line); }
    int all(int p, SIM_HERE) const { return __all_sync(mask_, p, file, line); }
    unsigned ballot(int p, SIM_HERE) const { return packed(__ballot_sync(mask_, p, file, line)); }
    template <typename T> unsigned match_any(T v, SIM_HERE) const
    {
        return packed(__match_any_sync(mask_, v, file, line));
    }
    template <typename T> unsigned match_all(T v, int &same, SIM_HERE) const
    {
        return packed(__match_all_sync(mask_, v, &same, file, line));
    }

protected:
    lanes_group(unsigned mask, unsigned size, unsigned rank) : thread_group(mask, size, rank) {}
    /* The lane with this rank. */
    unsigned lane_of(unsigned rank) const
    {
        unsigned lanes = mask_;
        while (rank-- > 0)
            lanes &= lanes - 1;
        return (unsigned)__builtin_ctz(lanes);
    }
    /* Bits of lanes as bits of ranks. */
    unsigned packed(unsigned lanes) const
    {
        unsigned bits = 0;
        for (unsigned rank = 0; rank < size_; rank++)
            bits |= (lanes >> lane_of(rank) & 1) << rank;
        return bits;
    }
};

static inline unsigned tile_mask(unsigned rank, unsigned size)
{
    return (size >= 32 ? 0xffffffffu : (1u << size) - 1) << (rank % 32 / size * size);
}

template <unsigned Size, typename Parent = void> class thread_block_tile : public lanes_group {
    static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

public:
    explicit thread_block_tile(const thread_group &parent)
        : lanes_group(tile_mask((unsigned)thread_block().thread_rank(), Size), Size, (unsigned)parent.thread_rank() % Size),
          number_((unsigned)parent.thread_rank() / Size), count_((unsigned)(parent.size() + Size - 1) / Size) {}
    /* A tile of some parent is a tile. */
    template <typename Other>
    thread_block_tile(const thread_block_tile<Size, Other> &tile)
        : lanes_group(tile), number_((unsigned)tile.meta_group_rank()), count_((unsigned)tile.meta_group_size()) {}
    static constexpr unsigned long long size() { return Size; }
    static constexpr unsigned long long num_threads() { return Size; }
    unsigned long long meta_group_rank() const { return number_; }
    unsigned long long meta_group_size() const { return count_; }
    template <typename T> T shfl_xor(T v, unsigned change, SIM_HERE) const
    {
        unsigned other = rank_ ^ change;
        return sim::shuffle(SIM_WARP_SHUFFLE_XOR, mask_, v, lane_of(other < Size ? other : rank_), file, line);
    }

private:
    unsigned number_, count_;
};

template <unsigned Size, typename Parent>
static inline thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    return thread_block_tile<Size, Parent>(parent);
}

/* Of a size that is known only when it runs. */
inline thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    unsigned in_block = (unsigned)thread_block().thread_rank();
    return thread_group(tile_mask(in_block, size), size, parent.rank_ % size);
}

class coalesced_group : public lanes_group {
public:
    explicit coalesced_group(unsigned mask)
        : lanes_group(mask, (unsigned)__builtin_popcount(mask),
                      (unsigned)__builtin_popcount(mask & ((1u << sim_lane()) - 1))) {}
};

static inline coalesced_group coalesced_threads(SIM_HERE) { return coalesced_group(__activemask(file, line)); }

template <typename Group> static inline void sync(const Group &group, SIM_HERE) { group.sync(file, line); }

}

#endif
