/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: the bulk's elements; input 2: the requests', one after the other;
 * input 3: the second bulk's. Output 0: struct answers; outputs 1, 2 and 3: the results of the
 * same.
 *
 * In part (a) the driver runs hold() in the urgent stream, waits for it, queues hold() into the
 * bulk's stream and once more into the urgent one, and calls sides_close() inside the label CLOSE.
 * In part (b) each request is made inside a label REQUEST and its number, bulk_begin() inside BULK,
 * bulk_end() inside END. The last request comes when the driver has waited for the device: it tells
 * what one takes on an idle device. After the part, inside AGAIN, all is called once more: a second
 * bulk, of one wave, in the same memory, and a request. In part (c) each load that has a share is
 * run inside a label LOAD and its number; after the part urgent_share() is asked about each load
 * once more, with blocks that take seconds, and is not run. Loads depend on the card: needs_of().
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define REQUESTS 5
#define ALL_REQUESTS (REQUESTS + 1)     /* with the second bulk's */
#define REQUEST "request "
#define AGAIN "a second bulk"
#define BULK "the bulk begins"
#define END "the bulk ends"
#define CLOSE "the sides close"
#define LOAD "load "
#define LONG_LOADS "long loads"  /* the part of those that are not run, after all others */

#define LOADS 8
#define FITTING 5               /* loads 0 to 4 have a split that keeps both promises */
#define HOLD_NS 400000          /* a block of hold() in part (a) */
#define URGENT_WAVES 3          /* of blocks for hold(), on as many SMs as were asked for */

/* Elements of the two bulks and of a request; SMs to ask for in (a) and in (b); waves of the bulk
 * on its side, and thousandths of a further one; host work before each request, ns. Of (c), by
 * load: the promises in waves, and a number that it is made of. */
struct sizes {
    int64_t bulk, again, request, sms, urgent, waves, tail, pause[REQUESTS];
    int64_t bulk_waves[LOADS], request_waves[LOADS], seed[LOADS];
};
/* exact: of the sides of (b), which are asked for with a number that a part of this device can
 * have; 0: there were none. changed_request: the first one whose `in` is not what it was, counted
 * from 1; changed_bulk: is the bulk's not? long_share: of the loads with long blocks; alone: what a
 * load that got no share would get if the request's promise, or the bulk's, were the only one that
 * is hard to keep. */
struct answers {
    int32_t urgent_sms, bulk_sms, exact_urgent_sms, exact_bulk_sms;
    int32_t changed_request, changed_bulk, share[LOADS], long_share[LOADS];
    int32_t alone[LOADS][2];
};
enum { REQUEST_ALONE, BULK_ALONE };

enum { IN_SIZES, IN_BULK, IN_REQUESTS, IN_AGAIN };
enum { OUT_ANSWERS, OUT_BULK, OUT_REQUESTS, OUT_AGAIN };

/* How a device splits: the least part, and of what larger ones are multiples. */
struct split { int sms, least, step; };

/* By its compute capability, as cuda.h has it. */
static inline struct split split_of(int sms, int major)
{
    struct split d = { sms, major >= 9 ? 8 : major >= 8 ? 4 : 2, major >= 9 ? 8 : 2 };
    return d;
}

/* How many SMs a part has for which `asked` are asked. */
static inline int part_of(struct split d, int asked)
{
    int size = (asked + d.step - 1) / d.step * d.step;
    size = size < d.least ? d.least : size;
    return size < d.sms ? size : d.sms;
}

/* A load for (c), in SMs: the request needs `need` of them, the bulk `rest`. Of loads 0 to 4 a
 * split keeps both promises; load 5 would fit if the device split more finely; load 6 needs more
 * SMs than there are, and of load 7 the request alone does. */
struct needs { int need, rest; };
static inline struct needs needs_of(struct split d, const struct sizes *s, int k)
{
    int parts = d.sms / 3 / d.step,
        size = d.least + d.step * (1 + (int)(s->seed[k] % (parts > 1 ? parts : 1)));
    struct needs n = { size - d.step + 1, d.sms - size };
    switch (k) {
    case 0:
        n.rest = d.sms - size - d.step - (int)(s->seed[k] / 1000 % 3);
        break; /* some room to spare */
    case 1: /* none at all; where sizes are even, no multiple of four */
        size |= d.step == 2 ? 2 : 0;
        n.need = size, n.rest = d.sms - size;
        break;
    case 2: break; /* one more is rounded up to `size`, which will do */
    case 3: n.need = d.least, n.rest = d.sms - d.least; break; /* the least part, no room */
    case 4: /* most of the device, no room */
        n.need = part_of(d, d.sms * 2 / 3 + (int)(s->seed[k] % (d.sms / 8)));
        n.rest = d.sms - n.need;
        break;
    case 5: n.rest = d.sms - size + 1; break;
    case 6: n.rest = d.sms - size + d.step + 1; n.need = size; break;
    default: n.rest = d.least; n.need = d.sms + 1;
    }
    return n;
}

/* Is nothing left over anywhere: the last waves are full, and the promises are whole waves? */
static inline int is_exact(int k) { return k == 1 || k == 3; }

/* Blocks that take that many waves on that many SMs, and more on fewer. Without `full` the last
 * wave has a place to spare, but where an SM's blocks are one. */
static inline int blocks_of(int sms, int per_sm, int64_t waves, int full)
{
    return (int)(sms * per_sm * waves - (!full && per_sm * waves > 1));
}

/* The fewest that need that many SMs: one SM less would have places for all but one. */
static inline int just_need(int sms, int per_sm, int64_t waves)
{
    return (int)((sms - 1) * per_sm * waves + 1);
}

/* Of (c): a promise of that many waves, and of a quarter more where it is not `exact`. */
#define EASILY 1000              /* a promise of 1,000 times the waves is kept anyhow */
#define BULK_BLOCK_NS 400000
#define REQUEST_BLOCK_NS 200000
/* Of the loads that are not run: times that no 32 bits hold, and how many blocks an SM takes. */
#define LONG_BULK_BLOCK_NS 4300000000
#define LONG_REQUEST_BLOCK_NS 6500000000
#define LONG_PER_SM 3
static inline int64_t due_of(int64_t waves, int64_t block_ns, int exact)
{
    return waves * block_ns + (exact ? 0 : block_ns / 4);
}

/* Tiles of part (b) on a side that has room for `wave` blocks: the last wave is not full. */
static inline int tiles_of(const struct sizes *s, int wave)
{
    return (int)(wave * (s->waves - 1) + 1 + (wave - 1) * s->tail / 1000);
}
static inline int tiles_again(int wave) { return (wave + 1) / 2; }

#endif
