/* SPDX-License-Identifier: MIT */
/* harvest.h - what the judges of part (a) share: its chunks, and its second run (again.c). */
#ifndef HARVEST_H
#define HARVEST_H

#include "grader/check.h"

#define MOST_CHUNKS 64
#define MOST_CHUNKS_AGAIN 1024

struct field { int64_t n, chunk, chunks; uint64_t home; };
struct field harvest_field(const struct evidence *e);
/* The same of the second run; `home` is not known. */
struct field harvest_field_again(const struct evidence *e);
/* The call that queued the function in which this one was made, else the call itself. */
uint32_t harvest_queued_by(const struct view *v, size_t call);

/* The calls of the second run, which has more chunks; false: the program did not come to its end.
 */
bool harvest_runs_again(const struct view *v, size_t *first, size_t *end);
/* Is each chunk of it finished once? What is kept in variables of the whole program may be left as
 * the first run made it. */
bool harvest_stays_inside(const struct evidence *e, struct finding *f, struct field again);
bool harvest_finished_again(const struct view *v, struct finding *f, struct field field,
                            struct field again);

#endif
