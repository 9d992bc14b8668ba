/* SPDX-License-Identifier: MIT */
/* pool_state.h - the inside of pools: pool.c has their blocks, pool_alloc.c gives them out and
 * takes them back, pool_calls.c has what else programs ask. */
#ifndef SIM_MEMORY_POOL_STATE_H
#define SIM_MEMORY_POOL_STATE_H

#include "sim/memory/pool.h"

struct CUmemPoolHandle_st {
    uint64_t number;            /* counted from 1; the log's name for it */
    int device;                 /* whose memory it has */
    uint32_t process;           /* whose thread has created or imported it */
    uint64_t source; /* the number of another process's pool that was imported; 0: it is none */
    enum cudaMemAllocationHandleType handle_types;
    bool exported;              /* there has been a handle of it */
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
    /* Each device's, and its default: NULL until a process asks for them. */
    cudaMemPool_t current[PROCESSES][CARD_DEVICES], ordinary[PROCESSES][CARD_DEVICES];
} pools;

cudaMemPool_t pool_new(int device, uint64_t most);
/* The caller's process's. */
cudaMemPool_t pool_default(int device);
cudaMemPool_t *pool_current(int device);

/* Is it one of the caller's process, and not destroyed? */
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
/* Memory of a block goes back to the device. */
void pool_give_back(const char *at, size_t bytes);
/* Destroyed pools without blocks go. */
void pools_bury(void);

/* ---- pool_import.c: blocks of another process's pool ---- */

/* The caller's process has what begins there open, by cudaMemPoolImportPointer. */
bool pool_import_has(const struct pool_block *b);
/* It has from now on: through its pool `pool`. */
void pool_import_open(cudaMemPool_t pool, const struct pool_block *b);
/* It frees it, and reaches it until what it has queued so far is over. */
void pool_import_free(const struct pool_block *b);

#endif
