/* SPDX-License-Identifier: MIT */
/*
 * look.h - where a program's look at its own load or store (simcc/instrumented.c) goes that does
 * not settle it: sim_seen_read4 and the like, in look.c.
 */
#ifndef SIM_RACE_SEEN_LOOK_H
#define SIM_RACE_SEEN_LOOK_H

#include <stdint.h>

#include "sim/race/seen/open_run.h"

/* Of how many bytes the access is, and what else. */
enum { LOOK_BYTES = 0xff, LOOK_WRITES = 0x100, LOOK_VOLATILE = 0x200 };

/* What look.c has not settled. `own`: NULL where the program has no room for more. */
void look_anew(uintptr_t at, struct open_run *own, unsigned how, const void *pc);

#endif
