/* SPDX-License-Identifier: MIT */
/*
 * sim_step.h - lanes in step, and threads that wait for what another one stores (simcc/rewrite/steps.c).
 */
#ifndef SIM_INCLUDE_STEP_H
#define SIM_INCLUDE_STEP_H

#include "sim_poll.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A thread has come so far: before something volatile is written, or after a statement with something volatile. */
void sim_step(int __before);
/* How many branches and turns of loops it is in. */
extern __thread int sim_depth;

/* It has been a thousand times round a loop that looks at something volatile and changes nothing: others go on. */
void sim_poll(void);

#ifdef __cplusplus
}

namespace __sim {

static inline void __step() { sim_step(0); }

struct __turn {
    __turn() { ++sim_depth; }
    ~__turn() { --sim_depth; sim_step(0); }
};

static inline unsigned __others() { return sim_poll(), __patience; }

template <typename __T> struct __stored { typedef __T __type; };
template <typename __T> struct __stored<volatile __T> { typedef __T __type; };

/* Something volatile to the left of an assignment: what it becomes is known before anyone stores. */
template <typename __T> struct __place {
    typedef typename __stored<__T>::__type __plain;
    __T &__at;
    void operator=(__plain __v) const { sim_step(1); __at = __v; }
    void operator=(const __place &__from) const { *this = (__plain)__from.__at; }
#define SIM_ASSIGN(__op) template <typename __V> void operator __op##=(const __V &__v) const { *this = (__plain)((__plain)__at __op __v); }
    SIM_ASSIGN(+) SIM_ASSIGN(-) SIM_ASSIGN(*) SIM_ASSIGN(/) SIM_ASSIGN(%) SIM_ASSIGN(&) SIM_ASSIGN(|) SIM_ASSIGN(^) SIM_ASSIGN(<<) SIM_ASSIGN(>>)
#undef SIM_ASSIGN
    template <typename __B> void operator<<=(const __count<__B> &__c) const { *this = (__plain)((__plain)__at << __left << __c.__v); }
    template <typename __B> void operator>>=(const __count<__B> &__c) const { *this = (__plain)((__plain)__at >> __right >> __c.__v); }
};
template <typename __T> static inline __place<__T> __put(__T &__at) { return { __at }; }

}
#endif
#endif
