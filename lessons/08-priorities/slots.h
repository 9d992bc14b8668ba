/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: the bulk's elements; input 2: the requests',
 * one after the other; input 3: WISHES priorities to ask for.
 * Inputs 4 and 5: the batch's elements, and those of the requests of part (c).
 * Output 0: struct answers; output 1: the bulk's results; output 2: the requests'.
 * Outputs 3 and 4: the same of part (c). Output 5: struct places.
 *
 * In part (b) request 0 is made while the device is idle, then the bulk begins,
 * then come the others: each inside a label REQUEST and its number, the bulk's
 * beginning inside BULK. Before part (b) the driver runs one wave of crunch()
 * alone: the first crunch() of the log, and likewise one of grind(), with an item
 * for each block, and one reply().
 *
 * In part (c) the arrivals count from where the label CLOCK opens. A request is taken
 * where a label TAKEN and its number stands, and handed out at HANDED_OUT. Cards differ
 * there in what is written into no program: where a wave has an odd number of blocks, requests
 * have little patience, and the last one comes while items are left; elsewhere they have four
 * times as much, a block takes many times longer to set up, and the last one comes when the
 * batch should be done. The cards that the lesson runs on are of both kinds, and no number of
 * items, and no patience, is right for both.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define REQUESTS 4
#define WISHES 7               /* the fourth is the third, asked for again */
#define WAVES 20

#define REQUEST "request "
#define BULK "the bulk begins"

#define COMERS 4                /* requests of part (c) */
#define BATCH_NS 10500000       /* about what a place of part (c) has to do, set-up not counted */
#define CLOCK "the batch begins"
#define TAKEN "takes request "
#define HANDED_OUT "hands out request "

/* Elements of the bulk and of a request; tiles that the bulk has beyond WAVES waves, in thousandths
 * of a wave; host work before each request, ns. Of (c): elements of the batch; the contract's
 * times on cards of either kind (kind_of); the arrivals, ns, the last one on cards of either
 * kind. */
struct sizes {
    int64_t bulk, request, tail, pause[REQUESTS];
    int64_t batch, setup_ns[2], item_ns[2], patience_ns[2], arrival[COMERS - 1], last[2];
};
struct answers { int32_t least, greatest, count, granted[WISHES]; };
struct places { uint64_t out[COMERS]; };        /* where the answers of (c) go */

enum { IN_SIZES, IN_BULK, IN_REQUESTS, IN_WISHES, IN_BATCH, IN_COMERS };
enum { OUT_ANSWERS, OUT_BULK, OUT_REQUESTS, OUT_BATCH, OUT_COMERS, OUT_PLACES };

/* Of a card where a wave has that many blocks: what kind it is of. */
static inline int kind_of(int64_t wave)
{
    return (int)(wave % 2);
}

/* Tiles of the bulk there. Its last wave is full on cards of one kind, where who makes one launch
 * more makes one of no blocks, and not on those of the other. */
static inline int64_t tiles_of(const struct sizes *s, int64_t wave)
{
    return wave * WAVES + (kind_of(wave) ? 0 : 1 + (wave - 1) * s->tail / 1000);
}

/* What setting a block of grind() up takes there, and an item; what a request can bear; when
 * request k comes. */
static inline int64_t setup_of(const struct sizes *s, int64_t wave)
{
    return s->setup_ns[kind_of(wave)];
}
static inline int64_t patience_of(const struct sizes *s, int64_t wave)
{
    return s->patience_ns[kind_of(wave)];
}
static inline int64_t item_of(const struct sizes *s, int64_t wave)
{
    return s->item_ns[kind_of(wave)];
}
static inline int64_t arrival_of(const struct sizes *s, int64_t wave, int k)
{
    return k < COMERS - 1 ? s->arrival[k] : s->last[kind_of(wave)];
}

/* Items of the batch there. Launches of half of the patience, of which two may be queued, do them
 * with hardly a place left empty in the last one. One item is left over when a block does as many
 * as the patience allows: who rounds down loses it. */
static inline int64_t items_of(const struct sizes *s, int64_t wave)
{
    int64_t item = item_of(s, wave), patience = patience_of(s, wave), setup = setup_of(s, wave),
            half = (patience / 2 - setup) / item, each = (patience - setup) / item,
            launches = (BATCH_NS + half * item / 2) / (half * item),
            most = wave * launches * half - wave / 3;
    return most - (most - 1) % each;
}

#endif
