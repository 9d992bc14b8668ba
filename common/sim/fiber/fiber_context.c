/* SPDX-License-Identifier: MIT */
#include "sim/fiber/fiber_context.h"

#ifdef FIBER_UCONTEXT

void fiber_context_make(struct fiber_context *context, char *stack, size_t size,
                        void (*begin)(void))
{
    getcontext(&context->context);
    context->context.uc_stack.ss_sp = stack;
    context->context.uc_stack.ss_size = size;
    context->context.uc_link = NULL;
    makecontext(&context->context, begin, 0);
}

void fiber_context_switch(struct fiber_context *from, struct fiber_context *to)
{
    swapcontext(&from->context, &to->context);
}

#else

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
/* Words: two registers, begin(), which finds the end of all callers above it. */
enum { SAVED = 4, BEGIN = 2 };
#else
/* Saves on the stack what a called function must keep, swaps stacks, takes it back there. */
void fiber_context_swap(void **from, void *to) __attribute__((visibility("hidden")));
__asm__(".text\n"
        ".hidden fiber_context_swap\n"
        ".globl fiber_context_swap\n"
        ".type fiber_context_swap, %function\n"
        "fiber_context_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size fiber_context_swap, . - fiber_context_swap\n");
enum { SAVED = 20, BEGIN = 11 };
#endif

void fiber_context_make(struct fiber_context *context, char *stack, size_t size,
                        void (*begin)(void))
{
    uintptr_t top = ((uintptr_t)stack + size) & ~(uintptr_t)15;
    void **words = (void **)top - SAVED;
    memset(words, 0, SAVED * sizeof *words);
    words[BEGIN] = (void *)begin;
    context->stack = words;
}

#if !defined(__x86_64__)
void fiber_context_switch(struct fiber_context *from, struct fiber_context *to)
{
    fiber_context_swap(&from->stack, to->stack);
}
#endif

#endif
