/* SPDX-License-Identifier: MIT */
#include "grader/judge/termination/crash.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "grader/judge/termination/location.h"
#include "grader/judge/termination/message.h"
#include "grader/judge/termination/spurious.h"
#include "grader/judge/termination/stray.h"
#include "grader/run/loops.h"

#define NEAR_NULL 4096          /* below it: a member of a structure at NULL */

/* The pointer was read from freed memory. */
static void tell_freed_pointer(struct termination *e, const struct call *crash)
{
    HINT(
        "The pointer used there was read in memory that free() or delete had taken back: the simulator fills such memory with 0x%x.",
        SPOILT_BYTE);
    if (crash->rows != 0)
        ADD_HINT(
            " This function was queued in line %u, and it runs later: what it is given an address of has to stay until it has run.",
            crash->rows);
    else
        ADD_HINT(" Free it after its last use.");
}

/* A check of the program's own code has ended it: of an index, or by the C++ library. */
static void tell_stopped(struct termination *e, const struct run *r, const struct call *crash)
{
    char location[400], reason[320];
    message_copy(reason, sizeof reason, &r->log, crash->message);
    MESSAGE("The program was stopped %s: %s.", location_text(e, location, sizeof location), reason);
    if (strncmp(reason, "index ", strlen("index ")) == 0 || strstr(reason, "size()"))
        HINT(
            "n elements have the indices 0 to n - 1. How many are there at that time, and where does the index come from?");
    else if (strstr(reason, "empty()"))
        HINT("There is no element at that time. What should have put one there, or asked first?");
    else
        HINT("That is a rule of the C++ library's. What should have made it true before that line?");
}

/* Where the pointer at fault was set that the line of the crash uses. */
static void tell_pointer(struct termination *e, const struct submission *yours)
{
    char variable[64];
    unsigned line = yours && e->exact && strcmp(e->file, yours->path) == 0
                        ? submission_pointer_line(yours, e->line, variable, sizeof variable)
                        : 0;
    if (line != 0)
        ADD_HINT(" `%s` is set in line %u.", variable, line);
}

/* A host function may have been given the address of what is gone when it runs. */
static void tell_later(struct termination *e, const struct call *crash)
{
    if (crash && e->code == SIGSEGV && crash->rows != 0)
        ADD_HINT(
            " This function was queued in line %u, and it runs later: was it given the address of a local variable, which is gone when the function "
            "that has it returns?",
            crash->rows);
}

static void tell_signal(struct termination *e, const struct run *r, const struct submission *yours,
                        const struct call *crash)
{
    char location[400], access[64] = "";
    bool null = crash && e->code == SIGSEGV && crash->dst < NEAR_NULL;
    bool spoilt = crash && crash->dst - SPOILT_POINTER < NEAR_NULL;
    if (null)
        snprintf(access, sizeof access,
                 crash->dst == 0 ? ", at NULL or an invalid address"
                                 : ", at address 0x%llx, next to NULL",
                 (unsigned long long)crash->dst);
    else if (crash && e->code == SIGSEGV && spoilt)
        snprintf(access, sizeof access, ", at an address that was read in freed memory");
    else if (crash && (e->code == SIGSEGV || e->code == SIGBUS))
        snprintf(access, sizeof access, ", reading or writing address 0x%llx",
                 (unsigned long long)crash->dst);
    MESSAGE("The program crashed %s: %s (SIG%s)%s.", location_text(e, location, sizeof location),
            strsignal(e->code), sigabbrev_np(e->code) ? sigabbrev_np(e->code) : "?", access);
    if (null) {
        HINT(
            "The pointer used there is NULL, or was never set. What should have set it: cudaMalloc, cudaMallocHost, cudaHostAlloc, cudaMallocAsync, "
            "cudaMallocManaged, malloc, an assignment?");
        tell_pointer(e, yours);
        tell_later(e, crash);
    } else if (spoilt)
        tell_freed_pointer(e, crash);
    else if (crash && crash->flags & CRASH_IN_FREE)
        stray_say_free(e->hint, sizeof e->hint, &r->log, crash->dst, yours ? yours->path : "");
    else if (crash && e->code == SIGSEGV
             && stray_say(e->hint, sizeof e->hint, &r->log, crash->dst, yours ? yours->path : ""))
        ;
    else if (e->code == SIGSEGV || e->code == SIGBUS) {
        HINT(
            "Is that a device pointer that the host uses, a pointer that was freed, an index past the end, or a pointer that nothing has set "
            "(an assignment, a memset())?");
        tell_later(e, crash);
    } else if (e->code == SIGFPE)
        HINT("A whole number is divided there by 0, by / or %%. Which divisor can be 0, and when?");
    else if (e->code == SIGXCPU || e->code == SIGKILL)
        HINT("It probably used more time or memory than it is allowed.");
    else if (e->code == SIGABRT && r->child.output
             && strstr(r->child.output, "terminate called without an active exception"))
        HINT(
            "A std::thread ends a program in this way whose variable goes, or gets another thread, before join() or detach() was called. Call its "
            "join() first, on every way out.");
    else if (e->code == SIGABRT && r->child.output
             && strstr(r->child.output, "terminate called after throwing"))
        HINT("An exception that no catch takes ends a program in this way. Its output says which.");
    else if (e->code == SIGABRT)
        HINT(
            "An assertion or a failed allocation ends a program in this way. Its output may say which.");
}

void crash_tell(struct termination *e, const struct run *r, const struct submission *yours)
{
    const struct call *crash = location_last_call(&r->log, CALL_CRASH);
    if (crash && crash->message != 0)
        tell_stopped(e, r, crash);
    else
        tell_signal(e, r, yours, crash);
    unsigned waited = yours ? spurious_find(r, yours, &r->log, 0, r->log.call_count) : 0;
    if (waited != 0)
        ADD_HINT("%s" SPURIOUS_SAYS, e->hint[0] != '\0' ? " " : "", waited);
}
