/* SPDX-License-Identifier: MIT */
/*
 * fiber_context.h - where a stack of its own has stopped, and how to go there.
 *
 * By hand on x86-64 and aarch64 (a few nanoseconds; signal masks stay as they
 * are), with ucontext elsewhere or where FIBER_UCONTEXT is defined.
 *
 * On x86-64 the switch is no call: processors guess where a function returns to by the calls
 * that were made, of whatever stack. A loop that switches to one fiber after the other, with no
 * call open, leaves on their list what the next fiber returns to, if they all stop at the same
 * place.
 */
#ifndef SIM_FIBER_FIBER_CONTEXT_H
#define SIM_FIBER_FIBER_CONTEXT_H

#include <stddef.h>

#if !defined(FIBER_UCONTEXT) && !defined(__x86_64__) && !defined(__aarch64__)
#define FIBER_UCONTEXT 1
#endif

/* Has a context nothing on its stack but what lies from there on? */
#ifdef FIBER_UCONTEXT
#define FIBER_STACK_IS_ALL false
#else
#define FIBER_STACK_IS_ALL true
#endif

/* On the stack, where the rest is kept: a copy will do as well. */
struct fiber_context { void *stack; };

/* The first switch to *context calls begin() on the stack [stack, stack + size); it must not
 * return. */
void fiber_context_make(struct fiber_context *context, char *stack, size_t size,
                        void (*begin)(void));
/* Goes on at *to; *from is where a later switch comes back. */
#if defined(__x86_64__) && !defined(FIBER_UCONTEXT)
static inline __attribute__((always_inline)) void
fiber_context_switch(struct fiber_context *from, const struct fiber_context *to)
{
    void **slot = &from->stack, *there = to->stack;
    __asm__ volatile(
        "leaq -128(%%rsp), %%rsp\n"    /* what a function without calls keeps below its stack */
        "leaq 1f(%%rip), %%rax\n"
        "pushq %%rax\n"
        "pushq %%rbx\n"
        "pushq %%rbp\n"
        "movq %%rsp, (%0)\n"
        "movq %1, %%rsp\n"
        "popq %%rbp\n"
        "popq %%rbx\n"
        "popq %%rax\n"
        "jmpq *%%rax\n"
        "1: leaq 128(%%rsp), %%rsp\n"
        : "+D"(slot), "+S"(there)
        :
        : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "xmm0", "xmm1",
          "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)", "st(5)", "st(6)",
          "st(7)", "cc", "memory");
}
#else
void fiber_context_switch(struct fiber_context *from, const struct fiber_context *to);
#endif
/* The same, as a call that is the last thing its function does, and short. It leaves no call's
 * return to be guessed: threads of one block come from one barrier to the next, so each goes on at
 * another place than the one before it has stopped at. Gives 0. */
int fiber_context_pass(struct fiber_context *from, const struct fiber_context *to)
    __attribute__((visibility("hidden")));

#endif
