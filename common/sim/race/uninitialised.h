/* SPDX-License-Identifier: MIT */
/* uninitialised.h - bytes that are read before anything has written them (initialised.h). Owned by
 * access.c. */
#ifndef SIM_RACE_UNINITIALISED_H
#define SIM_RACE_UNINITIALISED_H

#include "sim/race/seen/access_seen.h"
#include "trace/record/call.h"

/* A kernel loaded bytes of which none had been written. */
void uninitialised_load(uint32_t node, const struct access_run *run);
/* An operation ended: what it reads, writes or brings by its call. */
void uninitialised_operation(uint32_t node, const struct call *c);
/* There is a hazard at these bytes, which says it better. */
void uninitialised_drop(uint64_t from, uint64_t to);
/* Nothing is left that could still turn out to have written in time. */
bool uninitialised_pending(void);
void uninitialised_tell(void);

#endif
