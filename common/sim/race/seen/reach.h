/* SPDX-License-Identifier: MIT */
/*
 * reach.h - what a kernel must not touch: memory of the host.
 *
 * Kernels run in the host's process, so that a pointer to the host's heap, stack or variables would
 * lead them somewhere. No card here has pageableMemoryAccess: there, it is cudaErrorIllegalAddress
 * [M]. The instrumented build of a program (instrumented.h) asks at each load and store of a kernel
 * that is not in the runtime's memory; the plain copy, which runs with SIM_HAZARDS=0, does not see
 * it.
 *
 * A kernel may touch its stack, shared memory and arguments, what it allocates itself, the
 * program's device and managed variables, static variables of functions, constants, and registered
 * memory. NULL and addresses with no memory are left to the processor, which faults.
 */
#ifndef SIM_RACE_SEEN_REACH_H
#define SIM_RACE_SEEN_REACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A kernel runs. */
extern bool reach_asked;

/* A kernel begins with these arguments, and ends or stops. The caller also calls
 * access_check_anew(). */
void reach_begin(const void *arguments, size_t bytes);
void reach_end(void);

/* May the kernel that runs touch this address, which is none of the runtime's memory nor on its
 * stack? */
bool reach_allows(uintptr_t address);
/* Is it memory of the thread that runs, of its block, or what every thread reads? All that lies
 * around it is, too: [from, to). */
bool reach_own(uintptr_t address, uintptr_t *from, uintptr_t *to);
/* The program's variable of the host at this address, as its author calls it, where that can be
 * told (else ""); NULL for none. */
const char *reach_variable(uintptr_t address);

/* The device's heap: what kernels allocate. NULL: it is full. */
void *reach_allocate(size_t bytes);
/* False: the block is not from there. */
bool reach_free(void *block);

#endif
