/* SPDX-License-Identifier: MIT */
#include "sim/kernel/warp.h"

#include "sim/include/detail/sim_block.h"
#include "sim/include/detail/sim_warp.h"
#include "sim/kernel/block.h"
#include "sim/fiber/fiber.h"
#include "sim/race/seen/exchange_seen.h"
#include "trace/record/memory.h"

struct lane {
    uint32_t kind, mask, source;
    uint64_t value, result;
    unsigned long long *all;    /* gets everybody's value; NULL: not wanted */
    sim_fold *fold;             /* of SIM_WARP_FOLD */
};

static const char *const names[] = {
    [SIM_WARP_SYNC] = "__syncwarp", [SIM_WARP_SHUFFLE] = "__shfl_sync",
    [SIM_WARP_SHUFFLE_UP] = "__shfl_up_sync",
    [SIM_WARP_SHUFFLE_DOWN] = "__shfl_down_sync", [SIM_WARP_SHUFFLE_XOR] = "__shfl_xor_sync",
    [SIM_WARP_BALLOT] = "__ballot_sync", [SIM_WARP_ANY] = "__any_sync",
    [SIM_WARP_ALL] = "__all_sync",
    [SIM_WARP_MATCH] = "__match_sync", [SIM_WARP_REDUCE] = "__reduce_sync",
    [SIM_WARP_FOLD] = "__reduce_sync", [SIM_WARP_ACTIVE] = "__activemask",
};

const char *warp_operation_name(uint32_t kind)
{
    return names[kind];
}

static struct device_thread *device_thread_of(unsigned warp, unsigned lane)
{
    return &block->threads[warp * WARP + lane];
}

static struct lane *lanes_of(unsigned warp)
{
    return &block->lanes[warp * WARP];
}

static uint32_t waiting(unsigned warp)
{
    return block->in[DEVICE_THREAD_IN_WARP][warp];
}

static uint32_t ended(unsigned warp)
{
    return block->in[DEVICE_THREAD_ENDED][warp];
}

void warps_begin(void)
{
    if (!block->lanes)
        block->lanes = memory_resize(NULL, BLOCK_THREADS * sizeof *block->lanes);
}

/* ---- completion ---- */

/* The lanes that wait for the same thing as `lane`. */
static uint32_t company(unsigned w, unsigned lane)
{
    const struct lane *lanes = lanes_of(w), *own = &lanes[lane];
    uint32_t together = 0;
    for (uint32_t left = waiting(w); left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (lanes[i].kind == own->kind && lanes[i].mask == own->mask)
            together |= 1u << i;
    }
    return together;
}

static void release(unsigned w, uint32_t lanes)
{
    block->in[DEVICE_THREAD_IN_WARP][w] &= ~lanes;
    block->in[DEVICE_THREAD_READY][w] |= lanes;
}

static void note_gap(unsigned w, unsigned lane)
{
    const struct device_thread *s = device_thread_of(w, lane);
    unsigned source = lanes_of(w)[lane].source;
    if (block->gap.line == 0)
        block->gap = (struct warp_gap){
            block->number, s->kind, lane, source, ended(w) >> source & 1,
            s->file,       s->line
        };
}

/* What a shuffle reads: of a lane that takes no part, 0, as on an H100 (one that has ended) and an
 * H200 (one that the mask leaves out and that is elsewhere); CUDA promises neither, and note_gap
 * says so. */
static uint64_t shuffled(unsigned w, unsigned lane, uint32_t lanes)
{
    unsigned source = lanes_of(w)[lane].source;
    if (lanes >> source & 1)
        return lanes_of(w)[source].value;
    note_gap(w, lane);
    return 0;
}

static bool is_shuffle(uint32_t kind)
{
    return kind >= SIM_WARP_SHUFFLE && kind <= SIM_WARP_SHUFFLE_XOR;
}

static uint64_t voted(uint32_t kind, uint32_t said, uint32_t lanes)
{
    return kind == SIM_WARP_BALLOT ? said : kind == SIM_WARP_ANY ? said != 0 : said == lanes;
}

/* Those that fold in one way get one result. */
static void fold_lanes(struct lane *lane, uint32_t lanes)
{
    const struct lane *known = NULL;
    uint64_t result = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        struct lane *own = &lane[__builtin_ctz(left)];
        if (!known || known->fold != own->fold) {
            uint32_t others = lanes & (lanes - 1);
            result = lane[__builtin_ctz(lanes)].value;
            for (; others != 0; others &= others - 1)
                result = own->fold(result, lane[__builtin_ctz(others)].value);
            known = own;
        }
        own->result = result;
    }
}

static void answer(unsigned w, uint32_t lanes)
{
    struct lane *lane = lanes_of(w);
    uint32_t kind = lane[__builtin_ctz(lanes)].kind, said = 0;
    if (kind == SIM_WARP_FOLD) {
        fold_lanes(lane, lanes);
        return;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        if (lane[__builtin_ctz(left)].value != 0)
            said |= left & -left;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (is_shuffle(kind))
            lane[i].result = shuffled(w, i, lanes);
        else if (kind == SIM_WARP_MATCH || kind == SIM_WARP_REDUCE)
            lane[i].result = lanes;
        else if (kind != SIM_WARP_SYNC)
            lane[i].result = voted(kind, said, lanes);
        if (lane[i].all)
            for (unsigned k = 0; k < WARP; k++)
                lane[i].all[k] = lane[k].value;
    }
}

/* Lets the operation that `lane` waits for go on, if all have come. */
static bool complete(unsigned w, unsigned lane)
{
    const struct lane *own = &lanes_of(w)[lane];
    if (own->kind == SIM_WARP_ACTIVE || (own->mask & ~(waiting(w) | ended(w))) != 0)
        return false;
    uint32_t together = company(w, lane);
    if ((own->mask & ~(together | ended(w))) != 0)
        return false;
    answer(w, together);
    release(w, together);
    return true;
}

void warp_ended(unsigned thread)
{
    unsigned w = thread / WARP;
    for (unsigned i = 0; i < WARP && waiting(w) >> i != 0; i++)
        if (waiting(w) >> i & 1)
            complete(w, i);
}

bool warp_release_active(unsigned w)
{
    uint32_t together = 0;
    const struct device_thread *first = NULL;
    for (unsigned i = 0; i < WARP && waiting(w) != 0; i++) {
        const struct device_thread *s = device_thread_of(w, i);
        if (!(waiting(w) >> i & 1) || s->kind != SIM_WARP_ACTIVE)
            continue;
        first = first ? first : s;
        if (s->line == first->line && s->file == first->file)
            together |= 1u << i;
    }
    for (uint32_t left = together; left != 0; left &= left - 1)
        lanes_of(w)[__builtin_ctz(left)].result = together;
    release(w, together);
    return together != 0;
}

/* ---- from kernels ---- */

unsigned sim_lane(void)
{
    return (block_promoted() ? block->running : block_thread()) % WARP;
}

static uint64_t meet(const struct lane *brings, const char *file, int line)
{
    exchange_seen_meets(false);
    struct device_thread *s = block_stop(names[brings->kind]);
    unsigned w = block->running / WARP, lane = block->running % WARP;
    lanes_of(w)[lane] = *brings;
    s->kind = (uint8_t)brings->kind;
    s->file = file;
    s->line = line;
    device_thread_moves(block->running, DEVICE_THREAD_READY, DEVICE_THREAD_IN_WARP);
    complete(w, lane);
    device_thread_stop(s);      /* the last to come, too: then the lanes go on in their order */
    exchange_seen_meets(false);
    return lanes_of(w)[lane].result;
}

unsigned long long sim_warp(enum sim_warp kind, unsigned mask, unsigned long long value,
                            unsigned source, unsigned long long *all, const char *file, int line)
{
    return meet(
        &(struct lane){ .kind = kind, .mask = mask, .source = source, .value = value, .all = all },
        file, line);
}

unsigned long long sim_warp_fold(unsigned mask, unsigned long long value, sim_fold *fold,
                                 const char *file, int line)
{
    return meet(&(struct lane){ .kind = SIM_WARP_FOLD, .mask = mask, .value = value, .fold = fold },
                file, line);
}
