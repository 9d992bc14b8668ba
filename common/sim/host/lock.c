/* SPDX-License-Identifier: MIT */
/* Locks of the program (std::mutex too): the C library keeps them, waiting for one is a turn passed
 * on. */
#include <errno.h>
#include <time.h>

#include "sim/host/scheduler.h"
#include "sim/host/wall_clock.h"
#include "sim/race/access.h"
#include "sim/real.h"

/* ---- mutexes ---- */

/* Some kinds answer at once when their owner comes again: their affair. */
static bool answers_owner(const pthread_mutex_t *mutex)
{
    const struct task *self = scheduler_self();
    return (mutex->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP && self
           && mutex->__data.__owner == self->tid;
}

/* What follows where the status says that the thread that runs has the mutex now. */
static int is_locked(pthread_mutex_t *mutex, int status, const void *pc)
{
    if (status == 0 && scheduler_self()) {
        scheduler_self()->locked = scheduler_self()->holds = mutex;
        scheduler_self()->locked_at = 0;
        thread_self()->locking = thread_self()->in_function ? thread_self()->function + 1 : 0;
    }
    if (status == 0) {
        access_holds(mutex, pc);
        access_hears(mutex);
    }
    return status;
}

static int lock(pthread_mutex_t *mutex, int64_t deadline, const void *pc)
{
    int status;
    scheduler_pause();
    while ((status = real()->pthread_mutex_trylock(mutex)) == EBUSY) {
        if (answers_owner(mutex))
            return real()->pthread_mutex_lock(mutex);
        if (!scheduler_block(mutex, "a mutex", mutex->__data.__owner, deadline)) {
            status = ETIMEDOUT;
            break;
        }
    }
    scheduler_leave_queue();
    return is_locked(mutex, status, pc);
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int status = lock(mutex, TIME_NEVER, __builtin_return_address(0));
    if (scheduler_self() && scheduler_self()->locked == mutex)
        scheduler_self()->locked_at = (uint64_t)(uintptr_t)__builtin_return_address(0) - 1;
    scheduler_touch("pthread_mutex_lock");
    return status;
}

int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock,
                            const struct timespec *deadline)
{
    return lock(mutex, wall_clock_deadline(clock, deadline), __builtin_return_address(0));
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline)
{
    return lock(mutex, wall_clock_deadline(CLOCK_REALTIME, deadline), __builtin_return_address(0));
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int status = real()->pthread_mutex_trylock(mutex);
    if (status == EBUSY)
        scheduler_yield("pthread_mutex_trylock");
    else
        scheduler_touch("pthread_mutex_trylock");
    return is_locked(mutex, status, __builtin_return_address(0));
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    struct task *self = scheduler_self();
    if (self && mutex->__data.__owner != self->tid)
        access_report_not_locked();
    access_tells(mutex);
    access_gives(mutex);
    if (self && self->holds == mutex)
        self->holds = NULL;
    int status = real()->pthread_mutex_unlock(mutex);
    if (scheduler_wake(mutex, 1) > 0)
        scheduler_pass(true);
    scheduler_pause();
    return status;
}

/* ---- reader-writer locks ---- */

static int rwlock(pthread_rwlock_t *lock, int (*try)(pthread_rwlock_t *), int64_t deadline)
{
    int status;
    while ((status = try(lock)) == EBUSY)
        if (!scheduler_block(lock, "a reader-writer lock", lock->__data.__cur_writer, deadline)) {
            status = ETIMEDOUT;
            break;
        }
    scheduler_leave_queue();
    scheduler_touch("pthread_rwlock");
    if (status == 0) {
        access_holds(lock, NULL);
        access_hears(lock);
    }
    return status;
}

static int try_rwlock(pthread_rwlock_t *lock, int (*try)(pthread_rwlock_t *))
{
    int status = try(lock);
    if (status == EBUSY)
        scheduler_yield("pthread_rwlock_try");
    if (status == 0) {
        access_holds(lock, NULL);
        access_hears(lock);
    }
    return status;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    return rwlock(lock, real()->pthread_rwlock_tryrdlock, TIME_NEVER);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    return rwlock(lock, real()->pthread_rwlock_trywrlock, TIME_NEVER);
}

int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *deadline)
{
    return rwlock(lock, real()->pthread_rwlock_tryrdlock, wall_clock_deadline(clock, deadline));
}

int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                               const struct timespec *deadline)
{
    return rwlock(lock, real()->pthread_rwlock_trywrlock, wall_clock_deadline(clock, deadline));
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *deadline)
{
    return pthread_rwlock_clockrdlock(lock, CLOCK_REALTIME, deadline);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *deadline)
{
    return pthread_rwlock_clockwrlock(lock, CLOCK_REALTIME, deadline);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    return try_rwlock(lock, real()->pthread_rwlock_tryrdlock);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    return try_rwlock(lock, real()->pthread_rwlock_trywrlock);
}

int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    access_tells(lock);
    access_gives(lock);
    int status = real()->pthread_rwlock_unlock(lock);
    if (scheduler_wake(lock, UINT32_MAX) > 0)
        scheduler_pass(true);
    return status;
}

/* ---- spin locks ---- */

int pthread_spin_lock(pthread_spinlock_t *lock)
{
    int status;
    while ((status = real()->pthread_spin_trylock(lock)) == EBUSY)
        scheduler_yield("pthread_spin_lock");
    access_holds(lock, __builtin_return_address(0));
    access_hears(lock);
    return status;
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    int status = real()->pthread_spin_trylock(lock);
    if (status == EBUSY)
        scheduler_yield("pthread_spin_trylock");
    else {
        access_holds(lock, __builtin_return_address(0));
        access_hears(lock);
    }
    return status;
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    access_tells(lock);
    access_gives(lock);
    return real()->pthread_spin_unlock(lock);
}

/* ---- what is done once ---- */

/* The lowest bit says that somebody is at it: glibc's, musl's and ours agree. */
int pthread_once(pthread_once_t *once, void (*function)(void))
{
    while (*(volatile int *)once & 1)
        scheduler_yield("pthread_once");
    bool first = *(volatile int *)once == 0;
    int status = real()->pthread_once(once, function);
    if (first)
        access_tells(once);
    access_hears(once);
    return status;
}

/* Around the beginning of a static variable in C++. A program that needs nothing else of the C++
 * library is linked without it. Then, as in the library, the guard's first byte says that the
 * variable is initialised; its second says that a thread is initialising it. */
VISIBLE int __cxa_guard_acquire(void *guard)
{
    volatile char *state = guard;
    int first;
    if (real()->__cxa_guard_acquire) {
        first = real()->__cxa_guard_acquire(guard);
    } else {
        while (!state[0] && state[1])
            scheduler_yield("the beginning of a static variable");
        first = !state[0];
        state[1] = (char)first;
    }
    if (!first)
        access_hears(guard);
    return first;
}

VISIBLE void __cxa_guard_release(void *guard)
{
    access_tells(guard);
    if (real()->__cxa_guard_release) {
        real()->__cxa_guard_release(guard);
        return;
    }
    volatile char *state = guard;
    state[1] = 0;
    state[0] = 1;
}
