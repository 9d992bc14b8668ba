/* SPDX-License-Identifier: MIT */
/* What threads tell each other: conditions, semaphores, barriers, and the futex
 * under std::atomic::wait, std::future and static variables. */
#include <errno.h>
#include <linux/futex.h>
#include <semaphore.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/call_log.h"
#include "sim/host/note.h"
#include "sim/host/scheduler.h"
#include "sim/host/turns.h"
#include "sim/host/wall_clock.h"
#include "sim/race/access.h"
#include "sim/real.h"
#include "trace/record/memory.h"

/* ---- conditions: the library's own are not used at all ---- */

/* Does it wake without cause now? Each thread once for each condition, in another order of turns
 * (turns.h) more often: who waits in a loop, as he must, looks again and waits. */
static bool wakes_for_nothing(pthread_cond_t *condition)
{
    if (!scheduler_wakes_badly())
        return false;
    const struct task *self = scheduler_self();
    unsigned *woken = &condition->__data.__g_size[0], bit = 1u << (self ? self->number % 32 : 0);
    bool first = !(*woken & bit);
    *woken |= bit;
    return first || (turns_wanted() && turns_draw(4) == 0);
}

static void note_spurious(struct task *self, const pthread_cond_t *condition, uint32_t message)
{
    self->woken_badly = message != 0 ? condition : NULL;
    note_for(&(struct call){ .kind = CALL_SPURIOUS, .thread = self->number, .node = NO_NODE,
                             .dst = (uint64_t)(uintptr_t)condition,
                             .message = message });
}

static int wait(pthread_cond_t *condition, pthread_mutex_t *mutex, int64_t deadline)
{
    struct task *self = scheduler_self();
    uint64_t locked_at = self ? self->locked_at : 0;
    if (self && mutex->__data.__owner != self->tid)
        access_report_unlocked();
    if (self && self->woken_badly == condition)
        note_spurious(self, condition, 0);
    if (wakes_for_nothing(condition)) {
        scheduler_waits_here();
        uint32_t here = self ? note_counters(self->counter, self->counters) : 0;
        if (here != 0)
            note_spurious(self, condition, here);
        return 0;
    }
    scheduler_hold_up(mutex, condition);
    access_tells(mutex);
    const void *pc = access_gives(mutex);
    int status = real()->pthread_mutex_unlock(mutex);
    if (status != 0)
        return status;
    scheduler_wake(mutex, 1);
    bool woken = scheduler_block(condition, "a condition", 0, deadline);
    scheduler_leave_queue();
    if (woken)
        access_hears(condition);
    pthread_mutex_lock(mutex);
    access_gives(mutex);
    access_holds(mutex, pc);
    if (self)
        self->locked_at = locked_at;
    return woken ? 0 : ETIMEDOUT;
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    return wait(condition, mutex, TIME_NEVER);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                           const struct timespec *deadline)
{
    return wait(condition, mutex, wall_clock_deadline(clock, deadline));
}

/* The clock that the condition was made with, as glibc notes it. */
int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                           const struct timespec *deadline)
{
    bool monotonic = condition->__data.__wrefs & 2;
    return pthread_cond_clockwait(condition, mutex, monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME,
                                  deadline);
}

int pthread_cond_signal(pthread_cond_t *condition)
{
    scheduler_pause();
    access_tells(condition);
    scheduler_wake(condition, 1);
    return 0;
}

int pthread_cond_broadcast(pthread_cond_t *condition)
{
    scheduler_pause();
    access_tells(condition);
    scheduler_wake(condition, UINT32_MAX);
    return 0;
}

/* Nobody waits in the library's own: there is nothing to wait for. */
int pthread_cond_destroy(pthread_cond_t *condition)
{
    (void)condition;
    return 0;
}

/* ---- semaphores ---- */

/* Those that sem_init() has made, and those that sem_destroy() has ended since, or whose block was
 * left. */
struct semaphores { sem_t **list; size_t count, capacity; };
static struct semaphores initialised, ended;

static size_t semaphore_index(const struct semaphores *s, const sem_t *semaphore)
{
    size_t i = 0;
    while (i < s->count && s->list[i] != semaphore)
        i++;
    return i;
}

static size_t initialised_index(const sem_t *semaphore)
{
    return semaphore_index(&initialised, semaphore);
}

static bool remove_semaphore(struct semaphores *s, const sem_t *semaphore)
{
    size_t i = semaphore_index(s, semaphore);
    if (i == s->count)
        return false;
    s->list[i] = s->list[--s->count];
    return true;
}

/* A post or a wait. A semaphore that has ended is reported at the first. */
static void semaphore_used(const sem_t *semaphore)
{
    sim_lock();
    bool over = remove_semaphore(&ended, semaphore);
    sim_unlock();
    if (over)
        access_report_ended();
}

int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    sim_lock();
    remove_semaphore(&ended, semaphore);
    if (initialised_index(semaphore) == initialised.count) {
        MEMORY_GROW(initialised.list, initialised.count, initialised.capacity);
        initialised.list[initialised.count++] = semaphore;
    }
    sim_unlock();
    return real()->sem_init(semaphore, shared, value);
}

void sim_semaphore_left(void *semaphore)
{
    sim_lock();
    if (remove_semaphore(&initialised, semaphore)) {
        MEMORY_GROW(ended.list, ended.count, ended.capacity);
        ended.list[ended.count++] = semaphore;
    }
    sim_unlock();
}

int sem_destroy(sem_t *semaphore)
{
    sim_semaphore_left(semaphore);
    return real()->sem_destroy(semaphore);
}

/* What a thread that stands still waits for. */
static const char *words_of_semaphore(const sem_t *semaphore)
{
    return initialised_index(semaphore) < initialised.count
               ? "a semaphore"
               : "a semaphore that no sem_init() has made";
}

static int take(sem_t *semaphore, int64_t deadline)
{
    int status;
    semaphore_used(semaphore);
    scheduler_pause();
    while ((status = real()->sem_trywait(semaphore)) != 0 && errno == EAGAIN)
        if (!scheduler_block(semaphore, words_of_semaphore(semaphore), 0, deadline)) {
            errno = ETIMEDOUT;
            break;
        }
    scheduler_leave_queue();
    if (status == 0)
        access_hears(semaphore);
    return status;
}

int sem_wait(sem_t *semaphore)
{
    int status = take(semaphore, TIME_NEVER);
    scheduler_touch("sem_wait");
    return status;
}

int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *deadline)
{
    return take(semaphore, wall_clock_deadline(clock, deadline));
}

int sem_timedwait(sem_t *semaphore, const struct timespec *deadline)
{
    return sem_clockwait(semaphore, CLOCK_REALTIME, deadline);
}

int sem_trywait(sem_t *semaphore)
{
    int status = real()->sem_trywait(semaphore);
    if (status != 0) {
        scheduler_yield("sem_trywait");
        errno = EAGAIN;
    } else {
        access_hears(semaphore);
    }
    return status;
}

int sem_post(sem_t *semaphore)
{
    scheduler_pause();
    semaphore_used(semaphore);
    access_tells(semaphore);
    int status = real()->sem_post(semaphore);
    if (scheduler_wake(semaphore, 1) > 0)
        scheduler_pass(true);
    return status;
}

/* ---- barriers: ours alone, in the library's place ---- */

struct barrier { unsigned size, arrived, round; };
_Static_assert(sizeof(struct barrier) <= sizeof(pthread_barrier_t), "a barrier has room for ours");

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                         unsigned count)
{
    (void)attributes;
    if (count == 0)
        return EINVAL;
    *(struct barrier *)barrier = (struct barrier){ count, 0, 0 };
    return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    (void)barrier;
    return 0;
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    struct barrier *b = (struct barrier *)barrier;
    unsigned round = b->round;
    access_tells(b);
    if (++b->arrived == b->size) {
        b->arrived = 0;
        b->round++;
        scheduler_wake(b, UINT32_MAX);
        access_hears(b);
        return PTHREAD_BARRIER_SERIAL_THREAD;
    }
    while (b->round == round && scheduler_block(b, "a barrier", 0, TIME_NEVER))
        ;
    scheduler_leave_queue();
    access_hears(b);
    return 0;
}

/* ---- the futex ---- */

static long fail(int error)
{
    errno = error;
    return -1;
}

/* A plain wait's timeout counts from now; a bitset's is a moment. */
static int64_t futex_deadline(int operation, const struct timespec *timeout)
{
    if (!timeout || (operation & FUTEX_CMD_MASK) == FUTEX_WAIT_BITSET)
        return wall_clock_deadline(
            operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC, timeout);
    return model_now(&sim.model, thread_self()->number) + timeout->tv_sec * INT64_C(1000000000)
           + timeout->tv_nsec;
}

static long futex_wait(const int *word, int operation, int value, const struct timespec *timeout)
{
    if (*(volatile const int *)word != value)
        return fail(EAGAIN);
    bool woken = scheduler_block(word, "an atomic variable, future or static one to change", 0,
                                 futex_deadline(operation, timeout));
    scheduler_leave_queue();
    access_hears(word);
    return woken ? 0 : fail(ETIMEDOUT);
}

long syscall(long number, ...)
{
    va_list list;
    long a[6];
    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_futex && scheduler_self()) {
        int command = (int)a[1] & FUTEX_CMD_MASK;
        if (command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET)
            return futex_wait((const int *)a[0], (int)a[1], (int)a[2],
                              (const struct timespec *)a[3]);
        if (command == FUTEX_WAKE || command == FUTEX_WAKE_BITSET) {
            access_tells((const void *)a[0]);
            return scheduler_wake((const void *)a[0], (unsigned)a[2]);
        }
    }
    return real()->syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int sched_yield(void)
{
    if (sim.over)
        return (int)real()->syscall(SYS_sched_yield);
    scheduler_yield("sched_yield");
    return 0;
}
