/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: the elements of (a). Input 1: all batches of (b), one after the
 * other. Input 2: struct sizes. Input 3: struct plan, of (c); input 4: its
 * batches. Output 0: the sum of each chunk. Output 1: the total of (b).
 * Output 2: struct places. Output 3: total 0 of (c), then total 1. Output 4: as
 * output 0, of a second run of (a). Output 5: for each launch of absorb() 1 if its batch was in the
 * host's memory, else 0. Output 6: the same of blend(), those of total 0, then those of total 1.
 * Output 7: the total of MORE_FEED, a part of its own after all others, in which (b) is called
 * again with more and smaller batches, of the same elements. Output 8: as output 3, of
 * MORE_BOTH, a part of its own at the very end, in which (c) is called again and each batch
 * is for the other total.
 *
 * What the host does is in the log, as labels: OWN_WORK, FINISH and the chunk's
 * number after it, FILL and the slot's. At the end, and in no part, (a) runs once
 * more, inside the label AGAIN, with FINISH_AGAIN for FINISH
 * and far more chunks, which are smaller: more than a program has that takes a fixed number of
 * them.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

enum { SLOT_HARVEST, SLOT_FEED, SLOT_SIZES, SLOT_PLAN, SLOT_BATCHES, SLOT_PLACES = SLOT_SIZES,
       SLOT_TOTALS, SLOT_AGAIN, SLOT_ABSORBED, SLOT_BLENDED, SLOT_FEED_AGAIN, SLOT_TOTALS_AGAIN };

#define SLOTS 3
#define SHARED 4                /* slots of (c) */
#define TOTALS 2
#define MOST_BATCHES 96
/* Of (a): elements of a chunk; of (b): batches, elements of one; of (a) once more: elements, of a
 * chunk and in all. */
struct sizes { int64_t chunk, count, n, chunk_again, n_again; };
struct plan { int64_t count, n, to[MOST_BATCHES], ns[MOST_BATCHES]; };     /* of (c) */
/* Addresses; how many bytes of the driver's, next to the program's variables, were written to; and
 * of the program's variables those that each run of (a) has changed. */
struct places { uint64_t home, ring[SLOTS], shared[SHARED], inbox[TOTALS], overrun, changed[2]; };

#define OWN_WORK "the caller's own work"
#define FINISH "finish chunk "
#define FILL "fill slot "
#define AGAIN "another harvest"
#define MORE_FEED "b again"
#define MORE_BOTH "c again"
#define SMALLER 8               /* a batch has that part of the elements there */
static inline int64_t more_batches(int64_t count)
{
    return 2 * count + 1;
}
#define FINISH_AGAIN "finish again chunk "

#define OWN_WORK_NS 500000
/* What stands where user data was that was not kept: on the stack, on the heap. */
#define LEFT_ON_STACK 0x5a5a5a5a
#define LEFT_ON_HEAP 0x77777777
#define SPOILT_BY_FREE (-0x22222223L)       /* 0xdddddddd: what the simulator puts there (access_library.c) */
/* What each byte, and so each number, of a total is before its part begins. */
#define TOTAL_BYTE 0x01
#define TOTAL_BEFORE 0x01010101u
/* What filling takes: by the first element of the batch. */
#define FILL_NS(x) (20000 + (x) % 60000)

#endif
