/* SPDX-License-Identifier: MIT */
#include "sim/host/core.h"

#include <fenv.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/real.h"
#include "sim/sim.h"

enum { CLOSED = 1 << 16 };

static struct {
    pid_t process;              /* that made them: another has none */
    struct thread *host;        /* whom they work for */
    void (*run)(unsigned number), (*begin)(void);
    int round;                  /* a futex: one more each time that there is something to do */
    int busy;                   /* a futex: threads that do it; CLOSED: no more may begin */
    unsigned count;             /* cores, the calling thread's among them */
    fenv_t numbers;             /* how that one rounds */
} pool;

static unsigned named(void)
{
    static unsigned count;
    static bool known;
    if (!known)
        count = environment_number("SIM_CORES", CORES_MOST);
    known = true;
    return count;
}

bool cores_are_named(void)
{
    return named() > 0;
}

unsigned cores(void)
{
    return named() > 0 ? named() : 1;
}

unsigned cores_there(void)
{
    static unsigned count;
    cpu_set_t all;
    if (count > 0)
        return count;
    CPU_ZERO(&all);
    long bytes = real()->syscall(SYS_sched_getaffinity, 0, sizeof all, &all);
    count = bytes > 0 ? (unsigned)CPU_COUNT(&all) : 1;
    count = count > CORES_MOST ? CORES_MOST : count;
    return count;
}

int64_t cores_clock(void)
{
    struct timespec t = { 0, 0 };
    real()->syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A thread that wakes when there is nothing left to do is not waited for: where others use this
 * machine's cores, that may take longer than the work. */
static bool begin_work(void)
{
    int busy = __atomic_load_n(&pool.busy, __ATOMIC_RELAXED);
    while (!(busy & CLOSED)
           && !__atomic_compare_exchange_n(&pool.busy, &busy, busy + 1, false, __ATOMIC_ACQUIRE,
                                           __ATOMIC_RELAXED))
        ;
    return !(busy & CLOSED);
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
        if (!begin_work())
            continue;
        seen = __atomic_load_n(&pool.round, __ATOMIC_RELAXED);  /* of what it has begun */
        thread_works_for(pool.host);
        fesetenv(&pool.numbers);
        pool.run(number);
        if (__atomic_sub_fetch(&pool.busy, 1, __ATOMIC_ACQ_REL) == CLOSED)
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
    pool.round = 0;
    pool.busy = CLOSED;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &theirs, &before);
    unsigned wanted = cores_are_named() ? cores() : cores_there();
    for (pool.count = 1; pool.count < wanted; pool.count++)
        if (real()->pthread_create(&thread, &attributes, work, (void *)(uintptr_t)pool.count) != 0)
            break;
    if (pool.count < wanted && cores_are_named())
        sim_trouble("SIM_CORES: no thread for core %u", pool.count);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

unsigned cores_run(void (*run)(unsigned number), void (*begin)(void))
{
    pool.begin = begin;
    if (pool.process != getpid())
        make_threads();
    pool.run = run;
    pool.host = thread_self();
    fegetenv(&pool.numbers);
    __atomic_add_fetch(&pool.round, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&pool.busy, 0, __ATOMIC_RELEASE);
    real_futex(&pool.round, FUTEX_WAKE_PRIVATE, CORES_MOST);
    run(0);
    __atomic_or_fetch(&pool.busy, CLOSED, __ATOMIC_ACQ_REL);
    for (int busy; (busy = __atomic_load_n(&pool.busy, __ATOMIC_ACQUIRE)) != CLOSED;)
        real_futex(&pool.busy, FUTEX_WAIT_PRIVATE, busy);
    return pool.count;
}
