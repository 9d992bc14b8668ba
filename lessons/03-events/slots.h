/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct task. Inputs 1, 2, 3: the elements of parts a, b, c.
 * Output 0: struct answer. Outputs 1, 2: what a and b made of theirs; 3: what
 * `result` held when c had returned and everything was done; 4: c's `data` then.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

struct task {
    int64_t a_n, b_n, c_n;
    int64_t kernel_ns;
    int64_t ns[4];              /* of the stages of b */
    int64_t scramble_ns, clear_ns, slice_ns;
};

struct answer {
    double a_ms;
    int64_t slices;
    uint64_t sum;
};

#endif
