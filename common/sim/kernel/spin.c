/* SPDX-License-Identifier: MIT */
#include "sim/kernel/spin.h"

#include <string.h>

#include "sim/fiber/fiber.h"
#include "sim/kernel/device_clock.h"
#include "trace/record/memory.h"

enum {
    WORDS = 160,                /* of state, at most */
    POLLS = 16, /* fewer are no spin */
    STRETCHES = 16,
    TIMES = 2,
};

/* Polls in a row by one thread, in which it did nothing else. */
struct stretch {
    uintptr_t pc;
    int64_t since;              /* the thread's polling_since */
    uint32_t first, last;       /* its `polls` before the first one and before the last */
    int64_t before[2]; /* what it had taken before the last poll but one, and before the last */
};

struct spins {
    struct stretch now;
    unsigned thread;            /* whose it is */
    bool runs;                  /* is there one? */
    bool jumped; /* polls were left out, and it has to be seen that the next one is made */
    bool follows;               /* the block's threads may leave polls out */
    size_t count;
    uintptr_t words[WORDS];     /* the state at the last poll */
    size_t times[TIMES];        /* which of them were seen to change with the time */
    unsigned next_time;
    bool led;                   /* there is a leader: */
    unsigned leader;
    struct stretch stretches[STRETCHES];
    unsigned stretch_count;
};

/* Of the kernel: threads of the first block have ended where their leader did; it may be used. */
static bool alike, learned;

void spin_kernel(bool leaves_out)
{
    alike = leaves_out;
    learned = false;
}

/* ---- is it the same state but for the time? ---- */

static bool by_time(uint64_t change, uint64_t by)
{
    return change == by || change == -by;
}

static bool half_by_time(uint32_t change, uint32_t by)
{
    return change == 0 || change == by || change == -by;
}

static bool changed_by_time(uintptr_t word, uintptr_t was, uint64_t ns, uint64_t cycles)
{
    uint64_t change = word - was;
    if (by_time(change, ns) || by_time(change, cycles))
        return true;
    uint32_t low = (uint32_t)change, high = (uint32_t)(word >> 32) - (uint32_t)(was >> 32);
    return (half_by_time(low, (uint32_t)ns) && half_by_time(high, (uint32_t)ns))
           || (half_by_time(low, (uint32_t)cycles) && half_by_time(high, (uint32_t)cycles));
}

/* How much later it is than at the last poll. */
struct later {
    uint64_t ns, cycles;
};

static bool is_same_word(struct spins *spins, const uintptr_t *state, size_t i,
                         const struct later *by)
{
    if (state[i] == spins->words[i])
        return true;
    if (!changed_by_time(state[i], spins->words[i], by->ns, by->cycles))
        return false;
    spins->words[i] = state[i];
    return true;
}

/* Where something is not as it was. Most that spin have the time in the same one or two places from
 * poll to poll: with those set right, all others are as they were, or are looked at one by one. */
static __attribute__((noinline)) bool changed_by_time_alone(struct spins *spins,
                                                            const struct device_thread *s,
                                                            int64_t began, const uintptr_t *state)
{
    const int64_t before = spins->now.before[1];
    const struct later by = { (uint64_t)(s->elapsed - before),
                              (uint64_t)(cycles_of(began + s->elapsed)
                                         - cycles_of(began + before)) };
    for (unsigned k = 0; k < TIMES; k++)
        if (spins->times[k] < spins->count && !is_same_word(spins, state, spins->times[k], &by))
            return false;
    if (memcmp(spins->words, state, spins->count * sizeof *state) == 0)
        return true;
    for (size_t i = 0; i < spins->count; i++) {
        if (state[i] == spins->words[i])
            continue;
        if (!is_same_word(spins, state, i, &by))
            return false;
        spins->times[spins->next_time++ % TIMES] = i;
    }
    return true;
}

static inline bool same_state(struct spins *spins, const struct device_thread *s, int64_t began,
                              const uintptr_t *state)
{
    return memcmp(spins->words, state, spins->count * sizeof *state) == 0
           || changed_by_time_alone(spins, s, began, state);
}

/* ---- stretches ---- */

static uint32_t polls_of(const struct stretch *stretch)
{
    return stretch->last - stretch->first;
}

static const struct stretch *find_stretch(const struct spins *spins, const struct stretch *like)
{
    for (unsigned i = 0; i < spins->stretch_count; i++) {
        const struct stretch *p = &spins->stretches[i];
        if (p->pc == like->pc && p->since == like->since && p->first <= like->last
            && like->last <= p->last)
            return p;
    }
    return NULL;
}

/* The thread does something else, has stopped or has ended. */
static void close_stretch(struct spins *spins)
{
    struct stretch *now = &spins->now;
    if (!spins->runs)
        return;
    spins->runs = false;
    spins->follows &= !spins->jumped;
    if (polls_of(now) < POLLS)
        return;
    if (!spins->led) {
        spins->led = true;
        spins->leader = spins->thread;
    }
    if (spins->thread == spins->leader) {
        if (spins->stretch_count < STRETCHES)
            spins->stretches[spins->stretch_count++] = *now;
    } else if (block->number == 0) {
        const struct stretch *found = find_stretch(spins, now);
        alike &= found && found->last == now->last && found->before[1] == now->before[1];
    }
}

static void begin_stretch(struct spins *spins, const struct device_thread *s, unsigned number,
                          const uintptr_t *state, size_t count)
{
    spins->runs = count <= WORDS;
    if (!spins->runs)
        return;
    spins->jumped = false;
    spins->thread = number;
    spins->count = count;
    memcpy(spins->words, state, count * sizeof *state);
    spins->now = (struct stretch){
        state[SPIN_SAVED + 1], s->polling_since, s->polls, s->polls, { s->elapsed, s->elapsed }
    };
}

static __attribute__((noinline)) void begin_anew(struct spins *spins, const struct device_thread *s,
                                                 unsigned number, const uintptr_t *state,
                                                 size_t count)
{
    close_stretch(spins);
    begin_stretch(spins, s, number, state, count);
}

static __attribute__((noinline)) void leave_out(struct spins *spins, struct device_thread *s)
{
    const struct stretch *found = find_stretch(spins, &spins->now);
    if (!found || s->polls + 1 >= found->last)
        return;
    s->polls = spins->now.last = found->last - 1;
    s->elapsed = found->before[0];
    spins->jumped = true;
}

void spin_poll_late(struct device_thread *s, unsigned number, int64_t began, const uintptr_t *state)
{
    struct spins *spins = block->spins;
    const bool stopped = s->stopped;
    s->stopped = false;
    if (!alike)
        return;
    const size_t count = (size_t)((const uintptr_t *)fiber_end() - state);
    /* Where polls were left out, the next one was seen to be as those before; that it is made is
     * enough. */
    if (stopped || !spins->runs || spins->thread != number || spins->count != count
        || s->polls != spins->now.last + 1 || spins->now.since != s->polling_since
        || !(spins->jumped ? state[SPIN_SAVED + 1] == spins->now.pc
                           : same_state(spins, s, began, state))) {
        begin_anew(spins, s, number, state, count);
        return;
    }
    spins->now.last = s->polls;
    spins->now.before[0] = spins->now.before[1];
    spins->now.before[1] = s->elapsed;
    spins->jumped = false;
    if (spins->follows && s->polls == spins->now.first + 1)
        leave_out(spins, s);
}

/* ---- blocks ---- */

void spin_block_begins(void)
{
    if (!block->spins) {
        block->spins = memory_resize(NULL, sizeof *block->spins);
        memory_zero(block->spins, sizeof *block->spins);
    }
    block->spins->runs = block->spins->led = false;
    block->spins->stretch_count = 0;
    block->spins->follows = learned;
}

void spin_block_ends(void)
{
    close_stretch(block->spins);
    if (block->number == 0)
        learned = alike;
}
