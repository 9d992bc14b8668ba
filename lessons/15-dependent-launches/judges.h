/* SPDX-License-Identifier: MIT */
/*
 * judges.h - what lesson 15's judges share.
 *
 * DESIGN
 * A dependent launch is two nodes (happens_before.h): what its threads do before they wait is the
 * kernel's, what they do later its rest's. Orders are asked of the rest. What a kernel touches too
 * early is a hazard, and the checks of times come after that one: a kernel that never waits is the
 * fastest of all.
 */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

static inline const struct settings *settings_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SETTINGS, NULL);
}

/* Elements that the rings of all runs of (d) have together. */
static inline size_t ring_elements(const struct settings *s)
{
    int64_t count = 0;
    for (int64_t k = 0; k < s->loops; k++)
        count += s->ring_n[k % RINGS];
    return (size_t)count;
}

static inline bool is_dependent(const struct view *v, uint32_t node)
{
    return call_of_node(v, node)->flags & LAUNCH_DEPENDENT;
}

/* Where a kernel that has waited goes on: its rest, or the kernel itself where it is no dependent
 * launch. */
static inline uint32_t rest_of(const struct view *v, uint32_t node)
{
    const struct timeline *t = v->timeline;
    bool two = is_dependent(v, node) && node + 1 < t->span_count
               && t->spans[node + 1].call == t->spans[node].call
               && t->spans[node + 1].engine == ENGINE_NONE;
    return node + two;
}

/* Is span `after`, or its rest, bound to wait for all of span `before`? */
static inline bool is_after(const struct view *v, uint32_t before, uint32_t after)
{
    return hb_before(v->order, before, rest_of(v, after), GUARANTEED);
}

/* Blames a statement of this kernel, one of the learner's, or the place where it should be. */
void blame_in(struct finding *f, const char *kernel, const char *word);
/* What lesson.h calls the driver's memory of the part at that address, and where it begins; NULL:
 * there is none. */
const char *memory_name(const struct view *v, const char *part, uint64_t at, uint64_t *begin);
/* Says more of a hazard: struct lesson.explain. */
void explain_hazard(const struct evidence *e, const struct check *c, struct finding *f);
/* The row that comes out of the first `layers` layers; the caller frees it. */
uint32_t *row_after(const struct evidence *e, int64_t layers);
/* Have all launches of that kernel in the selection a thread for each of n elements, and no block
 * more? Blames the first that has not. */
bool has_all_threads(const struct view *v, struct finding *f, struct selection s,
                     const char *kernel, int64_t n);
/* The driver's last copy before the part; ANY for none. */
uint32_t copied_before(const struct view *v, const char *part);
/* The driver's first copy after the part, in the caller's stream; ANY for none. */
uint32_t copied_after(const struct view *v, const char *part);
/* Does kernel `two` begin while kernel `one`, which is ahead of it, is at work? Fills f if not: no
 * attribute, no trigger, a late one. */
bool begins_beneath(const struct view *v, struct finding *f, uint32_t one, uint32_t two);
/* Has the part taken at most `permille` of what the reference took? Fills all of f if not, but the
 * reason; that, too, and f->sure, where a kernel leaves out a piece, or has one twice. */
bool as_fast(const struct evidence *e, struct finding *f, const char *part, int permille,
             const char *what, size_t *view);
/* The result is wrong: blames a kernel that leaves out a piece or has one twice, if one does. */
void blame_short(const struct evidence *e, struct finding *f, const char *part);
/* Does the part have `count` launches of that kernel, each with blocks for n elements? Else blames
 * one, or `function`. */
bool has_launches(const struct view *v, struct finding *f, const char *part, const char *kernel,
                  int64_t count, int64_t n, const char *function);
/* The part's function queues, and does not wait. */
bool only_queued(const struct evidence *e, struct finding *f, const char *part,
                 const char *function);
/* Calls of that run of (c) or (d); none if it never came. */
struct selection run_of(const struct view *v, const char *part, int64_t k);
/* Does each of those runs take the host two calls at most, and no wait? `function` makes them;
 * `reason`: the why. */
bool few_calls(const struct evidence *e, struct finding *f, const char *part, int64_t runs,
               const char *function, const char *reason);
/* Has the part no kernels but those of its runs, `kernels` of them? `function` makes the graph. */
bool nothing_else_runs(const struct view *v, struct finding *f, const char *part, size_t kernels,
                       const char *function);

#endif
