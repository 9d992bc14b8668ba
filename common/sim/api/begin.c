/* SPDX-License-Identifier: MIT */
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

#include "model/hosted/card_open.h"
#include "model/hosted/card_varied.h"
#include "sim/api/stream.h"
#include "sim/api/watch.h"
#include "sim/call_log.h"
#include "sim/crash/crash.h"
#include "sim/host/note.h"
#include "sim/host/scheduler.h"
#include "sim/kernel/effect.h"
#include "sim/poll/poll.h"
#include "sim/memory/pool.h"
#include "sim/memory/residency.h"
#include "sim/race/access.h"
#include "sim/race/seen/access_seen.h"
#include "sim/race/instrumented.h"
#include "sim/sealed_code.h"

static const struct card *choose_card(void)
{
    char trouble[CARD_TROUBLE];
    const struct card *card = card_open(getenv("SIM_PROFILE"), trouble);
    if (!card)
        sim_trouble("SIM_PROFILE: %s", trouble);
    static struct card other;
    unsigned mib = environment_number("SIM_MEMORY_MIB", (unsigned)card->memory_mib),
             slower = environment_number("SIM_SLOWER", 1000);
    other = slower > 0                           ? card_slowed(card, slower)
            : environment_number("SIM_WIDER", 1) ? card_widened(card)
                                                 : *card;
    other.memory_mib = mib > 0 ? mib : card->memory_mib;
    return &other;
}

__attribute__((constructor(101))) static void begin(int count, char **argv, char **environment)
{
    (void)count;
    if (access_wanted())
        instrumented_become(argv, environment);
    static const struct model_hooks hooks = { .start = effect_start, .end = effect_end,
                                              .part_ends = effect_part_ends,
                                              .part_begins = effect_part_begins };
    sim.card = choose_card();
    const char *loading = getenv("CUDA_MODULE_LOADING");
    sim.eager_loading = loading && strcmp(loading, "EAGER") == 0;
    sim.launch_blocking = environment_number("CUDA_LAUNCH_BLOCKING", 1) == 1;
    timeline_init(&sim.timeline);
    hb_init(&sim.order);
    model_init(&sim.model, sim.card, 0, &sim.timeline, &sim.order, &hooks);
    call_log_begin();
    access_begin();
    access_polled = poll_seen;
    access_trespassed = guard_leave;
    crash_begin();
    residency_begin(note);
    scheduler_begins(scheduler_first());
    unsigned queues = environment_number("CUDA_DEVICE_MAX_CONNECTIONS", CARD_QUEUES);
    if (queues > 0)
        note(&(struct call){ .kind = CALL_QUEUES,
                             .name = call_string("CUDA_DEVICE_MAX_CONNECTIONS"),
                             .cost = queues });
    streams_begin();
    pools_begin(access_clear);
    if (!call_log_is_authenticated())
        watch_begin();
    if (call_log_is_guarded())
        seal_code();
}
