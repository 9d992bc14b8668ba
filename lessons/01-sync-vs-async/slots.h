/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct task. Input 1: its n elements. Output 0: struct answer.
 * Outputs 1 and 2: the n elements after parts (a) and (b).
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define JOBS 6

struct task {
    int64_t n;
    int64_t a_kernel_ns, b_kernel_ns, b_host_ns, c_kernel_ns;
    int64_t threads[JOBS];      /* of each job in (c), a block */
    uint64_t wild;              /* the address that the last job of (c) writes to */
};

struct answer {
    int64_t part_a;             /* now_ns() at the beginning of part (a): ties the program's clock to the timeline */
    int64_t before, returned, done;
    uint64_t sum;
    struct { int32_t place, error; } report[JOBS];
};

#endif
