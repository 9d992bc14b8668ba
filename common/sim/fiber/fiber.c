/* SPDX-License-Identifier: MIT */
#include "sim/fiber/fiber.h"

#include <stddef.h>
#include <sys/mman.h>

#include "sim/fiber/fiber_resume.h"
#include "sim/sim.h"
#include "trace/record/memory.h"

#if __has_include(<valgrind/valgrind.h>)
#include <valgrind/valgrind.h>
#else
#define VALGRIND_STACK_REGISTER(from, to) (void)0
#endif

/* Address space alone, until a kernel uses it; the guard is larger than most arrays that could leap
 * over it (a card's thread has 512 KiB at most). With a guard of 16 MiB each stack has page tables
 * of its own, and a barrier of 1,024 threads takes half as long again. */
enum { STACK = 2 << 20, GUARD = 4 << 20, WHOLE = GUARD + STACK + 4096, COLOURS = 32, PAGES = 16 };
/* A stack counts in full against a sandbox's memory limit, and a large one takes two of the 65,530
 * mappings that Linux allows a process. A block has at most 1,024 threads, and its stacks are
 * large. Cooperative grids and kernels that begin before others end need more stacks: those are
 * small, and many share a mapping. Most need a page of their stack or two: the word that shows that
 * one has overflown lies on the next one's first page, and each begins a page further than its
 * neighbour, in the cache and for the processor's table of pages. */
enum { LARGE_MOST = 1024, SMALL = (64 << 10) + 4096, SLAB = 256, SMALL_COLOURS = 16 };

static struct fibers host_fibers;
__thread struct fibers *fibers_own = &host_fibers;

void fibers_apart(void)
{
    fibers_own = memory_resize(NULL, sizeof *fibers_own);
    *fibers_own = (struct fibers){ 0 };
}

/* ---- address sanitizer and valgrind, which want to know what stacks there are ---- */

__attribute__((weak)) void __asan_unpoison_memory_region(const volatile void *at, size_t size);

bool fibers_are_watched(void)
{
    return __sanitizer_start_switch_fiber;
}

bool fibers_can_move(void)
{
    return FIBER_STACK_IS_ALL && !fibers_are_watched();
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
        __sanitizer_start_switch_fiber(ends ? NULL : &fake, fiber->caller_stack,
                                       fiber->caller_size);
    fiber_context_switch(&fiber->context, &fibers_own->caller);
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
static void unpoison_stack(const struct fiber *fiber)
{
    if (__asan_unpoison_memory_region)
        __asan_unpoison_memory_region(fiber->stack, fiber->size);
}

/* ---- fibers ---- */

static void run_fiber(void)
{
    struct fiber *self = fibers_own->current;
    arrived_at_fiber(self, NULL);
    self->run();
    self->ended = true;
    switch_to_caller(self, true);
}

static uintptr_t reserve_stacks(size_t bytes)
{
    static uintptr_t next = STACKS_LOW;
    uintptr_t at = __atomic_fetch_add(&next, bytes, __ATOMIC_RELAXED);
    return at <= STACKS_LOW + STACKS_SPAN - bytes ? at : 0;
}

void (*fibers_user)(char *text, size_t size);

static _Noreturn void no_stack(void)
{
    char user[200] = "";
    if (fibers_user)
        fibers_user(user, sizeof user);
    sim_trouble(
        "no room for another stack: too many threads of kernels wait at once%s. Does a launch have more blocks than it needs?",
        user);
}

static struct fiber *fiber_within(char *stack, size_t size)
{
    struct fiber *fiber = (struct fiber *)(stack + size);
    fiber->stack = stack;
    fiber->size = size;
    fiber->small = fiber->shared = false;
    VALGRIND_STACK_REGISTER(fiber->stack, fiber->stack + size);
    return fiber;
}

static struct fiber *small_fiber(size_t colour)
{
    const size_t bytes = (size_t)SLAB * SMALL;
    if (fibers_own->slab_left == 0) {
        uintptr_t at = reserve_stacks(GUARD + bytes);
        fibers_own->slab =
            at == 0
                ? MAP_FAILED
                : mmap((void *)(at + GUARD), bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (fibers_own->slab == MAP_FAILED)
            no_stack();
        fibers_own->slab_left = SLAB;
    }
    char *stack = fibers_own->slab + (size_t)--fibers_own->slab_left * SMALL;
    struct fiber *fiber =
        fiber_within(stack, (SMALL - sizeof *fiber) / FIBER_LINE * FIBER_LINE - FIBER_LINE
                                - colour % (SMALL_COLOURS * 2 * FIBER_LINE));
    fiber->small = true;
    if (fibers_own->slab_left > 0)
        ((uint64_t *)(void *)fiber->stack)[-1] = STACK_END;
    fiber->is_last = fibers_own->slab_left == 0;
    return fiber;
}

/* The struct lies above its stack. The threads of a block touch the same places of theirs: stacks
 * begin at different lines of the cache, a page further from one to the next, and PAGES later two
 * lines further. */
static struct fiber *fiber_new(void)
{
    bool is_large = fibers_own->spare || fibers_own->made < LARGE_MOST;
    struct fiber **spare = is_large ? &fibers_own->spare : &fibers_own->spare_small;
    if (*spare) {
        struct fiber *fiber = *spare;
        *spare = fiber->next;
        return fiber;
    }
    size_t colour = (size_t)(fibers_own->made++ / PAGES % COLOURS) * 2 * FIBER_LINE;
    if (!is_large)
        return small_fiber(colour);
    uintptr_t at = reserve_stacks(WHOLE);
    char *stack = at == 0 ? MAP_FAILED
                : mmap((void *)(at + GUARD), STACK + sizeof(struct fiber), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (stack == MAP_FAILED)
        no_stack();
    return fiber_within(stack, STACK - colour);
}

static struct fiber *shared_fiber(unsigned number)
{
    for (; fibers_own->shared_count < number; fibers_own->shared_count++) {
        const unsigned count = fibers_own->shared_count;
        struct fiber **all = fibers_own->shared =
            memory_resize(fibers_own->shared, (count + 1) * sizeof *all);
        all[count] = fiber_new();
        all[count]->shared = true;
    }
    return fibers_own->shared[number - 1];
}

void fibers_unshare(void)
{
    while (fibers_own->shared_count > 0) {
        struct fiber *fiber = fibers_own->shared[--fibers_own->shared_count];
        fiber->shared = false;
        fiber_drop(fiber);
    }
}

struct fiber *fiber_start(void (*run)(void), unsigned number)
{
    struct fiber *fiber = number > 0 ? shared_fiber(number) : fiber_new();
    fiber->run = run;
    fiber->ended = false;
    fiber_context_make(&fiber->context, fiber->stack, fiber->size, run_fiber);
    return fiber_resume(fiber);
}

struct fiber *fiber_current(void)
{
    return fibers_own->current;
}

const void *fiber_end(void)
{
    return fibers_own->current->stack + fibers_own->current->size;
}

void fiber_overflown(void)
{
    sim_trouble(
        "a thread of kernels with this many threads at once has more than 64 KiB of variables and calls");
}

void fiber_stop(void)
{
    struct fiber *self = fibers_own->current;
    fiber_look_for_overflow(self);
    switch_to_caller(self, false);
}

void fiber_drop(struct fiber *fiber)
{
    if (!fiber)
        return;
    if (fiber == fibers_own->current) {
        jumped_to_caller(fiber);
        fibers_own->current = NULL;
    }
    unpoison_stack(fiber);
    if (fiber->shared)
        return;
    struct fiber **spare = fiber->small ? &fibers_own->spare_small : &fibers_own->spare;
    fiber->next = *spare;
    *spare = fiber;
}
