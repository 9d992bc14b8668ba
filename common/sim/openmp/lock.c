/* SPDX-License-Identifier: MIT */
/* One at a time: critical and atomic sections, and locks. */
#include "sim/openmp/openmp.h"

#include "sim/race/access.h"
#include "trace/record/memory.h"

static pthread_mutex_t critical = PTHREAD_MUTEX_INITIALIZER, atomic = PTHREAD_MUTEX_INITIALIZER;

OPENMP void GOMP_critical_start(void) { pthread_mutex_lock(&critical); }
OPENMP void GOMP_critical_end(void) { pthread_mutex_unlock(&critical); }
OPENMP void GOMP_atomic_start(void) { pthread_mutex_lock(&atomic); }
OPENMP void GOMP_atomic_end(void) { pthread_mutex_unlock(&atomic); }

OPENMP void GOMP_critical_name_start(void **name)
{
    if (!*name) {
        pthread_mutex_t *mutex = memory_resize(NULL, sizeof *mutex);
        pthread_mutex_init(mutex, NULL);
        *name = mutex;
    }
    pthread_mutex_lock(*name);
}

OPENMP void GOMP_critical_name_end(void **name)
{
    pthread_mutex_unlock(*name);
}

/* omp_lock_t has four bytes; omp_nest_lock_t sixteen, aligned to eight. */
struct nest_lock { int taken, count; void *owner; };

OPENMP void omp_init_lock(int *lock) { *lock = 0; }
OPENMP void omp_destroy_lock(int *lock) { (void)lock; }

OPENMP int omp_test_lock(int *lock)
{
    if (*lock) {
        scheduler_yield("omp_test_lock");
        return 0;
    }
    *lock = 1;
    access_hears(lock);
    return 1;
}

OPENMP void omp_set_lock(int *lock)
{
    while (*lock)
        scheduler_block(lock, "an OpenMP lock", 0, TIME_NEVER);
    scheduler_leave_queue();
    *lock = 1;
    access_hears(lock);
}

OPENMP void omp_unset_lock(int *lock)
{
    access_tells(lock);
    *lock = 0;
    if (scheduler_wake(lock, 1) > 0)
        scheduler_pass(true);
}

OPENMP void omp_init_nest_lock(struct nest_lock *lock) { *lock = (struct nest_lock){ 0, 0, NULL }; }
OPENMP void omp_destroy_nest_lock(struct nest_lock *lock) { (void)lock; }

OPENMP int omp_test_nest_lock(struct nest_lock *lock)
{
    if (lock->owner != &openmp_member && !omp_test_lock(&lock->taken))
        return 0;
    lock->owner = &openmp_member;
    return ++lock->count;
}

OPENMP void omp_set_nest_lock(struct nest_lock *lock)
{
    if (lock->owner != &openmp_member)
        omp_set_lock(&lock->taken);
    lock->owner = &openmp_member;
    lock->count++;
}

OPENMP void omp_unset_nest_lock(struct nest_lock *lock)
{
    if (--lock->count > 0)
        return;
    lock->owner = NULL;
    omp_unset_lock(&lock->taken);
}
