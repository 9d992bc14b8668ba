/* SPDX-License-Identifier: MIT */
/* sim_look.h - looks of a device thread at what others change. */
#ifndef SIM_INCLUDE_LOOK_H
#define SIM_INCLUDE_LOOK_H

#ifdef __cplusplus
extern "C" {
#endif

/* It looks at what others change, by an atomic function that has changed nothing: so often until it lets others go on. */
extern __thread unsigned sim_patience;
void sim_impatient(void);

#ifdef __cplusplus
}

namespace __sim {

enum { __patience = 1000 };     /* looks at an unchanged value, until other threads go on */

static inline __attribute__((__always_inline__)) void __looked(bool __nothing_changed)
{
    if (!__nothing_changed)
        sim_patience = __patience;
    else if (__builtin_expect(--sim_patience == 0, 0))
        sim_impatient();
}

}
#endif
#endif
