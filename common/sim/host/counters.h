/* SPDX-License-Identifier: MIT */
/*
 * counters.h - program counters: by a walk over the stack, where in the program a call was made.
 */
#ifndef SIM_HOST_COUNTERS_H
#define SIM_HOST_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

/* Of a ucontext_t: where what a signal has interrupted stands. */
uintptr_t counter_interrupted(const void *context);
/* Is it in the program, or in its libraries that are linked into it? */
bool counter_in_program(uintptr_t pc);

/* Program counters of the calls that led to the caller, in the program and its libraries that are
 * linked into it, the innermost first; returns how many, at most `most`. */
int counters_here(uint64_t *counter, int most);
/* The same of the calls that led into the library that called the caller: exit(), which calls what
 * was given to on_exit(). */
int counters_before_library(uint64_t *counter, int most);
/* The program counter of the call of the function that `inside` is an address in, which the caller
 * was called from, `inside` being where it returns to and `stack` where the stack is then; 0: not
 * known. */
uint64_t counter_of_caller(const void *inside, const void *stack);

#endif
