/* SPDX-License-Identifier: MIT */
/* judges.h - what lesson 13's judges share: of the sum on the side (a), of the memory that goes
 * back (b), of the loader (c). */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"

#include "slots.h"

static inline const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}

/* The calls inside a label: `what` and, where it is not negative, `number` after it. */
struct selection in_label(const struct view *v, const char *what, int number, uint32_t engines);
/* The number of the legacy default stream. */
uint32_t legacy_stream(const struct view *v);

/* What why_unordered() says where nothing was tried, with both names: `current` may be the default
 * stream on purpose. */
#define NO_WAIT "Two streams have no order between them, and a non-blocking stream has none with the default stream either. Between " \
    "%s and %s the stream of the second has to wait for that of the first: cudaEventRecord() there and cudaStreamWaitEvent() here, " \
    "which is what wait_stream() does."

/* Spans on an engine, of that name (NULL: of any). */
struct which { uint32_t engine; const char *name; };
/* At least as much of it as is asked of the reference's, on each card? Fills in view and `seen` if
 * not: "18 % of `a`". */
bool beside_as_reference(const struct evidence *e, struct finding *f, const char *part,
                         struct which a, struct which b, const char *what);
/* The last cudaStreamWaitEvent() that is queued into `stream` in these calls, before call `end`;
 * ANY for none. */
uint32_t last_stream_wait(const struct view *v, struct selection s, uint32_t stream, uint32_t end);
/* The first stream made in these calls that the legacy default stream waits for, and that waits for
 * it; ANY for none. */
uint32_t blocking_stream(const struct view *v, struct selection s);
/* What another run is given as `current`. */
const char *current_of_other(int run);
/* Puts that in front of what was seen. */
bool seen_in_other(struct finding *f, int run);
/* In each label `what` of another run the driver's kernel `mark` is in the stream that it gives as
 * `parameter`. All kernels of that name have to be in it. */
bool in_given_stream(const struct view *v, struct finding *f, const char *what, const char *name,
                     const char *mark, const char *parameter);
/* first_standstill(), but for a query that is asked once: another right after it is a poll. */
uint32_t standstill(const struct view *v, struct selection s);
/* Does nothing in the label hold the host up? Else fills in `f`; `function` is whose doing it is.
 */
bool only_queues(const struct view *v, struct selection s, struct finding *f, const char *function);
/* Where each batch has one copy, of memory that has them one after the other: blames the first copy
 * that is of another batch. False: it says nothing. */
bool why_other_batch(const struct view *v, struct finding *f, struct selection copies, int64_t n,
                     int64_t count);

/* ---- loader.c, ahead.c: (c) ---- */

static inline struct selection inside(const struct view *v, uint32_t engines)
{
    return in_label(v, LOADER, -1, engines);
}

/* The next copy from the host's memory: from managed memory, too, where a device brings the pages
 * itself. */
uint32_t next_from_host(const struct view *v, struct selection s, uint32_t from);
/* The first call of the loader's run that pins memory; ANY: none does. */
uint32_t pins_in_run(const struct view *v);

#endif
