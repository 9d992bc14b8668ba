/* SPDX-License-Identifier: MIT */
/* Threads of the program (std::thread too): made, ended, joined. The C library's
 * names, defined here, win over its own. */
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>

#include "access.h"
#include "baton.h"
#include "call_log.h"
#include "crash.h"
#include "host_clock.h"
#include "note.h"
#include "real.h"

struct start {
    void *(*function)(void *argument);
    void *argument;
    struct turn *turn;
};

static pthread_key_t last_breath;

/* Runs after the destructors of a thread's own objects, which may use the runtime still. */
static void ends(void *argument)
{
    struct turn *turn = argument;
    if (++turn->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(last_breath, turn);
        return;
    }
    note(&(struct call){ .kind = CALL_THREAD_END });
    access_thread_ends();
    baton_end(turn);
}

static void *run_thread(void *argument)
{
    struct start start = *(struct start *)argument;
    free(argument);
    baton_begins(start.turn);
    baton_take(start.turn);
    pthread_setspecific(last_breath, start.turn);
    access_stack_begins();
    return start.function(start.argument);
}

static bool wants_detached(const pthread_attr_t *attributes)
{
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes)
        pthread_attr_getdetachstate(attributes, &state);
    return state == PTHREAD_CREATE_DETACHED;
}

/* The C library takes a thread's own variables from its stack, and shared memory is among them (rewrite.h). */
static size_t own_variables(void)
{
    const ElfW(Phdr) *header = (const ElfW(Phdr) *)getauxval(AT_PHDR);
    for (unsigned long left = getauxval(AT_PHNUM); left > 0; left--, header++)
        if (header->p_type == PT_TLS)
            return header->p_memsz;
    return 0;
}

/* What was asked for, with room for those; a stack that is the program's own cannot grow. */
static const pthread_attr_t *with_room(const pthread_attr_t *attributes, pthread_attr_t *larger)
{
    void *stack;
    size_t size;
    if (!attributes || pthread_attr_getstack(attributes, &stack, &size) != 0 || (uintptr_t)stack + size != 0 || size == 0)
        return attributes;      /* size 0: the default, which is large enough */
    const size_t page = 4096;
    *larger = *attributes;
    pthread_attr_setstacksize(larger, (size + own_variables() + page - 1) / page * page);
    return larger;
}

static int make_thread(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument,
                       bool functions)
{
    pthread_attr_t larger;
    struct start *start = malloc(sizeof *start);
    if (!start)
        return EAGAIN;
    sim_lock();
    struct turn *turn = baton_new(functions);
    *start = (struct start){ function, argument, turn };
    turn->detached = wants_detached(attributes);
    int status = real()->pthread_create(&turn->handle, with_room(attributes, &larger), run_thread, start);
    if (status != 0) {
        note_for(&(struct call){ .kind = CALL_THREAD_END, .thread = turn->number });
        baton_forget(turn);
        free(start);
    } else {
        *thread = turn->handle;
    }
    sim_unlock();
    return status;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    return make_thread(thread, attributes, function, argument, false);
}

struct turn *host_thread_for_functions(void *(*function)(void *), void *argument)
{
    pthread_t thread;
    if (make_thread(&thread, NULL, function, argument, true) != 0)
        sim_trouble("no thread for host functions");
    return baton_all();
}

/* ---- joining ---- */

static struct turn *find_turn(pthread_t thread)
{
    for (struct turn *t = baton_all(); t; t = t->next)
        if (t->handle == thread && !t->detached)
            return t;
    return NULL;
}

static int join(pthread_t thread, void **result, int64_t deadline)
{
    struct turn *turn = find_turn(thread);
    if (!turn || turn == baton_self())
        return real()->pthread_join(thread, result);
    bool in_time = true, had_ended = turn->state == TURN_ENDED;
    while (turn->state != TURN_ENDED && in_time)
        in_time = baton_block(turn, "the end of a thread", 0, deadline);
    baton_leave_queue();
    if (turn->state != TURN_ENDED)
        return ETIMEDOUT;
    if (had_ended)              /* nobody wakes whoever need not wait: what the other knew is known now all the same */
        note(&(struct call){ .kind = CALL_THREAD_WAKE, .name = call_string("the end of a thread"), .src = turn->number });
    access_thread_joined(turn->number);
    int status = real()->pthread_join(thread, result);
    baton_forget(turn);
    return status;
}

int pthread_join(pthread_t thread, void **result)
{
    return join(thread, result, TIME_NEVER);
}

int pthread_tryjoin_np(pthread_t thread, void **result)
{
    const struct turn *turn = find_turn(thread);
    if (turn && turn->state != TURN_ENDED) {
        baton_yield("pthread_tryjoin_np");
        if (turn->state != TURN_ENDED)
            return EBUSY;
    }
    return join(thread, result, TIME_NEVER);
}

int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock, const struct timespec *deadline)
{
    return join(thread, result, host_clock_deadline(clock, deadline));
}

int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *deadline)
{
    return pthread_clockjoin_np(thread, result, CLOCK_REALTIME, deadline);
}

int pthread_detach(pthread_t thread)
{
    struct turn *turn = find_turn(thread);
    int status = real()->pthread_detach(thread);
    if (!turn || status != 0)
        return status;
    turn->detached = true;
    if (turn->state == TURN_ENDED)
        baton_forget(turn);
    return status;
}

__attribute__((constructor(102))) static void begin_main(void)
{
    pthread_key_create(&last_breath, ends);
    pthread_setspecific(last_breath, baton_self());
}
