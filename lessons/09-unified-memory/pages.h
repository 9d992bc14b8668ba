/* SPDX-License-Identifier: MIT */
/*
 * pages.h - what lesson 09's judges ask of a view: which pages travelled, and whose doing it was.
 *
 * DESIGN
 * No time is judged: page faults are counted, and bytes by direction, whatever
 * moved them (faults, prefetches, copies). What the host does with memory the
 * driver says in labels, at the moment when it does it.
 */
#ifndef PAGES_H
#define PAGES_H

#include "grader/check.h"
#include "slots.h"

#define PAGE 65536u             /* a page may come along with each thing that has to travel */
#define PASSES 3                /* lesson.h */

static inline int slot_of(const char *part)
{
    return part[0] - 'a';
}

static inline uint64_t bytes_of(const struct evidence *e, const char *part)
{
    size_t bytes;
    exchange_input(e->exchange, slot_of(part), &bytes);
    return bytes;
}

static inline const struct settings *settings_of(const struct evidence *e)
{
    return exchange_input(e->exchange, SLOT_SETTINGS, NULL);
}

/* Did the host's code in these calls bring pages home by touching them? */
static inline bool is_touch(const struct migration *m, struct selection s)
{
    return m->to_host && m->node == NO_NODE && m->bytes > 0 && m->call >= s.first_call
           && m->call < s.end_call;
}

/* The first label of that text in the part at or after call `from`; the part's end for none. How
 * many there are. */
size_t label_next(const struct view *v, struct selection s, const char *text, size_t from);
unsigned label_count(const struct view *v, struct selection s, const char *text);
/* The part's last kernel of that name before `end`, as a call; ANY for none. */
uint32_t pages_last_launch(const struct view *v, const char *part, const char *kernel, size_t end);
/* Bytes that calls of the part brought to one side: by copies and prefetches. */
uint64_t pages_queued(const struct view *v, const char *part, bool to_host, bool prefetches_only);
struct migration_sum pages_migrated(const struct view *v, const char *part, unsigned which);
/* All bytes that travelled to one side in the part, whatever moved them. */
uint64_t pages_travelled(const struct view *v, const char *part, bool to_host);
unsigned long long pages_kib(uint64_t bytes);

/* Of part c: a copy of most of the plate, or back to it; ANY for none. */
uint32_t plate_copied(const struct evidence *e, const char *part);

/* What element `i` is to be: `gain` as gains_of() gives it for (c), NULL for (a). */
uint32_t wanted(const uint32_t *in, uint64_t i, const uint32_t *gain);
/* The gain of each round, 0 after the last, where collect() takes that many cells, that far apart,
 * and the others are 0; where it takes those that it has to. */
void gains_with(const struct settings *s, const uint32_t *in, uint32_t *gain, int64_t probes,
                int64_t stride);
void gains_of(const struct settings *s, const uint32_t *in, uint32_t *gain);

/* Of the second calls (again.c): has calibrate() a thread for each element; is everything right? */
bool grid_again(const struct evidence *e, struct finding *f);
bool right_again(const struct evidence *e, struct finding *f, char part);

/* ---- judges: all parts, (a), (b), (c) ---- */

#endif
