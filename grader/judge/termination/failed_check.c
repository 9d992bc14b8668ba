/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/failed_check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grader/base/text.h"
#include "grader/judge/termination/location.h"
#include "grader/judge/termination/message.h"
#include "grader/run/functions.h"
#include "grader/run/loops.h"
#include "grader/run/program_line.h"

/* What an error says by itself. The first row counts that has the error, and whose `call` is in the
 * expression given to CHECK. */
static const struct {
    int32_t error;
    const char *call;
    bool guess;
    const char *hint;
} hints[] = {
    /* guess: unless the reason is known */
    { 400 /* cudaErrorInvalidResourceHandle */, "", true,
      "The stream or event does not exist, or was destroyed. If the call asks for a "
      "time, one of the events may have none, because it was never recorded or was "
      "made with cudaEventDisableTiming." },
    { NOT_READY, "cudaEventElapsedTime", false,
      "One of the two events is not complete yet. Wait first, with "
      "cudaEventSynchronize() for the later one, or for its stream." },
    { NOT_READY, "", false,
      "That is an answer and not a failure: the work is not done yet. Do not put the query into "
      "CHECK(), and wait first where you need the work to be done." },
    { 800 /* cudaErrorNotPermitted */, "", false,
      "A host function must not call CUDA: its stream waits until it has returned. Let "
      "it wake a thread, and make the call there." },
};

/* The call whose error CHECK saw (call.h); NULL: not known, or the program has made it up. */
static const struct call *failed_call(const struct timeline *log, const struct call *report)
{
    const struct call *c =
        report->src > 0 && report->src <= log->call_count ? &log->calls[report->src - 1] : NULL;
    return c && c->status == report->status && c->message != 0 ? c : NULL;
}

/* Has any call failed with the error that CHECK saw? */
static bool any_failed_so(const struct timeline *log, const struct call *report)
{
    for (const struct call *c = log->calls; c < report; c++)
        if (c->kind != CALL_REPORT && c->status == report->status)
            return true;
    return false;
}

/* A launch returns no error, and of another call nobody may have looked at it: it is at fault, and
 * not the call that was asked for the error later. */
static void tell_refused(struct termination *e, const struct timeline *log,
                         const struct call *launch, const struct call *report)
{
    char kernel[128], message[200], met[400], part[40], its_part[40];
    message_copy(kernel, sizeof kernel, log, launch->name);
    message_copy(message, sizeof message, log, report->message);
    location_name_part(part, sizeof part, log, launch);
    location_name_part(its_part, sizeof its_part, log, report);
    bool same = strcmp(part, its_part) == 0;
    if (launch->line == report->line && launch->file == report->file)
        snprintf(met, sizeof met, "in the same line");
    else
        snprintf(met, sizeof met, "at %s:%u%s%s", e->file, e->line,
                 same || its_part[0] == '\0' ? "" : " in ", same ? "" : its_part);
    message_copy(e->file, sizeof e->file, log, launch->file);
    e->line = launch->line;
    MESSAGE("%s%s%s%s, at %s:%u, was refused with %s. CHECK met that error %s and ended the program.",
            launch->kind == CALL_LAUNCH ? "The launch of " : "", kernel,
            part[0] != '\0' ? " in " : "", part, e->file, e->line, message, met);
}

/* Did the driver ask for the last error, and get that of a call of the learner's? */
static bool is_asked_later(const struct submission *yours, const struct timeline *log,
                           const struct call *failed, const struct call *report)
{
    return yours && failed->kind != CALL_FAULT && failed->line != 0
           && strcmp(timeline_string(log, failed->file), yours->path) == 0
           && strcmp(timeline_string(log, report->file), yours->path) != 0
           && strstr(timeline_string(log, report->name), "cudaGetLastError");
}

/* A kernel's fault is met by whichever call comes later: what queued it is at fault. */
static void tell_fault(struct termination *e, const struct timeline *log, const struct call *fault,
                       const struct call *report)
{
    char name[128], message[200], met[400];
    message_copy(name, sizeof name, log, fault->name);
    message_copy(message, sizeof message, log, report->message);
    snprintf(met, sizeof met, "at %s:%u", e->file, e->line);
    message_copy(e->file, sizeof e->file, log, fault->file);
    snprintf(e->call, sizeof e->call, "%s", name);
    e->line = fault->line;
    MESSAGE("%s, queued at %s:%u, failed with %s. CHECK met that error %s and ended the program.",
            name, e->file, e->line, message, met);
}

/* A reason names another call by its line, last (because.h): where was the function called that
 * makes it? 0: not known, or there. */
static unsigned caller_of_reason(const struct run *r, const struct submission *yours,
                                 const struct call *failed, const char *reason, unsigned *line)
{
    const char *found = NULL;
    unsigned from = 0;
    for (const char *at = reason; (at = strstr(at, " in line ")); at++)
        found = at + strlen(" in line ");
    *line = found ? (unsigned)strtoul(found, NULL, 10) : 0;
    for (size_t i = (size_t)(failed - r->log.calls); *line != 0 && yours && i-- > 0;) {
        const struct call *c = &r->log.calls[i];
        if (c->line != *line || c->file != failed->file || c->kind == CALL_OTHER)
            continue;
        if (c->caller != 0 && strcmp(timeline_string(&r->log, c->file), yours->path) == 0)
            program_lines(r, yours, &c->caller, 1, &from);
        break;
    }
    return from == *line ? 0 : from;
}

#define SETS "cudaGraphSetConditional"     /* what ends a loop of a graph; a reason names it where none has ended */

/* The last call before the failed one that has destroyed what it used, as `reason` says; NULL:
 * there is none. */
static const struct call *destroyer(const struct timeline *log, const struct call *failed,
                                    const char *reason)
{
    char words[120];
    const struct call *found = NULL;
    for (const struct call *c = log->calls; c < failed; c++) {
        int length = snprintf(words, sizeof words, "destroyed by %s in line %u",
                              timeline_string(log, c->name), c->line);
        const char *said = c->line != 0 ? strstr(reason, words) : NULL;
        if (said && !isdigit((unsigned char)said[length]))
            found = c;
    }
    return found;
}

/* Has the program begun the thread in which that call stands? */
static bool is_in_own_thread(const struct timeline *log, const struct call *call)
{
    for (const struct call *c = log->calls; c < call; c++)
        if (c->kind == CALL_THREAD_BEGIN && c->thread == call->thread)
            return true;
    return false;
}

/* The call that has made the stream which `ended` destroyed, where another one that the same line
 * has made, when its function was called from elsewhere, is still there; NULL: there is none. */
static const struct call *maker_of_others(const struct timeline *log, const struct call *failed,
                                          const struct call *ended)
{
    const struct call *made = NULL, *other = NULL;
    for (const struct call *c = log->calls; c < ended && ended->kind == CALL_STREAM_DESTROY; c++)
        if (c->kind == CALL_STREAM_CREATE && c->stream == ended->stream)
            made = c;
    for (const struct call *c = log->calls; made && c < failed; c++) {
        if (c->kind == CALL_STREAM_CREATE && c->status == 0 && c->line == made->line
            && c->file == made->file && c->caller != made->caller)
            other = c;
        if (other && c->kind == CALL_STREAM_DESTROY && c->stream == other->stream)
            other = NULL;
    }
    return other ? made : NULL;
}

/* Memory in which the line's launches before were given an address, and this kernel one beyond its
 * end, where the offset divided by an element's size is within it: would it be right in elements?
 */
static void tell_given(struct termination *e, const struct timeline *log, const struct call *fault)
{
    const unsigned size = sizeof(uint32_t);
    uint64_t given = 0, before = 0;
    for (const struct call *c = log->calls; c < fault && given == 0; c++)
        if (c->kind == CALL_COST && c->dst != 0 && c->line == fault->line && c->file == fault->file)
            *(c->node == fault->node ? &given : &before) = c->dst;
    for (const struct call *c = fault; given != 0 && before != 0 && c-- > log->calls;) {
        if ((c->kind != CALL_MALLOC && c->kind != CALL_REGISTER) || before - c->dst >= c->bytes)
            continue;
        uint64_t offset = given - c->dst;
        bool inside =
            offset % (size * size) == 0 && offset / size < c->bytes; /* in elements, whole ones */
        if (given > c->dst && offset >= c->bytes && inside)
            ADD_HINT(" %s() was given byte %llu of memory that has %llu bytes. An offset that is added to a pointer counts elements, "
                     "not bytes. Is yours in bytes? Divided by %u it is %llu, inside that memory.",
                     e->call, (unsigned long long)offset, (unsigned long long)c->bytes, size,
                     (unsigned long long)offset / size);
        else if (offset == c->bytes)
            ADD_HINT(" %s() was given the address right after the last of the %llu bytes of that memory; the launch before it was given one inside. "
                     "Does an index have to begin again from 0 there?",
                     e->call, (unsigned long long)c->bytes);
        break;
    }
}

/* How many times as far from the line's copy before as that copy is long, *bytes, the refused one
 * begins, where that may be an element's size: on the side that it is about. 0: it does not. */
static unsigned times_too_far(const struct timeline *log, const struct call *failed, bool to,
                              uint64_t *bytes)
{
    if (strncmp(timeline_string(log, failed->name), "cudaMemcpy", strlen("cudaMemcpy")) != 0)
        return 0;
    for (const struct call *c = failed; c-- > log->calls;) {
        if (c->kind != CALL_COPY || c->line != failed->line || c->file != failed->file
            || c->thread != failed->thread)
            continue;
        uint64_t step = to ? failed->dst - c->dst : failed->src - c->src;
        *bytes = c->status == 0 ? c->bytes : 0;
        for (unsigned size = 2; size <= 16 && *bytes > 0; size *= 2)
            if (step == size * *bytes)
                return size;
        break;
    }
    return 0;
}

static void tell_why(struct termination *e, const struct run *r, const struct submission *yours,
                     const struct call *failed, const struct call *report)
{
    const struct timeline *log = &r->log;
    char reason[480], location[320] = "", file[200], name[80];
    message_copy(reason, sizeof reason, log, failed->message);
    message_copy(file, sizeof file, log, failed->file);
    message_copy(name, sizeof name, log, failed->name);
    if (failed->kind != CALL_LAUNCH && failed->kind != CALL_FAULT && failed->line != 0
        && (failed->line != report->line || failed->file != report->file))
        snprintf(location, sizeof location, "%s at %s:%u failed: ", name, file, failed->line);
    unsigned line, from = caller_of_reason(r, yours, failed, reason, &line);
    HINT("Why: %s%s%s", location, reason, text_stop(reason));
    if (from != 0)
        ADD_HINT(" Line %u ran in a function called from line %u.", line, from);
    char variable[64];
    bool too_much = strncmp(name, "cudaMemcpy", strlen("cudaMemcpy")) == 0
                    && strstr(reason, "bytes from there on; the copy needs") && yours
                    && strcmp(file, yours->path) == 0;
    bool elsewhere = strstr(reason, "; the copy needs ") || strstr(reason, "the direction is ");
    uint64_t before = 0;
    unsigned times =
        elsewhere && yours && strcmp(file, yours->path) == 0
            ? times_too_far(log, failed, strstr(reason, "argument, dst, is ") != NULL, &before)
            : 0;
    if (times != 0)
        ADD_HINT(" This line's previous copy has %llu bytes, and this one begins %llu bytes after its start, %u times as many. An offset that is added to a "
                 "pointer counts elements, not bytes. Is yours in bytes?",
                 (unsigned long long)before, (unsigned long long)before * times, times);
    unsigned set = too_much && times == 0 ? submission_set_line(yours, failed->line, name, 3,
                                                                variable, sizeof variable)
                                          : 0;
    if (set != 0)
        ADD_HINT(" Is the copy as large as it should be? Line %u sets `%s`.", set, variable);
    const struct call *ended = destroyer(log, failed, reason),
                      *made = ended ? maker_of_others(log, failed, ended) : NULL;
    if (ended && ended->thread != failed->thread
        && ((ended->line == failed->line && ended->kind == failed->kind)
            || (is_in_own_thread(log, ended) && is_in_own_thread(log, failed))))
        ADD_HINT(" Another thread did that. Do both threads keep the handle in the same static or global variable? Such a variable exists only once, and "
                 "each thread overwrites the other's handle: give each thread a variable of its own.");
    else if (ended && ended->thread != failed->thread && is_in_own_thread(log, failed))
        ADD_HINT(" Line %u ran in a thread of its own, and line %u did not wait for it: pthread_join() does, or join() of a "
                 "std::thread.",
                 failed->line, ended->line);
    else if (made)
        ADD_HINT(" Line %u made it, and another one, for another caller, that is still there: is the handle kept where each has its own? "
                 "A static or global variable exists only once.",
                 made->line);
    unsigned sets;
    if (yours && strstr(reason, SETS) && submission_call_lines(yours, SETS, &sets, 1) == 1)
        ADD_HINT(" " SETS "() is called in line %u.", sets);
}

/* `last` freed memory at that address: perhaps other memory that came there later. The driver's own
 * was freed by the first call after it was allocated. */
static const struct call *first_freed(const struct timeline *log, const struct call *failed,
                                      const struct call *last, const char *path)
{
    const struct call *made = NULL;
    for (const struct call *c = log->calls; c < last; c++)
        if (c->kind == CALL_MALLOC && c->status == 0 && c->dst == last->dst
            && c->file == failed->file)
            made = c;
    for (const struct call *c = made; c && c < last; c++)
        if (c->kind == CALL_FREE && c->status == 0 && c->dst == last->dst
            && strcmp(timeline_string(log, c->file), path) == 0)
            return c;
    return last;
}

/* The learner's call that freed the memory which this call of the driver's was to free; NULL: it is
 * not that. */
static const struct call *freed_before(const struct run *r, const struct submission *yours,
                                       const struct call *failed)
{
    char reason[480], words[32];
    if (!yours || failed->kind == CALL_LAUNCH || failed->line == 0
        || strcmp(timeline_string(&r->log, failed->file), yours->path) == 0)
        return NULL;
    message_copy(reason, sizeof reason, &r->log, failed->message);
    for (const struct call *c = failed; c-- > r->log.calls;) {
        snprintf(words, sizeof words, ":%u has freed", c->line);
        if (c->kind == CALL_FREE && c->status == 0 && strstr(reason, words)
            && strcmp(timeline_string(&r->log, c->file), yours->path) == 0)
            return first_freed(&r->log, failed, c, yours->path);
    }
    return NULL;
}

static void tell_freed(struct termination *e, const struct run *r, const struct submission *yours,
                       const struct call *freed, const char *message)
{
    char part[40], name[80], driver[300];
    location_name_part(part, sizeof part, &r->log, freed);
    message_copy(name, sizeof name, &r->log, freed->name);
    snprintf(driver, sizeof driver, "%s:%u", e->file, e->line);
    snprintf(e->file, sizeof e->file, "%s", yours->path);
    e->line = freed->line;
    e->exact = true;
    MESSAGE(
        "%s%s%s, at %s:%u, freed its caller's memory. The caller frees it itself, at %s, and that failed with %s.",
        name, part[0] != '\0' ? " in " : "", part, e->file, e->line, driver, message);
    HINT("A function frees only what it has allocated.");
    location_find_caller(e, r, yours, freed);
}

void failed_check_tell(struct termination *e, const struct run *r, const struct submission *yours,
                       const struct call *report)
{
    char call[200], message[200], location[300];
    const struct call *failed = failed_call(&r->log, report);
    message_copy(call, sizeof call, &r->log, report->name);
    message_copy(message, sizeof message, &r->log, report->message);
    message_copy(e->file, sizeof e->file, &r->log, report->file);
    message_copy(e->call, sizeof e->call, &r->log, report->name);
    e->line = report->line;
    e->exact = true;
    e->called_from = 0;
    location_find_part(e, &r->log, (size_t)(report - r->log.calls));
    if (failed)
        location_find_caller(e, r, yours, failed);
    MESSAGE("CHECK ended the program %s: %s failed with %s.",
            location_text(e, location, sizeof location), call, message);
    if (failed && (failed->kind == CALL_LAUNCH || is_asked_later(yours, &r->log, failed, report)))
        tell_refused(e, &r->log, failed, report);
    else if (failed && failed->kind == CALL_FAULT && failed->line != 0)
        tell_fault(e, &r->log, failed, report);
    const struct call *freed = failed ? freed_before(r, yours, failed) : NULL;
    if (freed) {
        tell_freed(e, r, yours, freed, message);
        return;
    }
    const char *hint =
        failed ? ""
        : any_failed_so(&r->log, report)
            ? "An error may come from an earlier asynchronous operation: look at what was queued before this call, too."
            : "No call of the runtime has failed with this error: it comes from another function that the expression calls.";
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].error == report->status && strstr(call, hints[i].call)
            && !(failed && hints[i].guess)) {
            hint = hints[i].hint;
            break;
        }
    HINT("%s", hint);
    if (!failed)
        return;
    tell_why(e, r, yours, failed, report);
    if (failed->kind == CALL_FAULT)
        tell_given(e, &r->log, failed);
    if (*hint != '\0')
        ADD_HINT(" %s", hint);
}

void termination_blame_check(struct termination *e, const struct run *r,
                             const struct submission *yours, const char *instead)
{
    const struct call *report = location_last_call(&r->log, CALL_REPORT);
    const struct call *failed =
        e->how == ENDED_BY_CHECK && report ? failed_call(&r->log, report) : NULL;
    if (!failed || (failed->kind != CALL_LAUNCH && failed->kind != CALL_FAULT)
        || strcmp(timeline_string(&r->log, report->file), yours->path) != 0)
        return;
    char call[200], message[200], location[300];
    message_copy(call, sizeof call, &r->log, report->name);
    message_copy(message, sizeof message, &r->log, report->message);
    snprintf(e->file, sizeof e->file, "%s", yours->path);
    message_copy(e->call, sizeof e->call, &r->log, report->name);
    e->line = report->line;
    e->exact = true;
    e->called_from = 0;
    MESSAGE("CHECK ended the program %s: %s failed with %s.",
            location_text(e, location, sizeof location), call, message);
    HINT("%s", instead);
}
