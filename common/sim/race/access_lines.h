/* SPDX-License-Identifier: MIT */
/*
 * access_lines.h - short runs (access_seen.h), by the line of memory that they
 * lie in: an instruction that jumps about, and comes back, costs an entry for
 * each line that it touches and not one for each time.
 */
#ifndef SIM_RACE_ACCESS_LINES_H
#define SIM_RACE_ACCESS_LINES_H

#include <stddef.h>
#include <stdint.h>

enum { ACCESS_LINE = 256, ACCESS_WORDS = ACCESS_LINE / 64 };

/* All zeros: there are none. The table is owned; access_lines_clear may keep it for what comes. */
struct access_lines {
    struct access_line {
        uintptr_t pc;           /* of the instruction; 0: free */
        uintptr_t at;           /* the line's address, and bits above all addresses that say what kind of access it was */
        uint64_t bytes[ACCESS_WORDS];   /* which of it: a bit each */
    } *list;                    /* hashed */
    size_t count, capacity;     /* a power of two, or 0 */
};

/* [from, to) lies in one line. */
void access_lines_add(struct access_lines *l, uintptr_t pc, uintptr_t kind, uintptr_t from, uintptr_t to);
/* What lies in a line was touched: widens it by all that was touched in the same manner on both sides, up to the line's ends. */
void access_lines_widen(const struct access_lines *l, uintptr_t pc, uintptr_t kind, uintptr_t *from, uintptr_t *to);
void access_lines_clear(struct access_lines *l);

#endif
