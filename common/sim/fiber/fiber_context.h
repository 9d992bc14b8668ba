/* SPDX-License-Identifier: MIT */
/*
 * fiber_context.h - where a stack of its own has stopped, and how to go there.
 *
 * By hand on x86-64 and aarch64 (a few nanoseconds; signal masks stay as they
 * are), with ucontext elsewhere or where FIBER_UCONTEXT is defined.
 */
#ifndef SIM_FIBER_FIBER_CONTEXT_H
#define SIM_FIBER_FIBER_CONTEXT_H

#include <stddef.h>

#if !defined(FIBER_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define FIBER_UCONTEXT 1
#endif

#ifdef FIBER_UCONTEXT
#include <ucontext.h>
struct fiber_context { ucontext_t context; };
#else
struct fiber_context { void *stack; };
#endif

/* The first switch to *place calls begin() on the stack [stack, stack + size); it must not return. */
void fiber_context_make(struct fiber_context *place, char *stack, size_t size, void (*begin)(void));
/* Goes on at *to; *from is where a later switch comes back. */
void fiber_context_switch(struct fiber_context *from, struct fiber_context *to);

#endif
