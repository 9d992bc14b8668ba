/* SPDX-License-Identifier: MIT */
/* pool_state.h - the inside of pools: pool.c has their blocks, pool_calls.c what programs ask of them. */
#ifndef SIM_POOL_STATE_H
#define SIM_POOL_STATE_H

#include "pool.h"

struct CUmemPoolHandle_st {
    bool destroyed;             /* goes with its last block */
    bool follows_events;        /* blocks may go to other streams that wait for the free */
    int other_reuse[2];         /* opportunistic, internal dependencies: kept, and not made use of */
    uint64_t threshold, most;
    uint64_t reserved, reserved_high, used, used_high;
    struct CUmemPoolHandle_st *next;
};

extern struct pools {
    cudaMemPool_t first, current, ordinary;     /* the newest of all, the device's, its default */
} pools;

/* Is it one, and not destroyed? */
bool is_pool(cudaMemPool_t pool);
/* Gives free blocks back to the device until no more than `keep` bytes are left, as far as that goes. */
void pool_trim(cudaMemPool_t pool, uint64_t keep);
/* Destroyed pools without blocks go. */
void pools_bury(void);

#endif
