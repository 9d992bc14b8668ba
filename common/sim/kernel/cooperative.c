/* SPDX-License-Identifier: MIT */
/*
 * Grids of cudaLaunchCooperativeKernel, clusters of blocks, and tiles of several warps of a block.
 *
 * DESIGN
 * Blocks that may wait for each other are there at once: all of a cooperative grid, or those of one
 * cluster, and then of the next. Each has a struct of its own, and `block` leads to the one that
 * runs. It runs to its end or to a barrier of several blocks, where the fibers of its threads stay
 * stopped and its shared memory is put by; then the next one does. When all of the cluster or the
 * grid have come to the barrier, they go on, again one after the other. What a block has put by
 * lies in a place of its own, and there the others of its cluster find its shared memory: no
 * address of that leads to the block that runs.
 */
#include "sim/fiber/fiber.h"
#include "sim/include/detail/sim_block.h"
#include "sim/kernel/block.h"
#include "sim/kernel/kernel.h"
#include "sim/kernel/print.h"
#include "sim/kernel/step.h"
#include "sim/race/seen/exchange_seen.h"
#include "trace/record/memory.h"

static struct {
    struct block *core;         /* the core's own; NULL: no such grid runs */
    struct block **blocks;      /* those that are there at once, cluster by cluster */
    uint64_t count, begun;      /* blocks; those that have begun */
    uint64_t standing;          /* that wait for what others do */
    struct dim3 cluster;        /* its blocks in x, y and z */
    uint64_t size;              /* and in all */
} meeting;

static struct dim3 cluster_of(const struct effect *effect)
{
    const unsigned *has = effect->kernel.cluster;
    struct dim3 one = { 1, 1, 1 }, cluster = { has[0], has[1], has[2] };
    return has[0] > 0 ? cluster : one;
}

bool cooperative_is(const struct effect *effect)
{
    struct dim3 cluster = cluster_of(effect);
    return effect->cooperative || cluster.x * cluster.y * cluster.z > 1;
}

static void free_blocks(void)
{
    for (uint64_t i = 0; i < meeting.count; i++)
        block_free(meeting.blocks[i]);
    memory_resize(meeting.blocks, 0);
    block = meeting.core;
    meeting.core = NULL;
}

static void make_blocks(const struct effect *effect)
{
    meeting.core = block;
    meeting.cluster = cluster_of(effect);
    meeting.size = (uint64_t)meeting.cluster.x * meeting.cluster.y * meeting.cluster.z;
    meeting.count = effect->cooperative ? (uint64_t)effect->grid.x * effect->grid.y * effect->grid.z
                                        : meeting.size;
    meeting.begun = meeting.standing = 0;
    meeting.blocks = memory_resize(NULL, meeting.count * sizeof *meeting.blocks);
    for (uint64_t i = 0; i < meeting.count; i++) {
        struct block *b = meeting.blocks[i] = memory_resize(NULL, sizeof *b);
        memory_zero(b, sizeof *b);
        b->effect = effect;
        b->error = meeting.core->error;
        b->print = meeting.core->print;
        b->slot = shared_slot(i);
        b->cluster = meeting.blocks + i / meeting.size * meeting.size;
        b->cluster_size = (unsigned)meeting.size;
    }
}

/* The number of a cluster's block of that rank; in both, x goes round first. */
static uint64_t number_of(uint64_t cluster, uint64_t rank)
{
    const struct dim3 c = meeting.cluster;
    uint64_t wide = gridDim.x / c.x, high = gridDim.y / c.y;
    uint64_t x = cluster % wide * c.x + rank % c.x,
             y = cluster / wide % high * c.y + rank / c.x % c.y;
    uint64_t z = cluster / wide / high * c.z + rank / c.x / c.y;
    return x + gridDim.x * (y + gridDim.y * z);
}

/* The block has come to its end, to a barrier of several blocks, or waits for what others do. */
static void leave(void)
{
    bool lives = block_promoted() && block->live > 0;
    block->meets = lives && !block->stands;
    block->meets_at =
        block->meets && block_meets(SIM_BARRIER_CLUSTER) ? SIM_BARRIER_CLUSTER : SIM_BARRIER_GRID;
    meeting.standing += lives && block->stands;
    if (lives || meeting.size > 1)
        shared_leave(); /* others of the cluster may still ask for what it had when it ended */
    if (!lives) {
        block->live = 0;
        block->count = 0;
        if (meeting.size == 1)
            shared_end();
    }
}

static void pass_barrier(struct block *b)
{
    block = b;
    shared_return();
    block_go_on();
    leave();
}

/* On a card the blocks that wait would wait for ever. */
static _Noreturn void some_have_ended(uint64_t waiting)
{
    if (waiting > 0)
        print_wrong(
            "%s: %llu of %llu blocks wait for the whole grid, and the others have ended%s\n",
            block->effect->kernel.name, (unsigned long long)waiting,
            (unsigned long long)meeting.count,
            meeting.size > 1 ? " or wait for their clusters" : "");
    kernel_fail(cudaErrorLaunchFailure);
}

static void gather(void)
{
    for (uint64_t i = 0; i < meeting.begun; i++)
        block_gather(meeting.core, meeting.blocks[i]);
}

/* Those that wait for what others do poll again. */
static void poll_again(void)
{
    bool any = false;
    uint64_t standing = meeting.standing;
    meeting.standing = 0;
    for (uint64_t i = 0; i < meeting.count; i++) {
        block = meeting.blocks[i];
        if (block->live == 0 || !block->stands)
            continue;
        shared_return();
        any |= block_try_again() || step_may_end(block);
        leave();
    }
    if (!any && meeting.standing == standing) {
        for (uint64_t i = 0; block->live == 0 || !block->stands; i++)
            block = meeting.blocks[i];
        shared_return();
        stand_in_vain();
    }
}

/* Of each cluster whose blocks have all come to its barrier, or ended: lets them go. True: there
 * was one. */
static bool release_clusters(void)
{
    bool any = false;
    for (uint64_t first = 0; meeting.size > 1 && first < meeting.count; first += meeting.size) {
        uint64_t there = 0, live = 0;
        for (uint64_t i = first; i < first + meeting.size; i++) {
            const struct block *b = meeting.blocks[i];
            live += b->live > 0;
            there += b->meets && b->meets_at == SIM_BARRIER_CLUSTER;
        }
        if (there == 0 || there < live)
            continue;
        any = true;
        for (uint64_t i = first; i < first + meeting.size; i++)
            if (meeting.blocks[i]->live > 0)
                pass_barrier(meeting.blocks[i]);
    }
    return any;
}

static uint64_t live_blocks(void)
{
    uint64_t live = 0;
    for (uint64_t i = 0; i < meeting.count; i++)
        live += meeting.blocks[i]->live > 0;
    return live;
}

static void release_grid(void)
{
    uint64_t waiting = 0;
    for (uint64_t i = 0; i < meeting.count; i++)
        waiting += meeting.blocks[i]->meets && meeting.blocks[i]->meets_at == SIM_BARRIER_GRID;
    if (waiting < meeting.count)
        some_have_ended(waiting);
    for (uint64_t i = 0; i < meeting.count; i++)
        pass_barrier(meeting.blocks[i]);
}

/* Those that are there at once begin, from that cluster on: all of them, or up to kernel_cost. */
static struct fiber *begin_all(uint64_t cluster, struct fiber *fiber)
{
    meeting.begun = 0;
    for (uint64_t i = 0; i < meeting.count; i++) {
        struct block *b = meeting.blocks[i];
        b->number = number_of(cluster + i / meeting.size, i % meeting.size);
        b->begun = b->slot_used = b->stands = b->meets = false;
        b->reached_count = 0;
        b->live = b->count = 0;
        b->spent = 0;
    }
    for (uint64_t i = 0; i < meeting.count; i++) {
        block = meeting.blocks[i];
        meeting.begun = i + 1;
        block->begun = true;
        fiber = block_run(block->number, fiber);
        if (fiber)              /* the first thread, in kernel_cost */
            return fiber;
        leave();
    }
    return NULL;
}

struct fiber *cooperative_run(const struct effect *effect, struct fiber *fiber)
{
    uint64_t blocks = (uint64_t)effect->grid.x * effect->grid.y * effect->grid.z;
    make_blocks(effect);
    for (uint64_t done = 0; done < blocks; done += meeting.count) {
        fiber = begin_all(done / meeting.size, fiber);
        if (fiber) {
            free_blocks();
            return fiber;
        }
        while (live_blocks() > 0) {
            if (release_clusters())
                continue;
            if (meeting.standing > 0)
                poll_again();
            else
                release_grid();
        }
        gather();
    }
    free_blocks();
    return NULL;
}

void cooperative_drop(void)
{
    if (!meeting.core)
        return;
    struct block *failed = block;
    meeting.core->error = failed->error;
    meeting.core->number = failed->number;
    for (uint64_t i = 0; i < meeting.begun; i++) {
        block = meeting.blocks[i];
        if (block != failed)
            block_drop_threads();
    }
    block = failed;
    block_drop();
    gather();
    free_blocks();
}

/* ---- in kernels ---- */

int sim_grid_is_valid(void)
{
    return kernel_runs() && block->effect->cooperative;
}

/* Without a cooperative launch a card has no word for it. */
void sim_grid_barrier(const char *file, int line)
{
    if (!kernel_runs())
        kernel_misused("grid_group::sync");
    if (block->effect->cooperative) {
        sim_barrier(SIM_BARRIER_GRID, 0, file, line);
        return;
    }
    print_wrong(
        "%s:%d: grid_group::sync: the kernel was launched without cudaLaunchCooperativeKernel, and its blocks cannot wait for each other\n",
        file, line);
    kernel_fail(cudaErrorLaunchFailure);
}

unsigned sim_cluster_dim(unsigned axis)
{
    const struct dim3 cluster = cluster_of(block->effect);
    return axis == 0 ? cluster.x : axis == 1 ? cluster.y : cluster.z;
}

int sim_cluster_is_specified(void)
{
    return block->effect->kernel.cluster[0] > 0;
}

/* A cluster of one block is a block. */
void sim_cluster_barrier(const char *file, int line)
{
    if (!kernel_runs())
        kernel_misused("cluster_group::sync");
    sim_barrier(block->cluster_size > 1 ? SIM_BARRIER_CLUSTER : SIM_BARRIER, 0, file, line);
}

/* ---- tiles of several warps ---- */

enum { TILE_SIZES = 5, TILES = BLOCK_WARPS / 2 };      /* of 64, 128, … 1024 threads */

struct tiles {
    uint64_t round;             /* of the block that these are for */
    struct tile { unsigned long long met; unsigned here; } of[TILES];
    char *places; /* two of SIM_TILE_BYTES for each thread: one may bring what is for the next time
                     while others still read */
};

static struct tiles *tiles_of_size(unsigned size)
{
    if (!block->tiles) {
        block->tiles = memory_resize(NULL, TILE_SIZES * sizeof *block->tiles);
        memory_zero(block->tiles, TILE_SIZES * sizeof *block->tiles);
    }
    struct tiles *t = &block->tiles[__builtin_ctz(size / (2 * WARP))];
    if (!t->places)
        t->places = memory_resize(NULL, 2 * BLOCK_THREADS * SIM_TILE_BYTES);
    if (t->round != block->round)
        memory_zero(t->of, sizeof t->of);
    t->round = block->round;
    return t;
}

static char *place(const struct tiles *tiles, unsigned time, unsigned thread)
{
    return tiles->places + (time % 2 * BLOCK_THREADS + thread) * (size_t)SIM_TILE_BYTES;
}

unsigned int sim_tile_meet(unsigned int size, const void *value, size_t bytes, const char *file,
                           int line)
{
    exchange_seen_orders();
    block_stop("thread_block_tile::sync");
    struct tiles *tiles = tiles_of_size(size);
    unsigned thread = block_thread(), left = block->count - thread / size * size;
    struct tile *tile = &tiles->of[thread / size];
    unsigned long long now = tile->met;
    memory_copy(place(tiles, (unsigned)now, thread), value, bytes);
    if (++tile->here == (left < size ? left : size)) {
        tile->here = 0;
        tile->met++;
    } else {
        sim_wait(&tile->met, ~0ull, now, file, line);
    }
    return (unsigned)now;
}

void sim_tile_take(unsigned int size, unsigned int time, unsigned int rank, void *value,
                   size_t bytes)
{
    memory_copy(value, place(tiles_of_size(size), time, block_thread() / size * size + rank),
                bytes);
}
