/* SPDX-License-Identifier: MIT */
#include "grader/check.h"
#include "trace/near_miss.h"

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
