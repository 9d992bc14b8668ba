/* SPDX-License-Identifier: MIT */
#include "sim/fiber/fiber_context.h"

#include <stdint.h>

#ifdef FIBER_UCONTEXT
#include <ucontext.h>

enum { ALIGNMENT = 64 };

void fiber_context_make(struct fiber_context *context, char *stack, size_t size,
                        void (*begin)(void))
{
    /* At the end that is reached last. */
    const size_t below = sizeof(ucontext_t) + -(uintptr_t)stack % ALIGNMENT;
    ucontext_t *first = (void *)(stack + below - sizeof *first);
    getcontext(first);
    first->uc_stack.ss_sp = stack + below;
    first->uc_stack.ss_size = size - below;
    first->uc_link = NULL;
    makecontext(first, begin, 0);
    context->stack = first;
}

void fiber_context_switch(struct fiber_context *from, const struct fiber_context *to)
{
    ucontext_t here;
    from->stack = &here;
    swapcontext(&here, to->stack);
}

int fiber_context_pass(struct fiber_context *from, const struct fiber_context *to)
{
    fiber_context_switch(from, to);
    return 0;
}

#else

#include <string.h>

#if defined(__x86_64__)
/* Words: two registers, begin(), which finds the end of all callers above it. */
enum { SAVED = 4, BEGIN = 2 };

/* Below what is as fiber_context_switch leaves it lie the other registers that a called function
 * must keep. */
__asm__(".text\n"
        ".hidden fiber_context_pass\n"
        ".globl fiber_context_pass\n"
        ".type fiber_context_pass, %function\n"
        "fiber_context_pass:\n"
        "    pushq %r15\n"
        "    pushq %r14\n"
        "    pushq %r13\n"
        "    pushq %r12\n"
        "    leaq 1f(%rip), %rax\n"
        "    pushq %rax\n"
        "    pushq %rbx\n"
        "    pushq %rbp\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %rbp\n"
        "    popq %rbx\n"
        "    popq %rax\n"
        "    jmpq *%rax\n"
        "1:  popq %r12\n"
        "    popq %r13\n"
        "    popq %r14\n"
        "    popq %r15\n"
        "    xorl %eax, %eax\n"
        "    popq %rcx\n"
        "    jmpq *%rcx\n"
        ".size fiber_context_pass, . - fiber_context_pass\n");
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
void fiber_context_switch(struct fiber_context *from, const struct fiber_context *to)
{
    fiber_context_swap(&from->stack, to->stack);
}

int fiber_context_pass(struct fiber_context *from, const struct fiber_context *to)
{
    fiber_context_swap(&from->stack, to->stack);
    return 0;
}
#endif

#endif
