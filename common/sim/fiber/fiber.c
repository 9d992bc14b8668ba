/* SPDX-License-Identifier: MIT */
#include "sim/fiber/fiber.h"

#include <stddef.h>
#include <sys/mman.h>

#include "sim/fiber/fiber_context.h"
#include "sim/sim.h"
#include "trace/record/memory.h"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(from, to) (void)0
#endif

/* Address space alone, until a kernel uses it; the guard is larger than most arrays that could leap over it. */
enum { STACK = 2 << 20, GUARD = 16 << 20, WHOLE = GUARD + STACK + 4096, LINE = 64, COLOURS = 32 };

struct fiber {
    struct fiber_context own, caller;
    void (*run)(void *argument);
    void *argument;
    bool ended;
    char *stack;
    size_t size;
    const void *caller_stack;   /* that of whoever runs it, for the address sanitizer */
    size_t caller_size;
    struct fiber *next;         /* of those that can be used again */
};

static struct fibers {
    struct fiber *current, *spare;
    unsigned made;
} host_fibers;
static __thread struct fibers *own = &host_fibers;

void fibers_apart(void)
{
    own = memory_resize(NULL, sizeof *own);
    *own = (struct fibers){ NULL, NULL, 0 };
}

/* ---- address sanitizer and valgrind, which want to know what stacks there are ---- */

/* There in programs that simcc made with -fsanitize=address. */
__attribute__((weak)) void __sanitizer_start_switch_fiber(void **fake, const void *stack, size_t size);
__attribute__((weak)) void __sanitizer_finish_switch_fiber(void *fake, const void **stack, size_t *size);
__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *at, size_t size);

bool fibers_are_watched(void)
{
    return __sanitizer_start_switch_fiber;
}

static void switch_to_fiber(struct fiber *fiber)
{
    void *fake = NULL;
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(&fake, fiber->stack, fiber->size);
    fiber_context_switch(&fiber->caller, &fiber->own);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(fake, NULL, NULL);
}

static void arrived_at_fiber(struct fiber *fiber, void *fake)
{
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(fake, &fiber->caller_stack, &fiber->caller_size);
}

/* `ends`: it will not be back. */
static void switch_to_caller(struct fiber *fiber, bool ends)
{
    void *fake = NULL;
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(ends ? NULL : &fake, fiber->caller_stack, fiber->caller_size);
    fiber_context_switch(&fiber->own, &fiber->caller);
    arrived_at_fiber(fiber, fake);
}

/* A jump led from there to the caller: that is told afterwards. */
static void jumped_to_caller(struct fiber *fiber)
{
    if (__sanitizer_start_switch_fiber)
        __sanitizer_start_switch_fiber(NULL, fiber->caller_stack, fiber->caller_size);
    if (__sanitizer_finish_switch_fiber)
        __sanitizer_finish_switch_fiber(NULL, NULL, NULL);
}

/* Arrays that nobody left normally are marked around as forbidden; the stack is for others now. */
static void forget_arrays(const struct fiber *fiber)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(fiber->stack, fiber->size);
}

/* ---- fibers ---- */

static void run_fiber(void)
{
    struct fiber *self = own->current;
    arrived_at_fiber(self, NULL);
    self->run(self->argument);
    self->ended = true;
    switch_to_caller(self, true);
}

/* The struct lies at the upper end of its own stack's mapping. Stacks begin at
 * different lines of the cache: the threads of a block touch the same places of theirs. */
static struct fiber *fiber_new(void)
{
    if (own->spare) {
        struct fiber *fiber = own->spare;
        own->spare = fiber->next;
        return fiber;
    }
    static uintptr_t next = STACKS_LOW;
    uintptr_t at = __atomic_fetch_add(&next, WHOLE, __ATOMIC_RELAXED);
    char *stack = at > STACKS_LOW + STACKS_SPAN - WHOLE ? MAP_FAILED
                : mmap((void *)at, GUARD + STACK + sizeof(struct fiber), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (stack == MAP_FAILED ||
        mprotect(stack + GUARD, STACK + sizeof(struct fiber), PROT_READ | PROT_WRITE) != 0)
        sim_trouble("no memory for another kernel's stack");
    struct fiber *fiber = (struct fiber *)(stack + GUARD + STACK);
    fiber->stack = stack + GUARD;
    VALGRIND_STACK_REGISTER(fiber->stack, fiber->stack + STACK);
    fiber->size = STACK - (size_t)(own->made++ % COLOURS) * 2 * LINE;
    return fiber;
}

static struct fiber *go_on(struct fiber *fiber)
{
    own->current = fiber;
    switch_to_fiber(fiber);
    own->current = NULL;
    if (!fiber->ended)
        return fiber;
    fiber_drop(fiber);
    return NULL;
}

struct fiber *fiber_start(void (*run)(void *argument), void *argument)
{
    struct fiber *fiber = fiber_new();
    fiber->run = run;
    fiber->argument = argument;
    fiber->ended = false;
    fiber_context_make(&fiber->own, fiber->stack, fiber->size, run_fiber);
    return go_on(fiber);
}

struct fiber *fiber_resume(struct fiber *fiber)
{
    return go_on(fiber);
}

struct fiber *fiber_current(void)
{
    return own->current;
}

const void *fiber_end(void)
{
    return own->current->stack + own->current->size;
}

void fiber_stop(void)
{
    switch_to_caller(own->current, false);
}

void fiber_drop(struct fiber *fiber)
{
    if (!fiber)
        return;
    if (fiber == own->current) {
        jumped_to_caller(fiber);
        own->current = NULL;
    }
    forget_arrays(fiber);
    fiber->next = own->spare;
    own->spare = fiber;
}
