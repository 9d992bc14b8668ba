/* SPDX-License-Identifier: MIT */
#include "sim.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "crash.h"
#include "effect.h"
#include "entry.h"
#include "witness.h"

struct sim sim;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static uint32_t threads;
static __thread struct thread self;

void sim_lock(void)
{
    pthread_mutex_lock(&lock);
}

void sim_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

struct thread *thread_self(void)
{
    if (!self.known) {
        sim_lock();
        self = (struct thread){ .number = threads++, .known = true, .per_thread_stream = STREAM_NUMBER_NONE };
        sim_unlock();
        crash_watch_thread();
    }
    return &self;
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

static const struct card *choose_card(void)
{
    const char *name = getenv("SIM_PROFILE");
    const struct card *card = card_find(name && *name ? name : "h200");
    if (card)
        return card;
    char known[256] = "";
    for (size_t i = 0; i < card_count(); i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "", card_at(i)->name);
    }
    sim_trouble("SIM_PROFILE=%s: no such card; there are %s", name ? name : "", known);
}

/* A number from 1 to `most`; 0 for none. */
static unsigned number_in(const char *name, unsigned most)
{
    const char *text = getenv(name);
    if (!text || !*text)
        return 0;
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    return *end != '\0' || value > most ? 0 : (unsigned)value;
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
    sim.launch_blocking = number_in("CUDA_LAUNCH_BLOCKING", 1) == 1;
    timeline_init(&sim.timeline);
    order_init(&sim.order);
    model_init(&sim.model, sim.card, number_in("CUDA_DEVICE_MAX_CONNECTIONS", 32), &sim.timeline, &sim.order,
               &hooks);
    entry_begin();
    access_begin();
    crash_begin();
    thread_self();
    struct call legacy = { .kind = CALL_STREAM_CREATE, .flags = STREAM_LEGACY };
    entry_note(&legacy);
}
