/* SPDX-License-Identifier: MIT */
/* access_fresh.h - what is read before anybody has written it (written.h). Owned by access.c. */
#ifndef SIM_ACCESS_FRESH_H
#define SIM_ACCESS_FRESH_H

#include "access_seen.h"
#include "trace/call.h"

/* A kernel loaded bytes of which none had been written. */
void fresh_load(uint32_t node, const struct access_run *run);
/* An operation ended: what it reads, writes or brings by its call. */
void fresh_operation(uint32_t node, const struct call *c);
/* There is a hazard at these bytes, which says it better. */
void fresh_drop(uint64_t from, uint64_t to);
/* Nothing is left that could still turn out to have written in time. */
bool fresh_pending(void);
void fresh_tell(void);

#endif
