/* SPDX-License-Identifier: MIT */
/*
 * measure.h - pure functions over a timeline: how long, how much at once.
 *
 * They look at finished spans only. A selection says which spans; intervals
 * are merged before anything is added up, so that two kernels at once count as
 * one busy device. All times in ns; shares are in thousandths, rounded down,
 * so that two machines get the same number.
 */
#ifndef TRACE_RECORD_MEASURE_H
#define TRACE_RECORD_MEASURE_H

#include "trace/record/timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_BIT(engine) (1u << (engine))
#define ENGINES_DEVICE (ENGINE_BIT(ENGINE_KERNEL) | ENGINE_BIT(ENGINE_H2D) | ENGINE_BIT(ENGINE_D2H) \
                        | ENGINE_BIT(ENGINE_D2D) | ENGINE_BIT(ENGINE_PEER) | ENGINE_BIT(ENGINE_MEMSET))
#define ANY UINT32_MAX

/* Which spans: all of these must hold. */
struct selection {
    uint32_t engines;           /* bits */
    uint32_t device, stream;    /* ANY or a number */
    size_t first_call, end_call;    /* caused by calls [first_call, end_call) */
};

struct interval { int64_t start, end; };

/* Sorted and merged intervals of the selected spans; *out is the caller's, to
 * be given to memory_resize(., 0). Returns how many. */
size_t measure_intervals(const struct timeline *t, struct selection s, struct interval **out);

/* Time during which at least one selected span runs. */
int64_t measure_busy(const struct timeline *t, struct selection s);
/* First start to last end of the selected spans; false and zeros when there are none. */
bool measure_extent(const struct timeline *t, struct selection s, struct interval *out);
/* Time during which a span of `a` and one of `b` run at once. */
int64_t measure_overlap(const struct timeline *t, struct selection a, struct selection b);
/* Most selected spans running at the same moment. */
unsigned measure_peak(const struct timeline *t, struct selection s);
/* Busy share of the busiest engine among `s.engines` over the extent of all of
 * them, in thousandths; *which is that engine. 0 when there are no spans. */
unsigned measure_busy_share(const struct timeline *t, struct selection s, enum engine *which);
/* The call of [first_call, end_call) in which the host was held up longest
 * (ENGINE_WAIT spans); NO_NODE-like ANY when it never was. */
uint32_t measure_longest_wait(const struct timeline *t, size_t first_call, size_t end_call);

/* Migrations of managed memory (timeline.h) and the time that they took one by one. */
struct migration_sum {
    size_t faults;              /* touches of pages that were not there */
    size_t moves;               /* those that moved something */
    uint64_t bytes;
    int64_t time;
};
enum {
    MIGRATIONS_TO_DEVICE = 1 << 0,
    MIGRATIONS_TO_HOST = 1 << 1,
    MIGRATIONS_OF_KERNELS = 1 << 2,
    MIGRATIONS_OF_HOST = 1 << 3,
    MIGRATIONS_ANY = (1 << 4) - 1,
};
/* `which`: bits, at least one of the directions and one of the causes. A kernel's count when a call
 * of [first_call, end_call) launched it, the host's when the touch was among these calls. */
struct migration_sum measure_migrations(const struct timeline *t, unsigned which, size_t first_call,
                                        size_t end_call);

/* The calls of a part: from its CALL_PART to the next one or the end. False if it never began. */
bool measure_part(const struct timeline *t, const char *part, size_t *first_call, size_t *end_call);
/* The same for a label: from where it opens for the first time to where it closes. */
bool measure_label(const struct timeline *t, const char *label, size_t *first_call,
                   size_t *end_call);

/* The first of the calls [first, end) at which a thread's wait for a condition returned without a
 * signal and the thread goes on, without waiting for that condition again; `end`: none. */
size_t measure_trusted_wake(const struct timeline *t, size_t first, size_t end);

#ifdef __cplusplus
}
#endif
#endif
