/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/spurious.h"

#include "grader/run/program_line.h"
#include "trace/record/measure.h"

unsigned spurious_find(const struct run *r, const struct submission *s, const struct timeline *log,
                       size_t first, size_t end)
{
    for (size_t i = first; (i = measure_trusted_wake(log, i, end)) < end; i++) {
        const struct call *c = &log->calls[i];
        unsigned line =
            c->message != 0 ? program_line_listed(r, s, timeline_string(log, c->message)) : 0;
        if (line != 0)
            return line;
    }
    return 0;
}
