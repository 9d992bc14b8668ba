/* SPDX-License-Identifier: MIT */
/*
 * DESIGN
 * A walk over the stack reads a table for each frame, which took a fifth of what a program took
 * that does little but call. Where a function keeps no frame pointer, though, its frame has one
 * size at each of its calls: that is remembered, and the return address above it is read. A frame
 * pointer points into the frame at every call. So a function whose %rbp does not is none that keeps
 * one, and of all others nothing is remembered.
 */
#include "sim/host/counters.h"

#include <stddef.h>
#include <ucontext.h>
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

uintptr_t counter_interrupted(const void *context)
{
    const ucontext_t *u = context;
#if defined(__x86_64__)
    return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)u->uc_mcontext.pc;
#else
#error "where does this machine keep the program counter?"
#endif
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

#define BASE_POINTER 6          /* %rbp, as its frames are described */

static uint64_t counter_before(uintptr_t pc)
{
    return counter_in_program(pc) ? pc - 1 : 0;
}

/* The frame of the function that `inside` is in: from `start` on, which is lower, until `end`. */
struct caller { uintptr_t inside, start, end, base; bool found; uint64_t counter; };

static _Unwind_Reason_Code find_caller(struct _Unwind_Context *frame, void *argument)
{
    struct caller *c = argument;
    uintptr_t pc = _Unwind_GetIP(frame);
    if (c->found) {
        c->end = _Unwind_GetCFA(frame);
        c->counter = counter_before(pc);
        return _URC_END_OF_STACK;
    }
    c->found = pc == c->inside;
    if (c->found) {
        c->start = _Unwind_GetCFA(frame);
        c->base = _Unwind_GetGR(frame, BASE_POINTER);
    }
    return _URC_NO_REASON;
}

uint64_t counter_of_caller(const void *inside, const void *stack)
{
    enum { KNOWN = 64 };
    static __thread struct known { uintptr_t inside; size_t frame; } list[KNOWN];
    struct caller c = { .inside = (uintptr_t)inside };
    struct known *known = &list[(c.inside ^ c.inside >> 6) % KNOWN];
    if (known->inside == c.inside)
        return counter_before(((const uintptr_t *)((uintptr_t)stack + known->frame))[-1]);
    _Unwind_Backtrace(find_caller, &c);
#ifdef __x86_64__
    bool keeps_base = c.base >= c.start && c.base <= c.end;
    /* What lies outside the program may be unloaded, and other code lie there then. */
    if (c.end != 0 && c.start == (uintptr_t)stack && !keeps_base && counter_in_program(c.inside))
        *known = (struct known){ c.inside, c.end - c.start };
#endif
    return c.counter;
}
