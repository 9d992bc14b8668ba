/* SPDX-License-Identifier: MIT */
/*
 * instrumented.h - a program's instrumented build, which sees its own loads and stores.
 *
 * simcc compiles each source twice, plainly and with -fsanitize=thread, whose
 * calls tsan.c answers. The instrumented build is appended to the plain one, in
 * objects and in programs alike: its bytes, then a struct instrumented_tail. Programs
 * that read ELF files ignore both. A program that is to look for hazards becomes
 * its instrumented build before it begins. One that was compiled with
 * --hazards=instrumented, as those are that the grader judges, has no other.
 */
#ifndef SIM_RACE_INSTRUMENTED_H
#define SIM_RACE_INSTRUMENTED_H

#include "sim/race/instrumented_tail.h"

/* Returns when there is no instrumented build, or when it cannot be started. */
void instrumented_become(char **argv, char **environment);

#endif
