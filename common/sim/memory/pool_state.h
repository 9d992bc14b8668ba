/* SPDX-License-Identifier: MIT */
/* pool_state.h - the inside of pools: pool.c has their blocks, pool_alloc.c gives them out and
 * takes them back, pool_calls.c has what else programs ask. */
#ifndef SIM_MEMORY_POOL_STATE_H
#define SIM_MEMORY_POOL_STATE_H

#include "sim/memory/pool.h"

struct CUmemPoolHandle_st {
    uint64_t number;            /* counted from 1; the log's name for it */
    int device;                 /* whose memory it has */
    bool destroyed;             /* goes with its last block */
    bool follows_events;        /* blocks may go to other streams that wait for the free */
    int other_reuse[2]; /* opportunistic, internal dependencies: kept, and not made use of */
    uint64_t threshold, most;
    uint64_t reserved, reserved_high, used, used_high;
    uint64_t held;              /* bytes of its blocks, which lie in what is reserved */
    enum cudaMemAccessFlags reach[CARD_DEVICES];    /* how each device reaches it */
    struct CUmemPoolHandle_st *next;
};

struct pool_block {
    char *at;
    size_t bytes, asked;
    struct CUmemPoolHandle_st *pool;
    bool used;
    uint32_t stream,
        freed; /* where and by which node it was freed; NO_NODE: nothing uses it any more */
    struct pool_block *next;
};

extern struct pools {
    cudaMemPool_t first;        /* the newest of all */
    cudaMemPool_t current[CARD_DEVICES], ordinary[CARD_DEVICES];    /* each device's, its default */
} pools;

cudaMemPool_t pool_new(int device, uint64_t most);

/* Is it one, and not destroyed? */
bool is_pool(cudaMemPool_t pool);
/* Gives free blocks back to the device until no more than `keep` bytes are left, as far as that
 * goes. */
void pool_trim(cudaMemPool_t pool, uint64_t keep);
/* The block that begins there, in use or not; NULL for none. */
struct pool_block *pool_block_find(const void *pointer);
/* A free block that the work may have which the call would queue; NULL for none. */
struct pool_block *pool_block_reuse(const struct call *c, cudaMemPool_t pool, size_t bytes);
/* A new one of the device's memory; NULL: there is no room. */
struct pool_block *pool_block_make(cudaMemPool_t pool, size_t bytes);
/* How many bytes of a free block work may touch that is handed out again for that many: those of
 * the allocations before, too, while work that was queued for them is not over. */
size_t pool_block_bounds(const struct pool_block *b, size_t asked);
/* A block of that many bytes was made: does the pool take memory from the device for it? */
bool pool_grows(cudaMemPool_t pool, uint64_t bytes);
/* The highest value there was. */
void pool_raise(uint64_t *high, uint64_t value);
/* Destroyed pools without blocks go. */
void pools_bury(void);

#endif
