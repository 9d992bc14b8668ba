/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct sizes; inputs 1 and 2: x and y of (a), those of its runs one after the other;
 * input 3: data of (b); input 4: batches of (c). Outputs 0 to 2: x, y and the sums of (a); output
 * 3: sums of (b); output 4: the state of (c); output 5: those of its other runs; output 6: for each
 * launch of model() of the first run 1 if its batch was in the host's memory, else 0; output 7:
 * sums of the other runs of (b); output 8: the addresses of these batches.
 *
 * In part (a) the driver calls wait_stream() inside labels WAITS and their number, between two
 * kernels: ahead() in `other` and behind() in `waiter`. Before those two a behind() is queued in
 * `waiter`, after them an ahead() in `other`, which must not wait for it, and an apart() in a third
 * stream, which must wait for neither. Number 0: the side stream waits for the legacy one; 1: the
 * other way round; 2: a third stream waits for the side stream; 3 and 4: as 0 and 1, with stream 0
 * for the legacy one. A run is inside a label RUN and its number: run 0 has the legacy default
 * stream as the current one, run 1 the third; run 2, after the part, has stream 0, and few
 * elements. In part (b) the first behind() is in the side stream; audit_all() is inside the label
 * AUDIT, in part (c) loader_run() inside LOADER. After each of these two parts its functions are
 * called again, OTHER_RUNS times, with few elements: with a third stream as the current one and
 * with more batches, with stream 0, and with a single batch. All of that is inside a label
 * OTHER_AUDIT or OTHER_LOADER and a number, and begins with an ahead() in `current` and, in (b), a
 * behind() in `side`; loader_run() is inside OTHER_RUN and the number as well. The batches are
 * overwritten when loader_open() has returned and has not pinned them: each byte is LEFT_BYTE.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define RUNS 3
#define RUNS_IN_PART 2          /* the others come behind it */
#define OTHER_RUNS 3
#define MOST_BLOCKS 3           /* lesson.h says it, too */
#define WAIT_COUNT 5
#define WAITS "wait "
#define RUN "run "
#define AUDIT "the audit"
#define LOADER "the loader"
#define OTHER_AUDIT "another audit "
#define OTHER_LOADER "another loader "
#define OTHER_RUN "another run "

/* Elements of x, of a block, of a batch; blocks; batches; elements of both when they are called
 * once more. */
struct sizes { int64_t x, block, batch, blocks, batches, few; };
static inline int64_t elements_of_run(const struct sizes *sizes, int run)
{
    return run < RUNS_IN_PART ? sizes->x : sizes->few;
}
/* How many blocks or batches another run has. In the first another one of the buffers has the last.
 */
static inline int64_t count_of_other(int64_t count, int run)
{
    const int64_t counts[OTHER_RUNS] = { count + 11, 4, 1 };
    return counts[run];
}
/* How many the other runs before this one have. */
static inline int64_t count_before(int64_t count, int run)
{
    int64_t before = 0;
    for (int k = 0; k < run; k++)
        before += count_of_other(count, k);
    return before;
}

enum { IN_SIZES, IN_X, IN_Y, IN_DATA, IN_BATCHES };
enum { OUT_X, OUT_Y, OUT_SUM, OUT_SUMS, OUT_STATE, OUT_OTHER, OUT_HOST, OUT_MORE, OUT_GIVEN };

#define LEFT_BYTE 0x3c
#define STATE_BYTE 0x5b         /* what each byte of the state is when a run begins */
#define STATE (STATE_BYTE * 0x01010101u)

#define AHEAD_NS 300000
#define BEHIND_NS 50000

#endif
