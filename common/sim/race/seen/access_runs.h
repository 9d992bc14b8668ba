/* SPDX-License-Identifier: MIT */
/*
 * access_runs.h - the runs of a thread that go on no more (access_seen.h), until they are asked
 * for.
 *
 * Short ones are kept by the line of memory that they lie in: an instruction that jumps about, and
 * comes back, costs an entry for each line that it touches and not one for each time. Long ones are
 * a list, which is sorted and joined when it has grown.
 */
#ifndef SIM_RACE_SEEN_ACCESS_RUNS_H
#define SIM_RACE_SEEN_ACCESS_RUNS_H

#include "sim/race/seen/access_seen.h"

/* Instrumented code calls these functions implicitly. An address in one of them is reported as that
 * of its caller (counters.c). */
#define SEEN __attribute__((section("sim_seen")))

/* Of what kind a run is, in bits that addresses have not: */
static const uintptr_t WRITES_BIT = UINT64_C(1) << 63, ATOMIC_BIT = UINT64_C(1) << 62,
                       KIND_BITS = UINT64_C(7) << 61;
static const uintptr_t UNINITIALISED_BIT = UINT64_C(1)
                                           << 61; /* reads memory that was never written */

enum { ACCESS_LINE = 256, ACCESS_WORDS = ACCESS_LINE / 64 };

struct access_line {
    uintptr_t pc;               /* of the instruction */
    uintptr_t at;               /* the line's address, and the bits of its kind */
    uint64_t bytes[ACCESS_WORDS];   /* which of it: a bit each */
    uint32_t next;              /* where its instruction went last time from here: a guess */
};

/* All zeros: there are none. All memory is owned, and kept for what comes. */
struct access_runs {
    struct access_lines {
        struct access_line *list;   /* room for half as many as there are slots */
        size_t count;
        uint32_t *slot;             /* hashed: the number of a line, from 1; 0: free */
        size_t slots;               /* a power of two, or 0 */
    } lines;
    struct access_run *list;
    size_t count, capacity, compact_at;
    size_t sorted;              /* so many at its beginning are in order, and do not touch */
};

void access_runs_add(struct access_runs *r, const struct access_run *run);
/* The same of [from, to), which an instruction has touched, and of that in a line where it lies in
 * one. */
void access_runs_close(struct access_runs *r, uintptr_t pc, uintptr_t kind, uintptr_t from,
                       uintptr_t to);
/* The same of what lies in one line. `guess`: a number that is the caller's, 0 at first, one for
 * each instruction: that comes from line to line in the same order as before, and its line is found
 * without a search. */
void access_runs_touch(struct access_runs *r, uintptr_t pc, uintptr_t kind, uintptr_t from,
                       uintptr_t to, uint32_t *guess);
/* Is it the line of the guess, and all of it touched before in the same manner? */
static inline bool access_runs_has(const struct access_runs *r, uintptr_t pc, uintptr_t kind,
                                   uintptr_t from, size_t bytes, uint32_t guess)
{
    const struct access_line *line = &r->lines.list[guess];
    unsigned first = (unsigned)(from % ACCESS_LINE);
    if (guess >= r->lines.count || line->at != (from / ACCESS_LINE * ACCESS_LINE | kind)
        || line->pc != pc || first % 64 + bytes > 64)
        return false;
    uint64_t wanted = ~UINT64_C(0) >> (64 - bytes) << first % 64;
    return (line->bytes[first / 64] & wanted) == wanted;
}
/* What lies in a line was touched: widens it by all that was touched in the same manner on both
 * sides, up to the line's ends. */
void access_runs_widen(const struct access_runs *r, uintptr_t pc, uintptr_t kind, uintptr_t *from,
                       uintptr_t *to);
/* What lies in lines joins the list: what comes is not joined to it any more. */
void access_runs_gather(struct access_runs *r);
/* All of them, as access_take (access_seen.h) says; there are none left then. Valid until one is
 * added. */
const struct access_run *access_runs_take(struct access_runs *r, size_t *count);

#endif
