/* SPDX-License-Identifier: MIT */
#include "sim/race/seen/exchange_seen.h"

#include "sim/device_variables.h"
#include "trace/record/memory.h"

/* LOOKS: accesses of a launch. FIRST_BLOCKS of the grid are looked at, and BELOW of its second row:
 * neighbours exchange with these. */
enum { WATCHED_LAUNCHES = 2, WATCHED_KERNELS = 256, LOOKS = 1 << 16, FIRST_BLOCKS = 8, BELOW = 4,
       PIECE = 4, PIECES = 1 << 16, COUNTED = 1024 };

__thread bool exchange_seen_wanted;
static __thread bool looks;     /* this thread runs the grid's first blocks */

/* Who touched a piece of memory last: */
struct touch {
    const void *pc;                 /* NULL: not touched yet */
    uint64_t block;
    unsigned thread, barriers;
    uint64_t meetings;              /* of all threads, by then */
    uint8_t bytes;                  /* which: a bit each */
};

static struct {
    struct { const void *kernel; unsigned launches; } known[WATCHED_KERNELS];   /* hashed */
    unsigned left;                  /* accesses that are still looked at */
    bool ordered;                   /* all that comes, by what was done already */
    bool apart;                     /* the threads of a block are not counted any more */
    uint64_t meetings;
    struct count {
        unsigned barriers;
        uint64_t met;               /* in which of the meetings it was last */
    } of[COUNTED];                  /* of the block that runs */
    struct piece {
        uintptr_t at;               /* divided by PIECE */
        uint64_t watch;             /* the launch's number when it was touched */
        struct touch read, write, other_read; /* the latest by another thread than `read` */
    } *pieces;                      /* hashed */
    size_t used;
    uint64_t watch;                 /* the number of the launch that is looked at */
    struct exchange found;
    void (*close_all)(void);
} now;

static bool is_early(const void *kernel)
{
    size_t slot = (uintptr_t)kernel * UINT64_C(0x9e3779b97f4a7c15) >> 56;
    if (now.known[slot].kernel != kernel)
        now.known[slot].launches = 0;
    now.known[slot].kernel = kernel;
    return now.known[slot].launches < WATCHED_LAUNCHES && ++now.known[slot].launches;
}

static void wants(bool it_does)
{
    if (it_does && !exchange_seen_wanted)
        now.close_all();            /* runs that go on are not looked at one by one */
    exchange_seen_wanted = it_does;
}

static void count_anew(void)
{
    memory_zero(now.of, sizeof now.of);
}

void exchange_seen_begin(const void *kernel, void (*close_all)(void))
{
    exchange_seen_end();
    if (!kernel || !is_early(kernel))
        return;
    now.close_all = close_all;
    if (!now.pieces) {          /* not static: it is read first, and each page would fault twice */
        now.pieces = memory_resize(NULL, PIECES * sizeof *now.pieces);
        memory_zero(now.pieces, PIECES * sizeof *now.pieces);
    }
    now.left = LOOKS;
    now.ordered = now.apart = false;
    now.used = 0;
    now.watch++;
    count_anew();
    looks = true;
    wants(true);
}

void exchange_seen_end(void)
{
    looks = exchange_seen_wanted = false;
}

void exchange_seen_block(uint64_t number)
{
    if (!looks)
        return;
    wants(number < FIRST_BLOCKS || number - gridDim.x < BELOW);
    if (exchange_seen_wanted)
        count_anew();
}

void exchange_seen_leaves(void)
{
    now.apart |= looks;
}

/* ---- who orders whom ---- */

static uint64_t place_in(const struct uint3 *at, const struct dim3 *size)
{
    return at->x + size->x * (at->y + (uint64_t)size->y * at->z);
}

static unsigned this_thread(void)
{
    return (unsigned)place_in(&threadIdx, &blockDim) % COUNTED;
}

void exchange_seen_meets(bool block)
{
    if (!exchange_seen_wanted)
        return;
    struct count *own = &now.of[this_thread()];
    own->barriers += block;
    own->met = ++now.meetings;
}

void exchange_seen_orders(void)
{
    now.ordered |= exchange_seen_wanted;
}

static bool is_ordered(const struct touch *then, const struct touch *here)
{
    if (!then->pc || (then->bytes & here->bytes) == 0)
        return true;
    if (then->block != here->block)
        return false;
    bool met =
        now.of[then->thread].met > then->meetings && now.of[here->thread].met > then->meetings;
    return now.apart || then->thread == here->thread || then->barriers != here->barriers
           || (then->thread / WARP == here->thread / WARP && met);
}

static bool same_thread(const struct touch *a, const struct touch *b)
{
    return a->thread == b->thread && a->block == b->block;
}

/* The thread that stores may itself have read there after another thread did. */
static void keep_touch(struct piece *p, const struct touch *touch, bool write)
{
    if (!write && p->read.pc && !same_thread(&p->read, touch))
        p->other_read = p->read;
    *(write ? &p->write : &p->read) = *touch;
}

static void find(const struct touch *then, const struct touch *here, bool write)
{
    if (now.found.read || is_ordered(then, here))
        return;
    now.found = (struct exchange){ .read = write ? then->pc : here->pc,
                                   .write = write ? here->pc : then->pc,
                                   .blocks = then->block != here->block,
                                   .read_first = write };
}

/* NULL: there is no room for one more. */
static struct piece *piece_at(uintptr_t at)
{
    size_t slot = at * UINT64_C(0x9e3779b97f4a7c15) >> 48;
    while (now.pieces[slot].watch == now.watch && now.pieces[slot].at != at)
        slot = (slot + 1) % PIECES;
    struct piece *p = &now.pieces[slot];
    if (p->watch == now.watch)
        return p;
    if (now.used == PIECES / 2)
        return NULL;
    now.used++;
    *p = (struct piece){ .at = at, .watch = now.watch };
    return p;
}

void exchange_seen_access(uintptr_t address, size_t bytes, bool write, const void *pc)
{
    if (now.ordered || now.found.read || now.left-- == 0) {
        exchange_seen_end();
        return;
    }
    const unsigned thread = this_thread();
    struct touch touch = { .pc = pc, .thread = thread, .barriers = now.of[thread].barriers,
                           .meetings = now.meetings,
                           .block = place_in(&blockIdx, &gridDim) };
    const uintptr_t end = address + bytes;
    for (uintptr_t at = address / PIECE; at * PIECE < end; at++) {
        struct piece *p = piece_at(at);
        if (!p) {
            exchange_seen_end();
            return;
        }
        uintptr_t from = at * PIECE < address ? address : at * PIECE,
                  to = at * PIECE + PIECE > end ? end : at * PIECE + PIECE;
        touch.bytes = (uint8_t)(((1u << (to - from)) - 1) << from % PIECE);
        find(write ? &p->read : &p->write, &touch, write);
        if (write)
            find(&p->other_read, &touch, write);
        keep_touch(p, &touch, write);
    }
}

struct exchange exchange_seen_take(void)
{
    struct exchange found = now.found;
    now.found.read = NULL;
    exchange_seen_end();
    return found;
}
