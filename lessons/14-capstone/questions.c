/* SPDX-License-Identifier: MIT */
/* What all of lesson 14's judges ask of a view. */
#include "judges.h"

struct selection calls_in(const struct view *v, const char *what, int number, uint32_t engines)
{
    return calls_from(v, 0, what, number, engines);
}

struct selection calls_from(const struct view *v, size_t first, const char *what, int number,
                            uint32_t engines)
{
    return label_calls(v, (struct selection){ engines, ANY, ANY, first, v->timeline->call_count },
                       what, number);
}

uint32_t longest_wait_of(const struct view *v, struct selection s, uint32_t thread)
{
    const struct timeline *t = v->timeline;
    uint32_t longest = ANY;
    int64_t most = 0;
    for (size_t k = 0; k < t->span_count; k++) {
        const struct span *span = &t->spans[k];
        const struct call *c = &t->calls[span->call];
        if (span->engine != ENGINE_WAIT || span->call < s.first_call || span->call >= s.end_call
            || c->thread != thread || c->kind == CALL_THREAD_WAKE || c->kind == CALL_THREAD_BEGIN
            || span->end - span->start <= most)
            continue;
        most = span->end - span->start;
        longest = span->call;
    }
    return longest;
}

uint32_t woken_in(const struct view *v, struct selection s, uint32_t thread)
{
    const struct call *calls = v->timeline->calls;
    for (size_t i = s.first_call; i < s.end_call; i++)
        if (calls[i].kind == CALL_THREAD_WAKE && calls[i].thread == thread
            && woken_by_device(v, i) != ANY)
            return (uint32_t)i;
    return ANY;
}

uint32_t camera(const struct view *v)
{
    return v->timeline->calls[calls_in(v, FILL, 0, 0).first_call].thread;
}

void archive_retouched(uint32_t *x, const uint32_t *table, int64_t n, enum version version)
{
    for (uint32_t pass = 0, k; pass < PASS_COUNT; pass++) {
        k = version == PASSES_ALIKE  ? 0
            : version == PASSES_DOWN ? PASS_COUNT - 1 - pass
                                     : pass + (version == PASSES_FROM_ONE);
        for (uint32_t i = 0; i < n; i++)
            x[i] = 1664525u * x[i]
                   + table[(389u * (i & ~31u) + (i & 31u) + 4099u * k) % TABLE_ELEMENTS];
    }
}
