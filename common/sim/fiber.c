/* SPDX-License-Identifier: MIT */
#include "fiber.h"

#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "crash.h"
#include "sim.h"

/* Address space alone, until a kernel uses it; the guard is larger than most arrays that could leap over it. */
enum { STACK = 2 << 20, GUARD = 16 << 20 };

struct fiber {
    ucontext_t own, caller;
    void (*run)(void *argument);
    void *argument;
    struct guard *guard;        /* of what it was doing when it stopped */
    bool ended;
    char *stack;
    struct fiber *next;         /* of those that can be used again */
};

static struct fiber *current, *spare;

static void begin(void)
{
    current->run(current->argument);
    current->ended = true;
}

/* The struct lies at the upper end of its own stack's mapping. */
static struct fiber *fiber_new(void)
{
    if (spare) {
        struct fiber *fiber = spare;
        spare = fiber->next;
        return fiber;
    }
    char *stack = mmap(NULL, GUARD + STACK + sizeof(struct fiber), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED ||
        mprotect(stack + GUARD, STACK + sizeof(struct fiber), PROT_READ | PROT_WRITE) != 0)
        sim_trouble("no memory for another kernel's stack");
    struct fiber *fiber = (struct fiber *)(stack + GUARD + STACK);
    fiber->stack = stack + GUARD;
    return fiber;
}

static struct fiber *go_on(struct fiber *fiber)
{
    current = fiber;
    struct guard *outer = guard_exchange(fiber->guard);
    swapcontext(&fiber->caller, &fiber->own);
    fiber->guard = guard_exchange(outer);
    current = NULL;
    if (!fiber->ended)
        return fiber;
    fiber->next = spare;
    spare = fiber;
    return NULL;
}

static void prepare(struct fiber *fiber)
{
    getcontext(&fiber->own);
    fiber->own.uc_stack.ss_sp = fiber->stack;
    fiber->own.uc_stack.ss_size = STACK;
    fiber->own.uc_link = &fiber->caller;
    makecontext(&fiber->own, begin, 0);
}

struct fiber *fiber_start(void (*run)(void *argument), void *argument)
{
    struct fiber *fiber = fiber_new();
    fiber->run = run;
    fiber->argument = argument;
    fiber->guard = NULL;
    fiber->ended = false;
    prepare(fiber);
    return go_on(fiber);
}

struct fiber *fiber_resume(struct fiber *fiber)
{
    return go_on(fiber);
}

struct fiber *fiber_current(void)
{
    return current;
}

void fiber_stop(void)
{
    swapcontext(&current->own, &current->caller);
}
