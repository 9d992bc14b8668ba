/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/spurious.h"

#include "grader/run/program_line.h"

/* The innermost line of the submission's in a list of program counters; 0: none is. */
static unsigned innermost_line(const struct run *r, const struct submission *s,
                               const char *counters)
{
    unsigned line[PROGRAM_LINES];
    size_t count = program_lines_listed(r, s, counters, line);
    for (size_t i = 0; i < count; i++)
        if (line[i] != 0)
            return line[i];
    return 0;
}

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
        unsigned line = innermost_line(r, s, timeline_string(log, c->message));
        if (line != 0)
            return line;
    }
    return 0;
}
