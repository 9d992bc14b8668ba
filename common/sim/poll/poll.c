/* SPDX-License-Identifier: MIT */
#include "sim/poll/poll.h"

#include "sim/host/host_function.h"
#include "sim/host/scheduler.h"
#include "sim/kernel/block.h"
#include "sim/host/core.h"
#include "sim/kernel/step.h"
#include "sim/race/seen/access_seen.h"
#include "sim/race/seen/reach.h"

/* Other cores may change it; other threads of the block take their turns between two polls of one
 * thread. */
static uint64_t kernel_polls(const void *pc, uint64_t count)
{
    static __thread struct { uint64_t round; unsigned thread; } last;
    if (last.round != block->round || last.thread != block_thread()) {
        last.round = block->round;
        last.thread = block_thread();
        return 0;
    }
    if (count < POLLS_WITHOUT_HOPE || cores() > 1)
        return count;
    stand_for_ever(pc);
}

bool poll_once(void)
{
    host_function_look(model_now(&sim.model, thread_self()->number), true);
    if (scheduler_is_last())
        return false;
    scheduler_yield("a variable that does not change");
    return true;
}

uint64_t poll_seen(const volatile void *at, const void *pc, uint64_t count)
{
    (void)at;
    if (reach_asked)
        return count % POLLS_UNASKED == 0 ? kernel_polls(pc, count) : count;
    access_polls_vain = false;
    if (sim.in_effect || !scheduler_self())
        return 0;
    if (poll_once())
        return count - 1;
    access_polls_vain = true;
    if (count >= POLLS_WITHOUT_HOPE)
        scheduler_give_up("a variable in memory to change");
    return count;
}
