/* SPDX-License-Identifier: MIT */
/*
 * ranges.h - the ranges and marks of NVTX in a timeline: which call closes which.
 *
 * Ranges that nest do so in their thread and domain; others are closed by their number. What closes
 * nothing is nothing; what nothing closes is open to the end.
 */
#ifndef TRACE_DRAW_RANGES_H
#define TRACE_DRAW_RANGES_H

#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct range {
    uint32_t call;              /* that opened it, or that is the mark */
    int64_t end;                /* TIME_NEVER: it is open when the program ends */
};

struct ranges { struct range *list; size_t count, capacity; };

/* The marks among the calls [first_call, end_call), and all ranges that open before the last of
 * them, wherever they close. In no particular order. */
void ranges_init(struct ranges *r, const struct timeline *t, size_t first_call, size_t end_call);
void ranges_fini(struct ranges *r);

#ifdef __cplusplus
}
#endif
#endif
