/* SPDX-License-Identifier: MIT */
/*
 * witness.h - a program's second copy, which sees its own loads and stores.
 *
 * simcc compiles each source twice, plainly and with -fsanitize=thread, whose
 * calls access_seen.c answers. The second copy travels behind the first, in
 * objects and in programs alike: its bytes, then a struct second_copy_tail. What
 * reads ELF files does not mind. A program that is to look for hazards becomes
 * its second copy before it begins. One that was compiled with
 * --hazards=instrumented, as those are that the grader judges, has no other.
 */
#ifndef SIM_WITNESS_H
#define SIM_WITNESS_H

#include "second_copy.h"

/* Returns when there is no second copy, or when it cannot be started. */
void witness_become(char **argv, char **environment);

#endif
