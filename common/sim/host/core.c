/* SPDX-License-Identifier: MIT */
#include "sim/host/core.h"

#include <linux/futex.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/real.h"
#include "sim/sim.h"

static struct {
    pid_t process;              /* that made them: another has none */
    struct thread *host;        /* whom they work for */
    void (*run)(unsigned number), (*begin)(void);
    int round;                  /* a futex: one more each time that there is something to do */
    int busy;                   /* a futex: threads that have not done it */
} pool;

unsigned cores(void)
{
    static unsigned count;
    if (count == 0) {
        count = environment_number("SIM_CORES", CORES_MOST);
        count = count == 0 ? 1 : count;
    }
    return count;
}

static void *work(void *argument)
{
    unsigned number = (unsigned)(uintptr_t)argument;
    thread_arrives();
    pool.begin();
    for (int seen = 0;;) {
        int round = __atomic_load_n(&pool.round, __ATOMIC_ACQUIRE);
        if (round == seen) {
            real_futex(&pool.round, FUTEX_WAIT_PRIVATE, seen);
            continue;
        }
        seen = round;
        thread_works_for(pool.host);
        pool.run(number);
        if (__atomic_sub_fetch(&pool.busy, 1, __ATOMIC_ACQ_REL) == 0)
            real_futex(&pool.busy, FUTEX_WAKE_PRIVATE, 1);
    }
    return NULL;
}

/* What comes of a thread's own doing stays its own. */
static sigset_t from_outside(void)
{
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
    sigset_t set;
    sigfillset(&set);
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&set, own[i]);
    return set;
}

static void make_threads(void)
{
    sigset_t theirs = from_outside(), before;
    pthread_attr_t attributes;
    pthread_t thread;
    pool.process = getpid();
    pool.round = pool.busy = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &theirs, &before);
    for (uintptr_t number = 1; number < cores(); number++)
        if (real()->pthread_create(&thread, &attributes, work, (void *)number) != 0)
            sim_trouble("SIM_CORES: no thread for core %u", (unsigned)number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

void cores_run(void (*run)(unsigned number), void (*begin)(void))
{
    pool.begin = begin;
    if (pool.process != getpid())
        make_threads();
    pool.run = run;
    pool.host = thread_self();
    pool.busy = (int)cores() - 1;
    __atomic_add_fetch(&pool.round, 1, __ATOMIC_RELEASE);
    real_futex(&pool.round, FUTEX_WAKE_PRIVATE, CORES_MOST);
    run(0);
    for (int busy; (busy = __atomic_load_n(&pool.busy, __ATOMIC_ACQUIRE)) > 0;)
        real_futex(&pool.busy, FUTEX_WAIT_PRIVATE, busy);
}
