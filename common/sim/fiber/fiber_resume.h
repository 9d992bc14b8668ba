/* SPDX-License-Identifier: MIT */
/*
 * fiber_resume.h - going on with a fiber, as part of the loop that does so (fiber_context.h says
 * why).
 */
#ifndef SIM_FIBER_FIBER_RESUME_H
#define SIM_FIBER_FIBER_RESUME_H

#include <stddef.h>

#include "sim/fiber/fiber.h"
#include "sim/fiber/fiber_context.h"

enum { FIBER_LINE = 64 };       /* of the cache, bytes */

struct fiber {
    struct fiber_context context, caller;
    void (*run)(void *argument);
    void *argument;
    bool ended;
    bool small, is_last; /* its stack has no guard, but a word after its end that has to stay; or it
                            has one, as the last of its mapping */
    char *stack;
    size_t size;
    const void *caller_stack;   /* that of whoever runs it, for the address sanitizer */
    size_t caller_size;
    struct fiber *next;         /* of those that can be used again */
};

struct fibers {
    struct fiber *current, *spare, *spare_small;
    unsigned made;
    char *slab;                 /* for small stacks, that many: */
    unsigned slab_left;
};
/* The calling thread's. */
extern __thread struct fibers *fibers_own;

/* There in programs that simcc made with -fsanitize=address. */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake, const void *stack,
                                                          size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake, const void **stack,
                                                           size_t *size);

/* Runs it on. NULL: it has ended. */
static inline __attribute__((always_inline)) struct fiber *fiber_resume(struct fiber *fiber)
{
    void *fake = NULL;
    fibers_own->current = fiber;
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(&fake, fiber->stack, fiber->size);
    fiber_context_switch(&fiber->caller, &fiber->context);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(fake, NULL, NULL);
    fibers_own->current = NULL;
    if (!fiber->ended)
        return fiber;
    fiber_drop(fiber);
    return NULL;
}

/* Of those that are resumed soon: `next` before `later`. Their stacks are brought nearer. NULL is
 * fine. */
static inline void fiber_expect(const struct fiber *next, const struct fiber *later)
{
    enum { LINES = 4 };
    if (later)
        __builtin_prefetch(later, 1);
#ifndef FIBER_UCONTEXT
    for (unsigned i = 0; next && i < LINES; i++)
        __builtin_prefetch((const char *)next->context.stack + i * FIBER_LINE, 1);
#endif
}

#endif
