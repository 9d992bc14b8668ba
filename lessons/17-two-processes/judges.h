/* SPDX-License-Identifier: MIT */
/*
 * judges.h - what lesson 17's judges share: which event of the record is which, and who calls.
 *
 * DESIGN
 * On a real card the record has the learner's process alone: of the other one's copies and records
 * it knows nothing. So orders between the two are judged by what the learner's process does, in the
 * order of its calls: what it waits for after the other has said that it is recorded, and what it
 * has recorded when it says so. Races (the simulator sees both processes) come on top.
 */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"
#include "slots.h"

static inline const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}
static inline const struct answers *answers_of(const struct evidence *e, size_t view)
{
    return exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
}

/* The calls inside this label of the driver's; none if it never came. */
struct selection inside_label(const struct view *v, const char *text, uint32_t engines);
/* The number that the record has for the event that the driver asked for as number `at`, from 0,
 * in the first KNOWN of the selection; ANY: it is not there. */
uint32_t known_event(const struct view *v, struct selection s, int at);
/* The learner's last call before `before` that made that event, or opened it, the other process's;
 * ANY: there is none. */
uint32_t made_event(const struct view *v, uint32_t event, size_t before);
/* Is it a call of the learner's, in any thread? All calls of the other process are the
 * driver's. */
bool is_learners(const struct view *v, size_t call);
/* Is it certain that the program makes one call before the other: in one thread, or in two of which
 * one waits for the other? */
bool called_before(const struct view *v, size_t first, size_t then);
/* Does the learner copy or set anything among those calls? */
bool copies_or_sets(const struct view *v, struct selection s);
/* The first of the learner's calls in [from, end) that holds the host up for the device, or asks
 * whether the device is done; ANY: none does. */
uint32_t waits_between(const struct view *v, size_t from, size_t end);
/* Is the kernel in the default stream, while the selection's waits and records of the learner's are
 * in another one? Its launch does not name the stream, then. */
bool is_astray(const struct view *v, struct selection s, uint32_t node);
/* Is the kernel in a stream that waits for no default stream? Blames the call that made it if not.
 */
bool in_own_stream(const struct view *v, struct finding *f, uint32_t node, const char *kernel,
                   const char *stream, const char *function);
/* The first call in [from, end) that closes memory while nothing guarantees that node is done; ANY:
 * none does. */
uint32_t closed_before(const struct view *v, uint32_t node, size_t from, size_t end);

/* What the learner's records in the selection were: calls, ANY for none. */
struct records {
    bool found; /* one of `event` is bound to come after node, and before call `told` */
    uint32_t late;              /* the same, but after it */
    uint32_t beside;            /* the same, but in another thread, and nothing orders the two */
    uint32_t early;             /* of `event`, and not bound to come after node */
    uint32_t other;             /* of another event */
};
/* Why, where `beside`. */
#define TOLD_BESIDE "Which of the two comes first is then luck. Record first and tell afterwards, in the same thread or in one that waits for it."
struct records records_after(const struct view *v, struct selection s, uint32_t node,
                             uint32_t event, uint32_t told);
/* The last call inside the selection that opens such a label (with that number; -1: it has none);
 * ANY: none does. */
uint32_t last_label(const struct view *v, struct selection s, const char *what, int64_t number);

#endif
