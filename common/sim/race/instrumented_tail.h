/* SPDX-License-Identifier: MIT */
/*
 * instrumented_tail.h - what stands after a program that simcc made: a copy of it that sees its own
 * loads and stores.
 *
 * The copy's bytes, then this tail, the last 16 bytes of the file. Addresses in
 * the one are not those in the other: what a run for hazards says of itself
 * (the program becomes its copy) is looked up in the copy.
 */
#ifndef SIM_RACE_INSTRUMENTED_TAIL_H
#define SIM_RACE_INSTRUMENTED_TAIL_H

#include <stdint.h>

#define INSTRUMENTED_TAIL_MAGIC 0x31535345544e4957u

struct instrumented_tail_tail {
    uint64_t bytes, magic;
};

#endif
