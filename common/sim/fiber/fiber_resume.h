/* SPDX-License-Identifier: MIT */
/*
 * fiber_resume.h - going on with a fiber, as part of the loop that does so (fiber_context.h says
 * why).
 */
#ifndef SIM_FIBER_FIBER_RESUME_H
#define SIM_FIBER_FIBER_RESUME_H

#include <stddef.h>
#include <stdint.h>

#include "sim/fiber/fiber.h"
#include "sim/fiber/fiber_context.h"

enum { FIBER_LINE = 64 };       /* of the cache, bytes */
/* In the last word of the place of the next small stack: the last has none after it, but the guard.
 */
static const uint64_t STACK_END = UINT64_C(0x5ac4e0dde57ac4e0);

struct fiber {
    struct fiber_context context;
    void (*run)(void);
    bool ended;
    bool shared;                /* its stack has a number (fiber_start) */
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
    struct fiber **shared;      /* by their number - 1 */
    unsigned shared_count;
    struct fiber_context caller;        /* of the one that runs */
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

/* Runs it on, and those that others pass on to. Returns the last of them to stop; NULL: it has
 * ended. */
static inline __attribute__((always_inline)) struct fiber *fiber_resume(struct fiber *fiber)
{
    void *fake = NULL;
    fibers_own->current = fiber;
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(&fake, fiber->stack, fiber->size);
    fiber_context_switch(&fibers_own->caller, &fiber->context);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(fake, NULL, NULL);
    fiber = fibers_own->current;
    fibers_own->current = NULL;
    if (!fiber->ended)
        return fiber;
    fiber_drop(fiber);
    return NULL;
}

/* Ends the program where the stack of the one that runs has overflown. */
void fiber_overflown(void);
static inline __attribute__((always_inline)) void fiber_look_for_overflow(const struct fiber *self)
{
    const uint64_t *word_below = (const uint64_t *)(const void *)self->stack - 1;
    if (self->small && !self->is_last && *word_below != STACK_END)
        fiber_overflown();
}

/* The one that runs stops, and another, which has stopped, goes on: one switch for two. Not where
 * the address sanitizer watches. *own is where the first has stopped, *there where the other has:
 * the caller keeps these two for its fibers, and sets fiber->context from them before it resumes
 * one. The caller switches contexts. */
static inline __attribute__((always_inline)) void fiber_passes(struct fiber *to)
{
    struct fibers *fibers = fibers_own;
    if (fibers->slab)
        fiber_look_for_overflow(fibers->current);
    fibers->current = to;
}

/* What has stopped there is resumed soon: its stack is brought nearer. */
static inline void fiber_expect(const struct fiber_context *there)
{
    enum { LINES = 3 };
    for (unsigned i = 0; i < LINES; i++)
        __builtin_prefetch((const char *)there->stack + i * FIBER_LINE, 1);
}

#endif
