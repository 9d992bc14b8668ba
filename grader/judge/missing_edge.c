/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "grader/check.h"
#include "trace/order/near_miss.h"

_Static_assert(ANY == NO_CALL, "a finding blames the call that a near miss names");

bool why_unordered(const struct view *v, struct finding *f, uint32_t before, const char *before_name, uint32_t after,
                   const char *after_name)
{
    struct near_miss m = near_miss_streams(v->timeline, before, after);
    struct hazard_line line = { .used = 0 };
    near_miss_say_streams(&line, m, before_name, after_name);
    f->call = m.call;
    return why(f, "%s", line.text);
}

bool why_unwaited(const struct view *v, struct finding *f, uint32_t node, size_t calls, const char *otherwise, ...)
{
    struct hazard_line line = { .used = 0 };
    const struct timeline *t = v->timeline;
    struct near_miss m = near_miss_host(t, v->order, node, calls, t->calls[calls < t->call_count ? calls : t->spans[node].call].thread);
    /* What comes when the part is over, or from another function, is not meant. */
    uint64_t caller = t->calls[t->spans[node].call].caller;
    bool over = m.kind == MISS_WAIT_LATE && (t->calls[calls].kind == CALL_PART || caller == 0 || t->calls[m.call].caller != caller);
    if (m.kind == MISS_NONE || over) {
        va_list arguments;
        va_start(arguments, otherwise);
        vsnprintf(line.text, sizeof line.text, otherwise, arguments);
        va_end(arguments);
        return why(f, "%s", line.text);
    }
    near_miss_say_host(&line, t, m, node);
    f->call = m.call;
    return why(f, "%s", line.text);
}
