/* SPDX-License-Identifier: MIT */
/*
 * Pages that host and device take from each other again and again.
 *
 * DESIGN
 * The driver sees that pages thrash where they change sides, and change again within a short while
 * (card->thrash_lapse), several times; the next side to want them has to wait (thrash_wait for 64
 * KiB), so that the other side may get something done. On an H200, 512 KiB that a kernel and the
 * host touch in turn: the host takes 0.13 ms in the first and the second round and 1.8 in the
 * third, and with 1 ms of something else between them 0.13 in each (facts/h200-thrash.tsv). The
 * model has the host's waits, in every third round; that kernels wait too, less often, it leaves
 * out.
 *
 * What is known of a place is known by its address, in a table that forgets: of two places with one
 * slot, the first. A place is where the driver takes pages along from: up to 2 MiB.
 */
#include "model/state.h"

enum { PIECE_BITS = 16, ENOUGH = 4 };

static struct thrashed_piece *thrashed_piece_of(struct model *m, uint64_t address)
{
    struct thrashed_piece *p = &m->state->pieces[(address >> PIECE_BITS) % PIECES];
    if (p->address != address)
        *p = (struct thrashed_piece){ .address = address, .since = TIME_NEVER };
    return p;
}

static void changes_sides(const struct card *card, struct thrashed_piece *p, bool to_host,
                          int64_t time)
{
    bool soon = p->since != TIME_NEVER && time - p->since <= card->thrash_lapse;
    if (p->since != TIME_NEVER && p->on_host == to_host)
        return;
    p->quick = soon && !p->waits ? p->quick + 1 : 0;
    p->waits = to_host && p->quick > ENOUGH;
    p->on_host = to_host;
    p->since = time;
}

void thrash_to_device(struct model *m, uint64_t address, int64_t time)
{
    if (m->card->thrash_wait > 0)
        changes_sides(m->card, thrashed_piece_of(m, address), false, time);
}

int64_t thrash_to_host(struct model *m, const struct call *c)
{
    if (m->card->thrash_wait == 0 || c->node != NO_NODE || !(c->flags & MIGRATE_FAULT)
        || c->dst_kind == MEM_DEVICE)
        return 0;
    struct thrashed_piece *p = thrashed_piece_of(m, c->dst);
    changes_sides(m->card, p, true, c->begin);
    return p->waits
               ? (int64_t)((c->bytes + (1 << PIECE_BITS) - 1) >> PIECE_BITS) * m->card->thrash_wait
               : 0;
}

void thrash_clear(struct model *m, const struct call *c)
{
    for (size_t i = 0; c->dst_kind == MEM_MANAGED && i < PIECES; i++)
        if (m->state->pieces[i].address - c->dst < c->bytes)
            m->state->pieces[i] = (struct thrashed_piece){ .since = TIME_NEVER };
}
