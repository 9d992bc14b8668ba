/* SPDX-License-Identifier: MIT */
/* sim_poll.h - a device thread polls what others change; what else simcc puts calls of into programs. */
#ifndef SIM_INCLUDE_POLL_H
#define SIM_INCLUDE_POLL_H

#ifdef __cplusplus
extern "C" {
#endif

/* It polls what others change, by an atomic function that has changed nothing: so often until it lets others go on. */
extern __thread unsigned sim_patience;
void sim_impatient(void);

/* The block is left that has this semaphore (sem_t) for a variable. */
void sim_semaphore_left(void *semaphore);

#ifdef __cplusplus
}

namespace __sim {

enum { __patience = 1000 };     /* polls of an unchanged value, until other threads go on */

static inline __attribute__((__always_inline__)) void __polled(bool __nothing_changed)
{
    if (!__nothing_changed)
        sim_patience = __patience;
    else if (__builtin_expect(--sim_patience == 0, 0))
        sim_impatient();
}

}
#endif
#endif
