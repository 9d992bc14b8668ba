/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Inputs 0 to 2: the elements of (a), of the left and the right chain. Input 3:
 * all batches of (c), one after the other; input 4: struct sizes.
 * Outputs 0 to 2: what became of the first three. Output 3: the total of (c).
 * Output 4: struct pool. Output 5: for each launch of absorb() 1 if its batch was in the host's
 * memory, else 0. Output 6: a trip of the last TRIP_AGAIN elements of (a); output 7: the total of
 * the batches of AGAIN.
 *
 * What the driver's pool does is in the log, as labels: TAKE, PACK, GIVE_BACK and
 * the buffer's number after it. After part (c) absorb_all() is called again, with more and smaller
 * batches, of the same elements, in a part AGAIN: another buffer has the last one. So is a trip,
 * of few elements, in a part TRIP_PART.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

enum { SLOT_TRIP, SLOT_LEFT, SLOT_RIGHT, SLOT_BATCHES, SLOT_SIZES, SLOT_POOL = SLOT_SIZES,
       SLOT_HOST, OUT_TRIP_AGAIN, OUT_AGAIN };

struct sizes { int64_t n, count; };     /* of (c): elements of a batch, batches */
#define POOL_BUFFERS 3
struct pool { uint64_t buffer[POOL_BUFFERS]; };

#define AGAIN "again c"
#define SMALLER 8               /* a batch of AGAIN has that part of the elements */
#define MORE_BATCHES 23         /* and that many more of them: one less than a multiple of what buffers there are */
#define TRIP_PART "a again"
#define TRIP_AGAIN 777
#define BEGIN "trip begins"
#define TAKE "take buffer "
#define PACK "pack buffer "
#define GIVE_BACK "give back buffer "

#define WORK_NS 700000          /* the host's own work in (a) */
#define PACK_NS 30000
#define NEIGHBOUR_NS 40000000

#endif
