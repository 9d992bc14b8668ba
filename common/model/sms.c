/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * Each SM has room of three kinds: threads, shared memory, blocks. A block lies on one SM, so that
 * what is left on several does not add up: a block of another kernel runs beside a grid that fills
 * all SMs exactly where one of them has what it takes, and a carve-out that is large enough
 * (card.h). facts/h200-residency.txt has what an H200 does with 1,600 pairs of kernels.
 *
 * Each block goes to the SM that has room and most threads free. What was placed together ends
 * together, and is kept as a count for each SM (a placement).
 */
#include "model/state.h"

#include "trace/record/memory.h"

/* ---- sets ---- */

struct sm_set sm_set_of(const struct card *card, const struct call *c)
{
    struct sm_set set = { 0 };
    for (uint32_t i = 0; i < SM_WORDS; i++) {
        uint32_t first = 32 * i, there = first >= card->sms ? 0
                                         : card->sms - first >= 32
                                             ? UINT32_MAX
                                             : (1u << (card->sms - first)) - 1;
        set.word[i] = (i < 3 ? c->sms_low[i] : c->sms_high[i - 3]) & there;
        set.any = set.any || set.word[i] != 0;
    }
    return set;
}

static bool has(const struct sm_set *set, uint32_t i)
{
    return !set->any || (i < 32 * SM_WORDS && set->word[i / 32] >> i % 32 & 1);
}

bool sm_set_without(struct sm_set *set, const struct sm_set *held, uint32_t count)
{
    struct sm_set rest = { 0 };
    for (uint32_t i = 0; i < count && i < 32 * SM_WORDS; i++)
        if (has(set, i) && !has(held, i)) {
            rest.word[i / 32] |= 1u << i % 32;
            rest.any = true;
        }
    *set = rest;
    return rest.any;
}

void sm_set_join(struct sm_set *set, const struct sm_set *more)
{
    for (uint32_t i = 0; i < SM_WORDS; i++)
        set->word[i] |= more->word[i];
}

/* ---- blocks ---- */

void sms_init(struct sms *s, const struct card *card)
{
    memory_zero(s, sizeof *s);
    s->count = (uint32_t)card->sms;
    s->threads = (int32_t)card->threads_per_sm;
    s->blocks = (int32_t)card->blocks_per_sm;
    s->list = (struct sm *)memory_resize(NULL, s->count * sizeof *s->list);
    s->room = (uint32_t *)memory_resize(NULL, s->count * sizeof *s->room);
    for (uint32_t i = 0; i < s->count; i++)
        s->list[i] = (struct sm){ .threads = s->threads, .blocks = s->blocks };
}

void sms_fini(struct sms *s)
{
    memory_resize(s->list, 0);
    memory_resize(s->room, 0);
    memory_resize(s->placed, 0);
    memory_resize(s->free, 0);
    memory_resize(s->parts, 0);
}

static bool is_idle(const struct sms *s, uint32_t i)
{
    return s->list[i].blocks == s->blocks;
}

static uint32_t blocks_that_fit(const struct sms *s, uint32_t i, const struct block_needs *needs)
{
    const struct sm *sm = &s->list[i];
    int32_t fit = sm->blocks, shared = is_idle(s, i) ? needs->chosen : sm->shared;
    if (!is_idle(s, i) && sm->carve_out < needs->carve_out)
        return 0;
    if (needs->threads > 0 && sm->threads / needs->threads < fit)
        fit = sm->threads / needs->threads;
    if (needs->shared > 0 && shared / needs->shared < fit)
        fit = shared / needs->shared;
    return (uint32_t)fit;
}

static bool same_room(const struct sm *a, const struct sm *b)
{
    return a->threads == b->threads && a->shared == b->shared && a->blocks == b->blocks
           && a->carve_out == b->carve_out;
}

/* Of each SM, and of all. To divide takes longest, and most SMs are as the one before them. */
static uint32_t find_room(struct sms *s, const struct block_needs *needs,
                          const struct sm_set *where)
{
    uint32_t all = 0, fit = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (i == 0 || !same_room(&s->list[i - 1], &s->list[i]))
            fit = blocks_that_fit(s, i, needs);
        all += s->room[i] = has(where, i) ? fit : 0;
    }
    return all;
}

static uint16_t *placement(const struct sms *s, uint32_t number)
{
    return s->placed + (size_t)number * s->count;
}

static uint32_t new_placement(struct sms *s)
{
    if (s->free_count > 0)
        return s->free[--s->free_count];
    uint32_t number = s->placements++;
    if (s->placements > s->capacity) {
        s->capacity = s->capacity > 0 ? 2 * s->capacity : 16;
        s->placed = (uint16_t *)memory_resize(s->placed,
                                              (size_t)s->capacity * s->count * sizeof *s->placed);
        s->free = (uint32_t *)memory_resize(s->free, s->capacity * sizeof *s->free);
        s->parts = (struct placement_part *)memory_resize(s->parts, s->capacity * sizeof *s->parts);
    }
    return number;
}

static void give(struct sms *s, uint32_t i, uint16_t *placed, const struct block_needs *needs,
                 uint32_t blocks)
{
    if (blocks == 0)
        return;
    if (is_idle(s, i))
        s->list[i].carve_out = s->list[i].shared = needs->chosen;
    placed[i] = (uint16_t)(placed[i] + blocks);
    s->room[i] -= blocks;
    s->list[i].threads -= (int32_t)blocks * needs->threads;
    s->list[i].shared -= (int32_t)blocks * needs->shared;
    s->list[i].blocks -= (int32_t)blocks;
}

/* One to each of the emptiest that have room; returns how many that were. */
static uint32_t round_of_the_emptiest(struct sms *s, uint16_t *placed,
                                      const struct block_needs *needs, uint32_t left)
{
    int32_t emptiest = 0;
    uint32_t given = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->room[i] > 0 && s->list[i].threads > emptiest)
            emptiest = s->list[i].threads;
    for (uint32_t i = 0; i < s->count && given < left; i++)
        if (s->room[i] > 0 && s->list[i].threads == emptiest) {
            give(s, i, placed, needs, 1);
            given++;
        }
    return given;
}

uint32_t sms_place(struct sms *s, const struct block_needs *needs, uint32_t want,
                   const struct sm_set *where, uint32_t *number)
{
    uint32_t all = find_room(s, needs, where);
    uint32_t count = want < all ? want : all;
    count -= count % needs->cluster;
    uint32_t left = count;
    if (count == 0)
        return 0;
    *number = new_placement(s);
    s->parts[*number] = (struct placement_part){ .blocks = count, .waits = NO_NODE };
    uint16_t *placed = placement(s, *number);
    memory_zero(placed, s->count * sizeof *placed);
    for (uint32_t i = 0; i < s->count && count == all; i++) {
        left -= s->room[i];
        give(s, i, placed, needs, s->room[i]);
    }
    while (left > 0)
        left -= round_of_the_emptiest(s, placed, needs, left);
    return count;
}

uint32_t sms_leave(struct sms *s, const struct block_needs *needs, uint32_t number)
{
    uint32_t count = 0;
    const uint16_t *placed = placement(s, number);
    for (uint32_t i = 0; i < s->count; i++) {
        s->list[i].threads += placed[i] * needs->threads;
        s->list[i].shared += placed[i] * needs->shared;
        s->list[i].blocks += placed[i];
        count += placed[i];
    }
    s->free[s->free_count++] = number;
    return count;
}
