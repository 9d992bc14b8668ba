/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/base/environment.h"
#include "grader/base/text.h"
#include "grader/judge/standstill.h"
#include "grader/judge/stray.h"
#include "grader/run/program_line.h"
#include "trace/record/memory.h"

/* A string of the log, made harmless. */
static void copy_string(char *to, size_t size, const struct timeline *log, uint32_t number)
{
    const char *s = timeline_string(log, number);
    char *clean = text_harmless(s, strlen(s));
    snprintf(to, size, "%s", clean);
    memory_resize(clean, 0);
}

/* Where the program was, then from where it had got there: the innermost line that is the learner's is meant. */
static bool resolve(struct termination *e, const struct run *r, const struct call *crash, const struct submission *yours)
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

static const struct call *last_of(const struct timeline *log, uint32_t kind)
{
    for (size_t i = log->call_count; i-- > 0;)
        if (log->calls[i].kind == kind)
            return &log->calls[i];
    return NULL;
}

/* The last call of the program itself that has a place in a file. */
static const struct call *last_located(const struct timeline *log)
{
    for (size_t i = log->call_count; i-- > 0;) {
        const struct call *c = &log->calls[i];
        if (c->line != 0 && c->kind != CALL_CRASH && c->kind != CALL_FAULT && c->kind != CALL_PART && c->kind != CALL_EXIT && c->kind != CALL_DEADLOCK)
            return c;
    }
    return NULL;
}

/* Where the function was called that makes the call. A function of the driver's is where the learner calls it. */
static void find_caller(struct termination *e, const struct run *r, const struct submission *yours, const struct call *c)
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

static void find_location(struct termination *e, const struct run *r, const struct submission *yours)
{
    const struct timeline *log = &r->log;
    const struct call *crash = last_of(log, CALL_CRASH), *last = last_located(log);
    if (last)
        copy_string(e->call, sizeof e->call, log, last->name);
    if (crash && yours && crash->src != 0
        && resolve(e, r, crash, yours))
        return;
    const struct call *location = crash && crash->line != 0 ? crash : last;
    if (location) {
        copy_string(e->file, sizeof e->file, log, location->file);
        e->line = location->line;
        e->exact = location == crash;
        find_caller(e, r, yours, location);
    }
}

/* The part that the call before `end` was made in, or after which. A driver may close a part when the program leaves. */
static void find_part(struct termination *e, const struct timeline *log, size_t end)
{
    bool first = true;
    e->began = false;
    e->part[0] = e->ended[0] = '\0';
    for (size_t i = end; i-- > 0 && e->part[0] == '\0' && e->ended[0] == '\0';) {
        if (log->calls[i].kind != CALL_PART)
            continue;
        e->began = true;
        copy_string(first ? e->part : e->ended, first ? sizeof e->part : sizeof e->ended, log, log->calls[i].name);
        first = false;
    }
}

/* The part that a call was made in: "part b"; "" for none. */
static void name_part(char *text, size_t size, const struct timeline *log, const struct call *c)
{
    char name[32];
    text[0] = '\0';
    while (c > log->calls && c->kind != CALL_PART)
        c--;
    copy_string(name, sizeof name, log, c->kind == CALL_PART ? c->name : 0);
    if (name[0] != '\0')
        snprintf(text, size, "part %s", name);
}

/* "in part b, at work/06-overlap.cu:41", "before its first part", … */
static const char *where(const struct termination *e, char *text, size_t size)
{
    int n = e->part[0] != '\0' ? snprintf(text, size, "in part %s", e->part)
          : e->ended[0] != '\0' ? snprintf(text, size, "after part %s", e->ended)
                               : snprintf(text, size, e->began ? "after its last part" : "before its first part");
    if (e->card && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, ", on the card %s", e->card);
    if (e->line != 0 && (size_t)n < size)
        n += snprintf(text + n, size - (size_t)n, ", %s %s:%u", e->exact ? "at" : "after its call at", e->file, e->line);
    if (e->line != 0 && e->called_from != 0 && e->called_from != e->line && (size_t)n < size)
        snprintf(text + n, size - (size_t)n, ", called from line %u", e->called_from);
    return text;
}

static void say(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(char *text, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}
#define MESSAGE(...) say(e->message, sizeof e->message, __VA_ARGS__)
#define HINT(...) say(e->hint, sizeof e->hint, __VA_ARGS__)

#define NEAR_NULL 4096          /* a member of what is not there */

/* The innermost line of the submission's in a list of program counters; 0: none is. */
static unsigned first_line(const struct run *r, const struct submission *yours, const char *counters)
{
    uint64_t address[PROGRAM_LINES];
    unsigned line[PROGRAM_LINES];
    size_t count = 0;
    for (char *end; count < PROGRAM_LINES; counters = end, count++) {
        address[count] = strtoull(counters, &end, 16);
        if (end == counters)
            break;
    }
    program_lines(r, yours, address, count, line);
    for (size_t i = 0; i < count; i++)
        if (line[i] != 0)
            return line[i];
    return 0;
}

/* A pointer that stands in memory which free() or delete has taken back. */
static void tell_spoilt(struct termination *e, const struct call *crash)
{
    HINT("The pointer used there was read in memory that free() or delete had taken back: the simulator fills such memory with 0x%x.", SPOILT_BYTE);
    size_t used = strlen(e->hint);
    if (crash->rows != 0)
        snprintf(e->hint + used, sizeof e->hint - used, " This function was queued in line %u, and it runs later: what it is given an address of has to "
                 "stay until it has run.", crash->rows);
    else
        snprintf(e->hint + used, sizeof e->hint - used, " Free it after its last use.");
}

static void tell_crash(struct termination *e, const struct run *r, const struct submission *yours)
{
    const struct call *crash = last_of(&r->log, CALL_CRASH);
    char location[400], access[64] = "";
    bool null = crash && e->code == SIGSEGV && crash->dst < NEAR_NULL;
    bool spoilt = crash && crash->dst - SPOILT_POINTER < NEAR_NULL;
    if (null)
        snprintf(access, sizeof access, crash->dst == 0 ? ", at NULL or an invalid address" : ", at address 0x%llx, next to NULL",
                 (unsigned long long)crash->dst);
    else if (crash && e->code == SIGSEGV && spoilt)
        snprintf(access, sizeof access, ", at an address that was read in freed memory");
    else if (crash && (e->code == SIGSEGV || e->code == SIGBUS))
        snprintf(access, sizeof access, ", reading or writing address 0x%llx", (unsigned long long)crash->dst);
    MESSAGE("The program crashed %s: %s (SIG%s)%s.", where(e, location, sizeof location), strsignal(e->code),
            sigabbrev_np(e->code) ? sigabbrev_np(e->code) : "?", access);
    if (null)
        HINT("The pointer used there is NULL, or was never set. What was to set it: cudaMalloc, cudaMallocHost, cudaHostAlloc, cudaMallocAsync, "
             "cudaMallocManaged, malloc, an assignment?");
    else if (spoilt)
        tell_spoilt(e, crash);
    else if (crash && crash->flags & CRASH_IN_FREE)
        stray_say_free(e->hint, sizeof e->hint, &r->log, crash->dst, yours ? yours->path : "");
    else if (crash && e->code == SIGSEGV && stray_say(e->hint, sizeof e->hint, &r->log, crash->dst, yours ? yours->path : ""))
        ;
    else if (e->code == SIGSEGV || e->code == SIGBUS)
        HINT("Is that a device pointer that the host uses, a pointer that was freed, an index past the end, or a pointer that nothing has set "
             "(an assignment, a memset())?");
    else if (e->code == SIGXCPU || e->code == SIGKILL)
        HINT("It used more time or memory than it may.");
    else if (e->code == SIGABRT)
        HINT("An assertion or a failed allocation ends a program in this way. Its output may say which.");
    unsigned waited = crash && yours ? first_line(r, yours, timeline_string(&r->log, crash->message)) : 0;
    size_t used = strlen(e->hint);
    if (waited != 0)
        snprintf(e->hint + used, sizeof e->hint - used, "%sThe wait for a condition in line %u had returned without a signal just before, which it may do. "
                 "A loop (while, not if) looks again at what the thread waits for.", used > 0 ? " " : "", waited);
}

/* Errors that say something of the call itself: of the first whose words are in what CHECK was given. */
static const struct { int32_t error; const char *call; bool guess; const char *hint; } hints[] = {    /* guess: unless the reason is known */
    { 400 /* cudaErrorInvalidResourceHandle */, "", true, "The stream or event does not exist, or was destroyed. If the call asks for a "
      "time, one of the events may have none, because it was never recorded or was "
      "made with cudaEventDisableTiming." },
    { 600 /* cudaErrorNotReady */, "cudaEventElapsedTime", false, "One of the two events is not complete yet. Wait first, with "
      "cudaEventSynchronize() for the later one, or for its stream." },
    { 600, "", false, "That is an answer and not a failure: the work is not done yet. Do not put the query into "
      "CHECK(), and wait first where you need the work to be done." },
    { 800 /* cudaErrorNotPermitted */, "", false, "A function that a stream calls may not call CUDA: the stream waits until it has "
      "returned. Let it wake a thread, and make the call there." },
};

/* The call whose error CHECK saw (call.h); NULL: not known, or the program has made it up. */
static const struct call *failed_call(const struct timeline *log, const struct call *report)
{
    const struct call *c = report->src > 0 && report->src <= log->call_count ? &log->calls[report->src - 1] : NULL;
    return c && c->status == report->status && c->message != 0 ? c : NULL;
}

/* A launch returns no error: it is at fault, and not the call that was asked for the error later. */
static void tell_refused_launch(struct termination *e, const struct timeline *log, const struct call *launch, const struct call *report)
{
    char kernel[128], message[200], met[400], part[40], its_part[40];
    copy_string(kernel, sizeof kernel, log, launch->name);
    copy_string(message, sizeof message, log, report->message);
    name_part(part, sizeof part, log, launch);
    name_part(its_part, sizeof its_part, log, report);
    bool same = strcmp(part, its_part) == 0;
    if (launch->line == report->line && launch->file == report->file)
        snprintf(met, sizeof met, "in the same line");
    else
        snprintf(met, sizeof met, "at %s:%u%s%s", e->file, e->line, same || its_part[0] == '\0' ? "" : " in ", same ? "" : its_part);
    copy_string(e->file, sizeof e->file, log, launch->file);
    e->line = launch->line;
    MESSAGE("The launch of %s%s%s, at %s:%u, was refused with %s. CHECK met that error %s and ended the program.", kernel,
            part[0] != '\0' ? " in " : "", part, e->file, e->line, message, met);
}

/* A kernel's fault is met by whichever call comes later: what queued it is at fault. */
static void tell_fault(struct termination *e, const struct timeline *log, const struct call *fault, const struct call *report)
{
    char name[128], message[200], met[400];
    copy_string(name, sizeof name, log, fault->name);
    copy_string(message, sizeof message, log, report->message);
    snprintf(met, sizeof met, "at %s:%u", e->file, e->line);
    copy_string(e->file, sizeof e->file, log, fault->file);
    snprintf(e->call, sizeof e->call, "%s", name);
    e->line = fault->line;
    MESSAGE("%s, queued at %s:%u, failed with %s. CHECK met that error %s and ended the program.", name, e->file, e->line, message, met);
}

/* A reason names another call by its line, last (because.h): where was the function called that makes it? 0: not known, or there. */
static unsigned caller_of_reason(const struct run *r, const struct submission *yours, const struct call *failed, const char *reason, unsigned *line)
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

static void tell_why(struct termination *e, const struct run *r, const struct submission *yours, const struct call *failed,
                     const struct call *report)
{
    const struct timeline *log = &r->log;
    char reason[480], location[320] = "", file[200], name[80];
    copy_string(reason, sizeof reason, log, failed->message);
    copy_string(file, sizeof file, log, failed->file);
    copy_string(name, sizeof name, log, failed->name);
    if (failed->kind != CALL_LAUNCH && failed->kind != CALL_FAULT && failed->line != 0 && (failed->line != report->line || failed->file != report->file))
        snprintf(location, sizeof location, "%s at %s:%u failed: ", name, file, failed->line);
    unsigned line, from = caller_of_reason(r, yours, failed, reason, &line);
    HINT("Why: %s%s%s", location, reason, text_stop(reason));
    size_t used = strlen(e->hint);
    if (from != 0)
        snprintf(e->hint + used, sizeof e->hint - used, " Line %u ran in a function called from line %u.", line, from);
}

/* `last` freed memory at that address: perhaps other memory that came there later. The driver's own was freed by the first call after it was
 * allocated. */
static const struct call *first_freed(const struct timeline *log, const struct call *failed, const struct call *last, const char *path)
{
    const struct call *made = NULL;
    for (const struct call *c = log->calls; c < last; c++)
        if (c->kind == CALL_MALLOC && c->status == 0 && c->dst == last->dst && c->file == failed->file)
            made = c;
    for (const struct call *c = made; c && c < last; c++)
        if (c->kind == CALL_FREE && c->status == 0 && c->dst == last->dst && strcmp(timeline_string(log, c->file), path) == 0)
            return c;
    return last;
}

/* The learner's call that freed the memory which this call of the driver's was to free; NULL: it is not that. */
static const struct call *freed_before(const struct run *r, const struct submission *yours, const struct call *failed)
{
    char reason[480], words[32];
    if (!yours || failed->kind == CALL_LAUNCH || failed->line == 0 || strcmp(timeline_string(&r->log, failed->file), yours->path) == 0)
        return NULL;
    copy_string(reason, sizeof reason, &r->log, failed->message);
    for (const struct call *c = failed; c-- > r->log.calls;) {
        snprintf(words, sizeof words, ":%u has freed", c->line);
        if (c->kind == CALL_FREE && c->status == 0 && strstr(reason, words) && strcmp(timeline_string(&r->log, c->file), yours->path) == 0)
            return first_freed(&r->log, failed, c, yours->path);
    }
    return NULL;
}

static void tell_freed(struct termination *e, const struct run *r, const struct submission *yours, const struct call *freed, const char *message)
{
    char part[40], name[80], driver[300];
    name_part(part, sizeof part, &r->log, freed);
    copy_string(name, sizeof name, &r->log, freed->name);
    snprintf(driver, sizeof driver, "%s:%u", e->file, e->line);
    snprintf(e->file, sizeof e->file, "%s", yours->path);
    e->line = freed->line;
    e->exact = true;
    MESSAGE("%s%s%s, at %s:%u, freed memory of its caller's. The caller frees it itself, at %s, and that failed with %s.", name,
            part[0] != '\0' ? " in " : "", part, e->file, e->line, driver, message);
    HINT("What a function has not allocated is not its to free.");
    find_caller(e, r, yours, freed);
}

static void tell_check(struct termination *e, const struct run *r, const struct submission *yours, const struct call *report)
{
    char call[200], message[200], location[300];
    const struct call *failed = failed_call(&r->log, report);
    copy_string(call, sizeof call, &r->log, report->name);
    copy_string(message, sizeof message, &r->log, report->message);
    copy_string(e->file, sizeof e->file, &r->log, report->file);
    copy_string(e->call, sizeof e->call, &r->log, report->name);
    e->line = report->line;
    e->exact = true;
    e->called_from = 0;
    find_part(e, &r->log, (size_t)(report - r->log.calls));
    if (failed)
        find_caller(e, r, yours, failed);
    MESSAGE("CHECK ended the program %s: %s failed with %s.", where(e, location, sizeof location), call, message);
    if (failed && failed->kind == CALL_LAUNCH)
        tell_refused_launch(e, &r->log, failed, report);
    else if (failed && failed->kind == CALL_FAULT && failed->line != 0)
        tell_fault(e, &r->log, failed, report);
    const struct call *freed = failed ? freed_before(r, yours, failed) : NULL;
    if (freed) {
        tell_freed(e, r, yours, freed, message);
        return;
    }
    const char *hint = failed ? "" : "An error may come from an earlier asynchronous operation: look at what was queued before this call, too.";
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].error == report->status && strstr(call, hints[i].call) && !(failed && hints[i].guess)) {
            hint = hints[i].hint;
            break;
        }
    HINT("%s", hint);
    if (!failed)
        return;
    tell_why(e, r, yours, failed, report);
    size_t used = strlen(e->hint);
    if (*hint != '\0')
        snprintf(e->hint + used, sizeof e->hint - used, " %s", hint);
}

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

static void tell_standstill(struct termination *e, const struct run *r, const struct submission *yours)
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
    MESSAGE("The program stands still %s: %s.", where(e, location, sizeof location), s.waits);
    HINT("%s", s.hint);
}

/* The first and the last line of the submission that the latest calls come from, those of the driver by where the learner calls it;
 * 0: not known. */
static void find_loop(const struct run *r, const struct submission *yours, unsigned *first, unsigned *last)
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

/* Was it a line of the learner's that had made a call of the operating system which had not come back? */
static bool waits_in_system(const struct run *r, const struct submission *yours)
{
    const struct call *crash = last_of(&r->log, CALL_CRASH);
    if (!crash || !yours || !(crash->flags & CRASH_IN_SYSTEM))
        return false;
    const uint64_t address[] = { crash->src, crash->bytes, crash->dst_pitch };      /* the first may be in the list twice */
    unsigned line[] = { 0, 0, 0 };
    size_t count = crash->src == crash->bytes ? 3 : 2;
    program_lines(r, yours, address, count, line);
    return line[0] != 0 || line[1] != 0 || line[2] != 0;
}

void termination_find(struct termination *e, const struct run *r, const struct submission *yours, const char *card, int64_t time_limit_ms)
{
    *e = (struct termination){ .how = ENDED_CRASHED, .card = card };
    find_part(e, &r->log, r->log.call_count);
    const struct call *report = last_of(&r->log, CALL_REPORT), *standstill = last_of(&r->log, CALL_DEADLOCK);
    bool exited = WIFEXITED(r->child.status);
    e->code = exited ? WEXITSTATUS(r->child.status) : WTERMSIG(r->child.status);
    if (exited && e->code == 0 && e->began && e->part[0] == '\0' && !r->reader.error && !r->child.timed_out) {
        e->how = ENDED_WHOLE;
        return;
    }
    find_location(e, r, yours);
    char location[400];
    if (r->child.flooded) {
        e->how = ENDED_FLOODED;
        MESSAGE("The program was stopped %s: it had made %d CUDA calls.", where(e, location, sizeof location),
                RUN_CALLS_MAX);
        unsigned first, last;
        find_loop(r, yours, &first, &last);
        if (first < last)
            HINT("Does that loop end? The latest calls come from line %u to line %u.", first, last);
        else
            HINT("Does that loop end?");
    } else if (r->child.timed_out) {
        e->how = ENDED_TIMED_OUT;
        MESSAGE("The program was stopped %s: it still ran after %g s.", where(e, location, sizeof location),
                (double)time_limit_ms / 1000);
        if (waits_in_system(r, yours))
            HINT("It was in a call of the operating system there, which did not come back, and in no loop: a read() from a pipe, for example. While a "
                 "thread waits there the simulator can let no other go on. It knows semaphores, conditions, mutexes and what C++ makes of them.");
        else
            HINT("What does the loop there wait for, and what would make that happen?");
    } else if (r->child.too_large) {
        MESSAGE("The program was stopped %s: it had more memory than it may have (%llu MiB).",
                where(e, location, sizeof location), (unsigned long long)(r->sandbox->memory >> 20));
        HINT("Does that loop allocate, and what frees it?");
    } else if (r->reader.error) {
        e->how = ENDED_DAMAGED;
        MESSAGE("The record of the program's calls was damaged %s: %s.", where(e, location, sizeof location), r->reader.error);
        HINT("The record (descriptor %d) belongs to the grader; a program that writes to it, or holds something back, is not judged.", CHILD_FD_LOG);
    } else if (exited && standstill && e->code != 0) {
        tell_standstill(e, r, yours);
    } else if (exited && report && report->status != 0 && e->code != 0) {
        e->how = ENDED_BY_CHECK;
        tell_check(e, r, yours, report);
    } else if (exited) {
        e->how = ENDED_EARLY;
        MESSAGE("The program left %s, with exit status %d.", where(e, location, sizeof location), e->code);
        char said[160];
        if (e->code != 0 && last_words(r, said, sizeof said)[0] != '\0')
            HINT("It said why: %s", said);
        else
            HINT("An exercise returns to its caller: do not call exit() in it.");
    } else {
        tell_crash(e, r, yours);
    }
}
