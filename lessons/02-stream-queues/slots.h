/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Inputs 0 to 2: the elements of (a), of the left and the right chain. Input 3:
 * all batches of (c), one after the other; input 4: struct sizes.
 * Outputs 0 to 2: what became of the first three. Output 3: the total of (c).
 * Output 4: struct pool. Output 5: for each launch of absorb() 1 if its batch was in the host's
 * memory, else 0.
 *
 * What the driver's pool does is in the log, as labels: TAKE, PACK, GIVE_BACK and
 * the buffer's number after it. After part (c) absorb_all() is called again, with one batch
 * less, in a part AGAIN that is judged for nothing else.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

enum { SLOT_TRIP, SLOT_LEFT, SLOT_RIGHT, SLOT_BATCHES, SLOT_SIZES, SLOT_POOL = SLOT_SIZES,
       SLOT_HOST };

struct sizes { int64_t n, count; };     /* of (c): elements of a batch, batches */
#define POOL_BUFFERS 3
struct pool { uint64_t buffer[POOL_BUFFERS]; };

#define AGAIN "c again"
#define BEGIN "trip begins"
#define TAKE "take buffer "
#define PACK "pack buffer "
#define GIVE_BACK "give back buffer "

#define WORK_NS 700000          /* the host's own work in (a) */
#define PACK_NS 30000
#define NEIGHBOUR_NS 40000000

#endif
