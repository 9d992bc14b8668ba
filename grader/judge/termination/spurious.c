/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/spurious.h"

#include "grader/run/program_line.h"

/* Does the thread wait for the condition again before it does anything else? */
static bool looks_again(const struct timeline *log, size_t wake, size_t end)
{
    for (size_t i = wake + 1; i < end; i++) {
        const struct call *c = &log->calls[i];
        if (c->thread == log->calls[wake].thread && c->kind != CALL_THREAD_WAKE)
            return c->kind == CALL_SPURIOUS;
    }
    return false;
}

unsigned spurious_find(const struct run *r, const struct submission *s, const struct timeline *log,
                       size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct call *c = &log->calls[i];
        if (c->kind != CALL_SPURIOUS || c->message == 0 || looks_again(log, i, log->call_count))
            continue;
        unsigned line = program_line_listed(r, s, timeline_string(log, c->message));
        if (line != 0)
            return line;
    }
    return 0;
}
