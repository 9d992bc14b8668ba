/* SPDX-License-Identifier: MIT */
#include "fiber.h"

#include <stddef.h>
#include <sys/mman.h>

#include "fiber_place.h"
#include "sim.h"

/* Address space alone, until a kernel uses it; the guard is larger than most arrays that could leap over it. */
enum { STACK = 2 << 20, GUARD = 16 << 20, LINE = 64, COLOURS = 32 };

struct fiber {
    struct place own, caller;
    void (*run)(void *argument);
    void *argument;
    bool ended;
    char *stack;
    size_t size;
    struct fiber *next;         /* of those that can be used again */
};

static struct fiber *current, *spare;

static void begin(void)
{
    current->run(current->argument);
    current->ended = true;
    place_switch(&current->own, &current->caller);
}

/* The struct lies at the upper end of its own stack's mapping. Stacks begin at
 * different lines of the cache: the threads of a block touch the same places of theirs. */
static struct fiber *fiber_new(void)
{
    static unsigned made;
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
    fiber->size = STACK - (size_t)(made++ % COLOURS) * 2 * LINE;
    return fiber;
}

static struct fiber *go_on(struct fiber *fiber)
{
    current = fiber;
    place_switch(&fiber->caller, &fiber->own);
    current = NULL;
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
    place_make(&fiber->own, fiber->stack, fiber->size, begin);
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
    place_switch(&current->own, &current->caller);
}

void fiber_drop(struct fiber *fiber)
{
    if (!fiber)
        return;
    if (fiber == current)
        current = NULL;
    fiber->next = spare;
    spare = fiber;
}
