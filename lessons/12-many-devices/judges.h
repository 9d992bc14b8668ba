/* SPDX-License-Identifier: MIT */
/* judges.h - what lesson 12's judges share: of the team (b), of the line (c). What is about several
 * devices is asked where there are. */
#ifndef JUDGES_H
#define JUDGES_H

#include "grader/check.h"

#include "slots.h"

#define TOGETHER_PERMILLE 900   /* of the reference's width, on the same machine */
#define SEVERAL_PERMILLE 750    /* of more than two: launches weigh more beside small shares */

static inline const struct sizes *sizes_of(const struct evidence *e)
{
    return exchange_input(e->exchange, IN_SIZES, NULL);
}

static inline const struct answers *answers_of(const struct evidence *e, size_t view)
{
    return exchange_output_of(e->exchange, view, OUT_ANSWERS, NULL);
}

static inline uint32_t devices_of(const struct view *v)
{
    return (uint32_t)v->card->devices;
}

/* The part's calls up to those of its last full run (b), of its line (c): what the small ones do is
 * not a matter of time. */
struct selection full_runs(const struct view *v, const char *part, uint32_t engines);
/* Those of a small run of the part. */
struct selection small_run(const struct view *v, const char *part, int k, uint32_t engines);
/* Was the current device left as it was, on every machine, by all functions of the line, or of the
 * team? */
bool current_left(const struct evidence *e, struct finding *f, bool line);
/* Does what opens the small team or the small line, inside that label, take memory for its few
 * elements, and not for as many as may ever be asked for? */
bool small_room(const struct evidence *e, size_t view, struct finding *f, const char *opens);
/* The call that made the stream of this span; for a default stream the call that queued the span.
 */
uint32_t maker_of(const struct view *v, uint32_t node);
/* Do the part's kernels run at once as they do in the reference? Fills in `expected` and `seen` if
 * not. */
bool together(const struct evidence *e, size_t view, const char *part, struct finding *f);
/* Is the first copy of a device to the host (or, with ENGINE_H2D, from it) on the wrong side of the
 * device's first kernel of that name? Says so. */
bool why_wrong_side(const struct view *v, struct finding *f, struct selection s, const char *kernel,
                    enum engine engine);

#endif
