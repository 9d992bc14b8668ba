/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/termination.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "grader/judge/termination/crash.h"
#include "grader/judge/termination/failed_check.h"
#include "grader/judge/termination/location.h"
#include "grader/judge/termination/message.h"
#include "grader/judge/termination/standstill.h"
#include "grader/run/loops.h"
#include "grader/run/program_line.h"

/* What the program said last, but for the simulator's hazards; "" for nothing. */
static const char *last_words(const struct run *r, char *text, size_t size)
{
    const char *line = r->child.output;
    text[0] = '\0';
    while (line && *line != '\0') {
        size_t length = strcspn(line, "\n");
        if (length > 0 && strncmp(line, "hazard:", strlen("hazard:")) != 0)
            snprintf(text, size, "%.*s", (int)length, line);
        line += length + (line[length] == '\n');
    }
    for (char *c = text; *c != '\0'; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    return text;
}

static void tell_standstill(struct termination *e, const struct run *r,
                            const struct submission *yours)
{
    struct standstill s;
    char location[400];
    standstill_find(&s, r, yours);
    if (s.line != 0) {
        snprintf(e->file, sizeof e->file, "%s", yours->path);
        e->line = s.line;
        e->exact = true;
        e->call[0] = '\0';
    }
    e->how = ENDED_DEADLOCKED;
    MESSAGE("The program stands still %s: %s.", location_text(e, location, sizeof location),
            s.waits);
    HINT("%s", s.hint);
}

/* The first and the last line of the submission that the latest calls come from, those of the
 * driver by where the learner calls it; 0: not known. */
static void find_loop(const struct run *r, const struct submission *yours, unsigned *first,
                      unsigned *last)
{
    enum { LATEST = 200, CALLERS = 16 };
    uint64_t caller[CALLERS];
    unsigned line[CALLERS + LATEST];
    size_t callers = 0, lines = 0;
    *first = *last = 0;
    for (size_t i = r->log.call_count; yours && i-- > 0 && i + LATEST >= r->log.call_count;) {
        const struct call *c = &r->log.calls[i];
        bool own = strcmp(timeline_string(&r->log, c->file), yours->path) == 0;
        size_t k = 0;
        while (k < callers && caller[k] != c->caller)
            k++;
        if (own && c->line != 0)
            line[lines++] = c->line;
        else if (!own && c->caller != 0 && k == callers && callers < CALLERS)
            caller[callers++] = c->caller;
    }
    if (callers > 0)
        program_lines(r, yours, caller, callers, line + lines);
    for (size_t k = 0; k < lines + callers; k++) {
        *first = line[k] != 0 && (*first == 0 || line[k] < *first) ? line[k] : *first;
        *last = line[k] > *last ? line[k] : *last;
    }
}

/* The learner's last launch, and how many calls of the part it was made in came from its line. */
static size_t count_launches(const struct run *r, const struct submission *yours,
                             const struct call **launch)
{
    size_t count = 0;
    *launch = NULL;
    for (size_t i = r->log.call_count; yours && i-- > 0;) {
        const struct call *c = &r->log.calls[i];
        if (c->kind == CALL_PART)
            break;
        if (c->kind != CALL_LAUNCH
            || strcmp(timeline_string(&r->log, c->file), yours->path) != 0)
            continue;
        *launch = *launch ? *launch : c;
        count += (*launch)->line == c->line;
    }
    return count;
}

/* Was it a line of the learner's that had made a call of the operating system which had not come
 * back? */
static bool waits_in_system(const struct run *r, const struct submission *yours)
{
    const struct call *crash = location_last_call(&r->log, CALL_CRASH);
    if (!crash || !yours || !(crash->flags & CRASH_IN_SYSTEM))
        return false;
    const uint64_t address[] = { crash->src, crash->bytes,
                                 crash->dst_pitch };      /* the first may be in the list twice */
    unsigned line[] = { 0, 0, 0 };
    size_t count = crash->src == crash->bytes ? 3 : 2;
    program_lines(r, yours, address, count, line);
    return line[0] != 0 || line[1] != 0 || line[2] != 0;
}

#define MANY_LAUNCHES 100       /* more than are asked for in any loop of the lessons */

void termination_find(struct termination *e, const struct run *r, const struct submission *yours,
                      const char *card, int64_t time_limit_ms)
{
    *e = (struct termination){ .how = ENDED_CRASHED, .card = card };
    location_find_part(e, &r->log, r->log.call_count);
    const struct call *report = location_last_call(&r->log, CALL_REPORT),
                      *standstill = location_last_call(&r->log, CALL_DEADLOCK);
    bool exited = WIFEXITED(r->child.status);
    e->code = exited ? WEXITSTATUS(r->child.status) : WTERMSIG(r->child.status);
    if (exited && e->code == 0 && e->began && e->part[0] == '\0' && !r->reader.error
        && !r->child.timed_out) {
        e->how = ENDED_WHOLE;
        return;
    }
    location_find(e, r, yours);
    char location[400];
    if (r->child.flooded && r->counted.blocks > RUN_BLOCKS_MAX) {
        e->how = ENDED_FLOODED;
        MESSAGE("The program was stopped %s: its kernels had more than %d blocks.",
                location_text(e, location, sizeof location), RUN_BLOCKS_MAX);
        HINT("How many blocks does the launch there ask for, and for how many elements?");
    } else if (r->child.flooded) {
        e->how = ENDED_FLOODED;
        MESSAGE("The program was stopped %s: it had made %d CUDA calls.",
                location_text(e, location, sizeof location), RUN_CALLS_MAX);
        unsigned first, last;
        find_loop(r, yours, &first, &last);
        if (first < last)
            HINT("Does that loop end? The latest calls come from line %u to line %u.", first, last);
        else if (yours && (first = submission_loop_line(yours, first, &last)) != 0)
            HINT("Does that loop end, from line %u to line %u?", first, last);
        else
            HINT("Does that loop end?");
        const struct call *launch;
        size_t launches = count_launches(r, yours, &launch);
        if (launches >= MANY_LAUNCHES)
            ADD_HINT(" %zu of those calls launched %s(), in line %u: does what the loop counts go on by all that one launch does?",
                     launches, timeline_string(&r->log, launch->name), launch->line);
    } else if (r->child.timed_out) {
        e->how = ENDED_TIMED_OUT;
        MESSAGE("The program was stopped %s: it still ran after %g s.",
                location_text(e, location, sizeof location), (double)time_limit_ms / 1000);
        if (waits_in_system(r, yours))
            HINT(
                "It was in a system call there that did not return, not in a loop: a read() from a pipe, for example. While a "
                "thread waits there the simulator can let no other go on. It knows semaphores, conditions, mutexes and what C++ makes of them.");
        else
            HINT("What does the loop there wait for, and what would make that happen?");
    } else if (r->child.too_large) {
        MESSAGE("The program was stopped %s: it used more memory than it is allowed (%llu MiB).",
                location_text(e, location, sizeof location),
                (unsigned long long)(r->sandbox->memory >> 20));
        HINT("Does that loop allocate, and what frees it?");
    } else if (r->reader.error) {
        e->how = ENDED_DAMAGED;
        MESSAGE("The record of the program's calls was damaged %s: %s.",
                location_text(e, location, sizeof location), r->reader.error);
        HINT(
            "The record (descriptor %d) belongs to the grader; a program that writes to it, or holds something back, is not judged.",
            CHILD_FD_LOG);
    } else if (exited && standstill && e->code != 0) {
        tell_standstill(e, r, yours);
    } else if (exited && report && report->status != 0 && e->code != 0) {
        e->how = ENDED_BY_CHECK;
        failed_check_tell(e, r, yours, report);
    } else if (exited) {
        e->how = ENDED_EARLY;
        MESSAGE("The program exited %s, with exit status %d.",
                location_text(e, location, sizeof location), e->code);
        char said[320];
        if (e->code != 0 && last_words(r, said, sizeof said)[0] != '\0')
            HINT("It said why: %s", said);
        else
            HINT("An exercise returns to its caller: do not call exit() in it.");
    } else {
        crash_tell(e, r, yours);
    }
}
