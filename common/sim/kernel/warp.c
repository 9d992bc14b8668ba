/* SPDX-License-Identifier: MIT */
#include "sim/kernel/warp.h"

#include "sim/include/detail/sim_block.h"
#include "sim/include/detail/sim_warp.h"
#include "sim/kernel/block.h"
#include "sim/fiber/fiber.h"
#include "trace/record/memory.h"

struct lane {
    uint32_t kind, mask, source;
    uint64_t value, result;
    unsigned long long *all;    /* gets everybody's value; NULL: not wanted */
    sim_fold *fold;             /* of SIM_WARP_FOLD */
};

struct warp {
    uint32_t ended;             /* lanes that have ended or never were */
    uint32_t waiting;
    struct lane lanes[WARP];
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

void warps_begin(void)
{
    if (!block->warps)
        block->warps = memory_resize(NULL, BLOCK_WARPS * sizeof *block->warps);
    struct warp *warps = block->warps;
    for (unsigned w = 0; w * WARP < block->count; w++) {
        warps[w].ended = warps[w].waiting = 0;
        for (unsigned lane = 0; lane < WARP; lane++)
            if (w * WARP + lane >= block->count
                || device_thread_of(w, lane)->state == DEVICE_THREAD_ENDED)
                warps[w].ended |= 1u << lane;
    }
}

/* ---- completion ---- */

/* The lanes that wait for the same thing as `lane`. */
static uint32_t company(const struct warp *warp, unsigned lane)
{
    const struct lane *own = &warp->lanes[lane];
    uint32_t together = 0;
    for (uint32_t left = warp->waiting; left != 0; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        if (warp->lanes[i].kind == own->kind && warp->lanes[i].mask == own->mask)
            together |= 1u << i;
    }
    return together;
}

static void release(unsigned w, uint32_t lanes)
{
    block->warps[w].waiting &= ~lanes;
    for (; lanes != 0; lanes &= lanes - 1)
        device_thread_of(w, (unsigned)__builtin_ctz(lanes))->state = DEVICE_THREAD_READY;
}

static void note_gap(unsigned w, unsigned lane)
{
    const struct device_thread *s = device_thread_of(w, lane);
    unsigned source = block->warps[w].lanes[lane].source;
    if (block->gap.line == 0)
        block->gap = (struct warp_gap){
            block->number, s->kind, lane, source, block->warps[w].ended >> source & 1,
            s->file,       s->line
        };
}

/* What a shuffle reads: of a lane that takes no part, 0, as on an H100 (one that has ended) and an
 * H200 (one that the mask leaves out and that is elsewhere); CUDA promises neither, and note_gap
 * says so. */
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
    struct lane *lane = block->warps[w].lanes;
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
    const struct warp *warp = &block->warps[w];
    uint32_t mask = warp->lanes[lane].mask;
    if (warp->lanes[lane].kind == SIM_WARP_ACTIVE || (mask & ~(warp->waiting | warp->ended)) != 0)
        return false;
    uint32_t together = company(warp, lane);
    if ((mask & ~(together | warp->ended)) != 0)
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
        block->warps[w].lanes[i].result =
            together >> i & 1 ? together : block->warps[w].lanes[i].result;
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
    struct device_thread *s = block_stop(names[brings->kind]);
    unsigned w = block->running / WARP, lane = block->running % WARP;
    block->warps[w].lanes[lane] = *brings;
    block->warps[w].waiting |= 1u << lane;
    s->kind = brings->kind;
    s->file = file;
    s->line = line;
    s->state = DEVICE_THREAD_IN_WARP;
    complete(w, lane);
    fiber_stop();               /* the last to come, too: then the lanes go on in their order */
    return block->warps[w].lanes[lane].result;
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
