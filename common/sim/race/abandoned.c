/* SPDX-License-Identifier: MIT */
#include "sim/race/abandoned.h"

#include <stdio.h>

#include "sim/sim.h"
#include "trace/order/hazard_text.h"

/* Operations that do something. */
static bool is_work(const struct span *s)
{
    return s->engine != ENGINE_NONE && s->engine != ENGINE_WAIT;
}

static bool has_ended(const struct span *s)
{
    return s->end != TIME_NEVER;
}

bool abandoned_functions(void)
{
    for (size_t i = 0; i < sim.timeline.span_count; i++)
        if (sim.timeline.spans[i].engine == ENGINE_HOST_FUNC && !has_ended(&sim.timeline.spans[i]))
            return true;
    return false;
}

void abandoned_tell(void)
{
    const struct span *first = NULL;
    size_t more = 0;
    for (size_t i = 0; i < sim.timeline.span_count; i++) {
        const struct span *s = &sim.timeline.spans[i];
        if (!is_work(s) || has_ended(s))
            continue;
        more += first != NULL;
        first = first ? first : s;
    }
    if (!first)
        return;
    const struct call *queued = &sim.timeline.calls[first->call];
    struct hazard_line l = { .used = 0 };
    hazard_say_location(&l, timeline_string(&sim.timeline, queued->file), queued->line);
    hazard_say_operation(&l, &sim.timeline, queued);
    hazard_say(&l, " in ");
    hazard_say_stream(&l, &sim.timeline, queued->stream);
    if (more > 0)
        hazard_say(&l, ", and %zu operation%s after it,", more, more > 1 ? "s" : "");
    fprintf(
        stderr,
        "note: %s may be cut off%s: the program ends without waiting for %s. Call cudaDeviceSynchronize() first\n",
        l.text, queued->kind == CALL_LAUNCH ? ", and anything that it prints is lost" : "",
        more > 0 ? "them" : "it");
}
