/* SPDX-License-Identifier: MIT */
#include "sim/kernel/warp.h"

#include "sim/include/detail/sim_warp.h"
#include "sim/kernel/block.h"
#include "sim/fiber/fiber.h"
#include "trace/record/memory.h"

struct lane {
    uint32_t mask;
    uint32_t source;
    uint64_t value, result;
    unsigned long long *all;    /* gets everybody's value; NULL: not wanted */
};

struct warp {
    uint32_t ended;             /* lanes that have ended or never were */
    uint32_t waiting;
    struct lane lanes[WARP];
};

static const char *const names[] = {
    [SIM_WARP_SYNC] = "__syncwarp", [SIM_WARP_SHUFFLE] = "__shfl_sync", [SIM_WARP_SHUFFLE_UP] = "__shfl_up_sync",
    [SIM_WARP_SHUFFLE_DOWN] = "__shfl_down_sync", [SIM_WARP_SHUFFLE_XOR] = "__shfl_xor_sync",
    [SIM_WARP_BALLOT] = "__ballot_sync", [SIM_WARP_ANY] = "__any_sync", [SIM_WARP_ALL] = "__all_sync",
    [SIM_WARP_MATCH] = "__match_sync", [SIM_WARP_REDUCE] = "__reduce_sync", [SIM_WARP_ACTIVE] = "__activemask",
};

const char *warp_operation_name(uint32_t kind)
{
    return names[kind];
}

static struct device_thread *device_thread_of(unsigned warp, unsigned lane)
{
    return &block->threads[warp * WARP + lane];
}

void warps_begin(void)
{
    if (!block->warps)
        block->warps = memory_resize(NULL, BLOCK_WARPS * sizeof *block->warps);
    struct warp *warps = block->warps;
    for (unsigned w = 0; w * WARP < block->count; w++) {
        warps[w].ended = warps[w].waiting = 0;
        for (unsigned lane = 0; lane < WARP; lane++)
            if (w * WARP + lane >= block->count || device_thread_of(w, lane)->state == DEVICE_THREAD_ENDED)
                warps[w].ended |= 1u << lane;
    }
}

/* ---- completion ---- */

/* The lanes that wait for the same thing as `lane`. */
static uint32_t company(unsigned w, unsigned lane)
{
    uint32_t together = 0;
    for (unsigned i = 0; i < WARP; i++)
        if (block->warps[w].waiting >> i & 1 && device_thread_of(w, i)->kind == device_thread_of(w, lane)->kind
            && block->warps[w].lanes[i].mask == block->warps[w].lanes[lane].mask)
            together |= 1u << i;
    return together;
}

static void release(unsigned w, uint32_t lanes)
{
    block->warps[w].waiting &= ~lanes;
    for (unsigned i = 0; i < WARP; i++)
        if (lanes >> i & 1)
            device_thread_of(w, i)->state = DEVICE_THREAD_READY;
}

static void note_gap(unsigned w, unsigned lane)
{
    const struct device_thread *s = device_thread_of(w, lane);
    unsigned source = block->warps[w].lanes[lane].source;
    if (block->gap.line == 0)
        block->gap = (struct warp_gap){ block->number, s->kind, lane, source, block->warps[w].ended >> source & 1, s->file, s->line };
}

/* What a shuffle reads: of a lane that takes no part, 0, as on an H100 (one that has ended) and an H200 (one that the mask leaves
 * out and that is elsewhere); CUDA promises neither, and note_gap says so. */
static uint64_t shuffled(unsigned w, unsigned lane, uint32_t lanes)
{
    const struct warp *warp = &block->warps[w];
    unsigned source = warp->lanes[lane].source;
    if (lanes >> source & 1)
        return warp->lanes[source].value;
    note_gap(w, lane);
    return 0;
}

static bool is_shuffle(uint32_t kind)
{
    return kind >= SIM_WARP_SHUFFLE && kind <= SIM_WARP_SHUFFLE_XOR;
}

static void answer(unsigned w, uint32_t lanes)
{
    struct lane *lane = block->warps[w].lanes;
    uint32_t said = 0;
    for (unsigned i = 0; i < WARP; i++)
        if (lanes >> i & 1 && lane[i].value != 0)
            said |= 1u << i;
    for (unsigned i = 0; i < WARP; i++) {
        if (!(lanes >> i & 1))
            continue;
        uint32_t kind = device_thread_of(w, i)->kind;
        if (kind == SIM_WARP_BALLOT || kind == SIM_WARP_ANY || kind == SIM_WARP_ALL)
            lane[i].result = kind == SIM_WARP_BALLOT ? said : kind == SIM_WARP_ANY ? said != 0 : said == lanes;
        else if (is_shuffle(kind))
            lane[i].result = shuffled(w, i, lanes);
        if (lane[i].all)
            for (unsigned k = 0; k < WARP; k++)
                lane[i].all[k] = lane[k].value;
        if (kind == SIM_WARP_MATCH || kind == SIM_WARP_REDUCE)
            lane[i].result = lanes;
    }
}

/* Lets the operation that `lane` waits for go on, if all have come. */
static bool complete(unsigned w, unsigned lane)
{
    uint32_t mask = block->warps[w].lanes[lane].mask;
    if (device_thread_of(w, lane)->kind == SIM_WARP_ACTIVE || (mask & ~(block->warps[w].waiting | block->warps[w].ended)) != 0)
        return false;
    uint32_t together = company(w, lane);
    if ((mask & ~(together | block->warps[w].ended)) != 0)
        return false;
    answer(w, together);
    release(w, together);
    return true;
}

void warp_ended(unsigned thread)
{
    struct warp *warp = &block->warps[thread / WARP];
    warp->ended |= 1u << thread % WARP;
    for (unsigned i = 0; i < WARP; i++)
        if (warp->waiting >> i & 1)
            complete(thread / WARP, i);
}

bool warp_release_active(unsigned w)
{
    uint32_t together = 0;
    const struct device_thread *first = NULL;
    for (unsigned i = 0; i < WARP; i++) {
        const struct device_thread *s = device_thread_of(w, i);
        if (!(block->warps[w].waiting >> i & 1) || s->kind != SIM_WARP_ACTIVE)
            continue;
        first = first ? first : s;
        if (s->line == first->line && s->file == first->file)
            together |= 1u << i;
    }
    for (unsigned i = 0; i < WARP; i++)
        block->warps[w].lanes[i].result = together >> i & 1 ? together : block->warps[w].lanes[i].result;
    release(w, together);
    return together != 0;
}

/* ---- from kernels ---- */

unsigned sim_lane(void)
{
    return block_thread() % WARP;
}

unsigned long long sim_warp(enum sim_warp kind, unsigned mask, unsigned long long value, unsigned source,
                            unsigned long long *all, const char *file, int line)
{
    struct device_thread *s = block_stop(names[kind]);
    unsigned w = block->running / WARP, lane = block->running % WARP;
    block->warps[w].lanes[lane] = (struct lane){ mask, source, value, 0, all };
    block->warps[w].waiting |= 1u << lane;
    s->kind = kind;
    s->file = file;
    s->line = line;
    s->state = DEVICE_THREAD_IN_WARP;
    complete(w, lane);
    fiber_stop();               /* the last to come, too: then the lanes go on in their order */
    return block->warps[w].lanes[lane].result;
}
