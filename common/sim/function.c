/* SPDX-License-Identifier: MIT */
#include "function.h"

#include "entry.h"
#include "fiber.h"

static struct effect *running;
static int64_t length;          /* of the running function; COST_UNKNOWN: it has not said */

static void call(void *argument)
{
    struct effect *effect = argument;
    if (effect->callback)
        effect->callback(effect->stream, sim.sticky, effect->data);
    else
        effect->function(effect->data);
}

static void begin_or_go_on(struct effect *effect)
{
    running = effect;
    effect->fiber = effect->fiber ? fiber_resume(effect->fiber) : fiber_start(call, effect);
    running = NULL;
}

int64_t function_start(struct effect *effect, uint32_t node)
{
    length = COST_UNKNOWN;
    begin_or_go_on(effect);
    if (length == COST_UNKNOWN)
        return COST_UNKNOWN;
    struct call cost = { .kind = CALL_COST, .node = node, .cost = length };
    entry_note(&cost);
    return length;
}

void function_end(struct effect *effect, uint32_t node)
{
    (void)node;
    if (!effect->fiber)
        return;
    length = 0;
    begin_or_go_on(effect);
}

bool function_works(int64_t ns)
{
    if (!running)
        return false;
    if (length == COST_UNKNOWN) {
        length = ns;
        fiber_stop();
    }
    return true;
}

