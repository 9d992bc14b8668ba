/* SPDX-License-Identifier: MIT */
#include "sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access.h"
#include "baton.h"
#include "crash.h"
#include "effect.h"
#include "entry.h"
#include "model/hosted/card_open.h"
#include "pool.h"
#include "real.h"
#include "residency.h"
#include "stream.h"
#include "watch.h"
#include "witness.h"

struct sim sim;

static uint32_t threads;
static __thread struct thread self;
static __thread struct thread *host;    /* of one of the simulator's own threads */

uint32_t thread_number(void)
{
    return threads++;
}

static void become(uint32_t number, struct turn *turn)
{
    self = (struct thread){ .number = number, .known = true, .turn = turn };
    crash_watch_thread();
}

struct thread *thread_self(void)
{
    if (host)
        return host;
    if (!self.known)
        become(thread_number(), NULL);
    return &self;
}

void thread_begins(struct turn *turn)
{
    turn->task = (int)real()->syscall(SYS_gettid);
    become(turn->number, turn);
}

void thread_works_for(struct thread *thread)
{
    host = thread;
}

void sim_lock(void)
{
    if (thread_self()->locks++ == 0)
        residency_host_calls();
}

void sim_unlock(void)
{
    if (--thread_self()->locks == 0)
        baton_pass(false);
}

_Noreturn void sim_trouble(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

unsigned environment_number(const char *name, unsigned most)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return 0;
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    return *end != '\0' || value > most ? 0 : (unsigned)value;
}

static const struct card *choose_card(void)
{
    char trouble[CARD_TROUBLE];
    const struct card *card = card_open(getenv("SIM_PROFILE"), trouble);
    if (!card)
        sim_trouble("SIM_PROFILE: %s", trouble);
    static struct card smaller;
    unsigned mib = environment_number("SIM_MEMORY_MIB", (unsigned)card->memory_mib);
    if (mib == 0)
        return card;
    smaller = *card;
    smaller.memory_mib = mib;
    return &smaller;
}

__attribute__((constructor(101))) static void begin(int count, char **argv, char **environment)
{
    (void)count;
    if (access_wanted())
        witness_become(argv, environment);
    static const struct model_hooks hooks = { effect_start, effect_end, NULL };
    sim.card = choose_card();
    const char *loading = getenv("CUDA_MODULE_LOADING");
    sim.eager_loading = loading && strcmp(loading, "EAGER") == 0;
    sim.launch_blocking = environment_number("CUDA_LAUNCH_BLOCKING", 1) == 1;
    timeline_init(&sim.timeline);
    order_init(&sim.order);
    model_init(&sim.model, sim.card, 0, &sim.timeline, &sim.order, &hooks);
    entry_begin();
    access_begin();
    crash_begin();
    residency_begin();
    thread_begins(baton_first());
    unsigned queues = environment_number("CUDA_DEVICE_MAX_CONNECTIONS", CARD_QUEUES);
    if (queues > 0)
        entry_note(&(struct call){ .kind = CALL_QUEUES, .name = entry_string("CUDA_DEVICE_MAX_CONNECTIONS"), .cost = queues });
    streams_begin();
    pools_begin();
    if (!entry_is_judged())
        watch_begin();
}
