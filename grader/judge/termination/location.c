/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/location.h"

#include <stdio.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/judge/termination/message.h"
#include "grader/run/program_line.h"

/* The addresses of a crash are the place, then its callers from the innermost out: the first that
 * is in the learner's file is its line, the next its caller. */
static bool find_crash_line(struct termination *e, const struct run *r, const struct call *crash,
                            const struct submission *yours)
{
    const uint64_t address[] = { crash->src, crash->bytes, crash->dst_pitch, crash->src_pitch };
    enum { ADDRESSES = sizeof address / sizeof *address };
    unsigned line[ADDRESSES];
    program_lines(r, yours, address, ADDRESSES, line);
    /* The first may be in the list twice. */
    for (int i = 0; i < ADDRESSES && e->called_from == 0; i++)
        if (line[i] != 0 && e->exact && line[i] != e->line)
            e->called_from = line[i];
        else if (line[i] != 0) {
            snprintf(e->file, sizeof e->file, "%s", yours->path);
            e->line = line[i];
            e->exact = true;
        }
    return e->exact;
}

const struct call *location_last_call(const struct timeline *log, uint32_t kind)
{
    for (size_t i = log->call_count; i-- > 0;)
        if (log->calls[i].kind == kind)
            return &log->calls[i];
    return NULL;
}

/* An exit that a function of the learner's called, or one of the driver's that it had called, is
 * where exit() was called from. */
static bool find_exit_line(struct termination *e, const struct run *r, const struct call *exited,
                           const struct submission *yours)
{
    unsigned line = program_line_listed(r, yours, timeline_string(&r->log, exited->message));
    if (line == 0)
        return false;
    snprintf(e->file, sizeof e->file, "%s", yours->path);
    e->line = line;
    e->exact = true;
    return true;
}

/* The last call of the program itself that has a place in a file. */
static const struct call *last_located(const struct timeline *log)
{
    for (size_t i = log->call_count; i-- > 0;) {
        const struct call *c = &log->calls[i];
        if (c->line != 0 && c->kind != CALL_CRASH && c->kind != CALL_FAULT && c->kind != CALL_PART
            && c->kind != CALL_EXIT && c->kind != CALL_DEADLOCK)
            return c;
    }
    return NULL;
}

void location_find_caller(struct termination *e, const struct run *r,
                          const struct submission *yours, const struct call *c)
{
    e->called_from = 0;
    if (!yours || c->caller == 0)
        return;
    program_lines(r, yours, &c->caller, 1, &e->called_from);
    if (e->called_from == 0 || strcmp(e->file, yours->path) == 0)
        return;
    snprintf(e->file, sizeof e->file, "%s", yours->path);
    e->line = e->called_from;
    e->exact = false;
    e->called_from = 0;
}

void location_find(struct termination *e, const struct run *r, const struct submission *yours)
{
    const struct timeline *log = &r->log;
    const struct call *crash = location_last_call(log, CALL_CRASH), *last = last_located(log);
    if (last)
        message_copy(e->call, sizeof e->call, log, last->name);
    if (crash && yours && crash->src != 0 && find_crash_line(e, r, crash, yours))
        return;
    const struct call *exited = location_last_call(log, CALL_EXIT);
    if (exited && yours && exited->message != 0 && find_exit_line(e, r, exited, yours))
        return;
    const struct call *location = crash && crash->line != 0 ? crash : last;
    if (location) {
        message_copy(e->file, sizeof e->file, log, location->file);
        e->line = location->line;
        e->exact = location == crash;
        location_find_caller(e, r, yours, location);
    }
}

void location_find_part(struct termination *e, const struct timeline *log, size_t end)
{
    bool first = true;
    e->began = false;
    e->part[0] = e->ended[0] = '\0';
    for (size_t i = end; i-- > 0 && e->part[0] == '\0' && e->ended[0] == '\0';) {
        if (log->calls[i].kind != CALL_PART)
            continue;
        e->began = true;
        message_copy(first ? e->part : e->ended, first ? sizeof e->part : sizeof e->ended, log,
                     log->calls[i].name);
        first = false;
    }
}

void location_name_part(char *text, size_t size, const struct timeline *log, const struct call *c)
{
    char name[32];
    text[0] = '\0';
    while (c > log->calls && c->kind != CALL_PART)
        c--;
    message_copy(name, sizeof name, log, c->kind == CALL_PART ? c->name : 0);
    char part[64];
    if (name[0] != '\0')
        snprintf(text, size, "part %s", part_words(part, sizeof part, name));
}

const char *location_text(const struct termination *e, char *text, size_t size)
{
    char part[64];
    part_words(part, sizeof part, e->part[0] != '\0' ? e->part : e->ended);
    int n = e->part[0] != '\0' ? snprintf(text, size, "in part %s", part)
            : e->ended[0] != '\0'
                ? snprintf(text, size, "after part %s", part)
                : snprintf(text, size, e->began ? "after its last part" : "before its first part");
    if (e->card && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, ", on the card %s", e->card);
    if (e->line != 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, ", %s %s:%u",
                      e->exact ? "at" : "after its call at", e->file, e->line);
    if (e->line != 0 && e->called_from != 0 && e->called_from != e->line && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", called from line %u", e->called_from);
    return text;
}
