/* SPDX-License-Identifier: MIT */
/* recorded_pages.h - the pages that moved, as a real card's record tells it. For recorded.c. */
#ifndef TRACE_ORDER_RECORDED_PAGES_H
#define TRACE_ORDER_RECORDED_PAGES_H

#include "trace/record/timeline.h"

/*
 * Adds to *t the migrations of its CALL_MIGRATEs, but for those of prefetches
 * (which are spans) and for those of memory that had been freed: arrays lie side
 * by side in blocks of 2 MiB, and with a page that is touched the driver moves
 * others of its block, of arrays that are gone as well [measured, H200].
 * Memory that no call allocated (__managed__) counts.
 */
void recorded_pages(struct timeline *t);

#endif
