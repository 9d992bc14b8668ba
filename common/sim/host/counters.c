/* SPDX-License-Identifier: MIT */
#include "sim/host/counters.h"

#include <unwind.h>

/* Bounds of the program's own code, from the linker, and of what it calls at each access (tsan.c).
 */
extern char __executable_start, etext, __start_sim_seen, __stop_sim_seen;
/* What the linker adds, which calls main(): none of the program's functions. */
extern char _start[];

bool counter_in_program(uintptr_t pc)
{
    bool seen = pc >= (uintptr_t)&__start_sim_seen && pc < (uintptr_t)&__stop_sim_seen;
    return pc >= (uintptr_t)&__executable_start && pc < (uintptr_t)&etext && !seen;
}

struct counters { uint64_t *at; int count, most; bool library_first, in_library; };

static _Unwind_Reason_Code keep_counter(struct _Unwind_Context *frame, void *argument)
{
    struct counters *c = argument;
    int before;
    uintptr_t pc = _Unwind_GetIPInfo(frame, &before);
    c->in_library |= !counter_in_program(pc);
    if (counter_in_program(pc) && c->count < c->most && (c->in_library || !c->library_first)
        && _Unwind_GetRegionStart(frame) != (uintptr_t)_start)
        c->at[c->count++] = before ? pc : pc - 1;
    return c->count == c->most ? _URC_END_OF_STACK : _URC_NO_REASON;
}

int counters_here(uint64_t *counter, int most)
{
    struct counters c = { counter, 0, most, false, false };
    _Unwind_Backtrace(keep_counter, &c);
    return c.count;
}

int counters_before_library(uint64_t *counter, int most)
{
    struct counters c = { counter, 0, most, true, false };
    _Unwind_Backtrace(keep_counter, &c);
    return c.count;
}

struct caller { uintptr_t inside; bool found; uint64_t counter; };

static _Unwind_Reason_Code find_caller(struct _Unwind_Context *frame, void *argument)
{
    struct caller *c = argument;
    uintptr_t pc = _Unwind_GetIP(frame);
    if (c->found)
        c->counter = counter_in_program(pc) ? pc - 1 : 0;
    if (c->found)
        return _URC_END_OF_STACK;
    c->found = pc == c->inside;
    return _URC_NO_REASON;
}

uint64_t counter_of_caller(const void *inside)
{
    struct caller c = { .inside = (uintptr_t)inside };
    _Unwind_Backtrace(find_caller, &c);
    return c.counter;
}
