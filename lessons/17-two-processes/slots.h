/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; input 1: FRAMES frames; input 2: what is in the slots in part (a). Output
 * 0: struct answers; output 1: SLOTS slots as read through r->frames; output 2: FRAMES results;
 * outputs 3 and 4: x of the two rounds of part (c), as the other process read it.
 *
 * Part (a), for each slot in turn: the driver queues hold() into r->stream and records r->empty
 * after it, the other process asks its own event whether it is pending, and then the same the other
 * way round with full. Only then the other process fills the slot, so that a copy which ring_open()
 * made is an old one. Inside CLOSE the driver queues hold() and calls ring_close().
 * Before part (b), and in part (a), inside KNOWN, the driver asks for full[0], empty[0], full[1],
 * …: so the record says which event is which. Each ring_take() is inside FRAME and its number,
 * ring_close() inside CLOSE. await_queued() is inside QUEUED and its frame, tell_taken() inside
 * TAKEN. Part (c) has two rounds, inside ROUND, where KNOWN asks for `ready`; share_fill() is
 * inside FILL, tell_ready() inside READY, await_closed() inside CLOSED. The other process goes on
 * when ring_take() or share_fill() returns, told or not. At its end it looks whether the last
 * frames are in their slots as it put them there.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define FRAMES 12
#define RING 3                  /* lesson.h's SLOTS */
#define ROUNDS 2
#define CLOSE "the ring closes"
#define KNOWN "which event is which"
#define FRAME "frame "
#define QUEUED "queued "
#define TAKEN "taken "
#define ROUND "round "
#define FILL "fill"
#define READY "ready"
#define CLOSED "closed"

#define HOLD_NS 60000000        /* of hold() while an event is asked for: longer than a host is held up */
#define LAST_HOLD_NS 1000000    /* while ring_close() is called */

/* Elements of a frame, of x in each round; seeds of produce(); host work of either process before
 * it goes on, ns. */
struct sizes {
    int64_t n, share[ROUNDS], seed[ROUNDS];
    int64_t other_pause[FRAMES], own_pause[FRAMES], late[ROUNDS];
};
/* What cudaEventQuery() said of each event while a kernel before its record ran; what the other
 * process got when it opened x and ready; 1 + the first element of the last frames (counted through
 * all frames) that is not as it was put there, 0: all are. */
struct answers {
    int32_t full[RING], empty[RING], opened_x[ROUNDS], opened_ready[ROUNDS], written;
};

enum { IN_SIZES, IN_FRAMES, IN_SLOTS };
enum { OUT_ANSWERS, OUT_SLOTS, OUT_RESULTS, OUT_SHARED };

#endif
