/* SPDX-License-Identifier: MIT */
/*
 * real.h - the C library's own functions where the simulator defines their names.
 *
 * A new one is a line in the table below; it is looked up at the first use.
 */
#ifndef SIM_REAL_H
#define SIM_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/types.h>

#define REAL_FUNCTIONS(X) \
    X(long, syscall, (long number, ...)) \
    X(ssize_t, read, (int, void *, size_t)) \
    X(ssize_t, pread, (int, void *, size_t, off_t)) \
    X(ssize_t, write, (int, const void *, size_t)) \
    X(ssize_t, pwrite, (int, const void *, size_t, off_t)) \
    X(size_t, fread, (void *, size_t, size_t, FILE *)) \
    X(size_t, fwrite, (const void *, size_t, size_t, FILE *)) \
    X(int, pthread_create, (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *)) \
    X(int, pthread_join, (pthread_t, void **)) \
    X(int, pthread_detach, (pthread_t)) \
    X(int, pthread_once, (pthread_once_t *, void (*)(void))) \
    X(int, pthread_mutex_lock, (pthread_mutex_t *)) \
    X(int, pthread_mutex_trylock, (pthread_mutex_t *)) \
    X(int, pthread_mutex_unlock, (pthread_mutex_t *)) \
    X(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *)) \
    X(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *)) \
    X(int, pthread_rwlock_unlock, (pthread_rwlock_t *)) \
    X(int, pthread_spin_trylock, (pthread_spinlock_t *)) \
    X(int, pthread_spin_unlock, (pthread_spinlock_t *)) \
    X(int, __cxa_guard_acquire, (void *)) \
    X(void, __cxa_guard_release, (void *)) \
    X(void, _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, (void *)) \
    X(int, sem_init, (sem_t *, int, unsigned)) \
    X(int, sem_destroy, (sem_t *)) \
    X(int, sem_trywait, (sem_t *)) \
    X(int, sem_post, (sem_t *))

struct real_functions {
#define X(type, name, arguments) type (*name) arguments;
    REAL_FUNCTIONS(X)
#undef X
};

const struct real_functions *real(void);
/* Where the table ends: read-only, from the first use on. */
const void *real_end(void);
/* The kernel's FUTEX_… on a word. */
void real_futex(int *word, int operation, int value);

#endif
