/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct task. Inputs 1, 2, 3: the elements of parts a, b, c.
 * Output 0: struct answer. Outputs 1, 2: what a and b made of theirs; 3: what
 * `result` held when c had returned and everything was done; 4: c's `data` then.
 * Output 5: b's in, a, b and c afterwards. Outputs 6 to 8: what a, b and c made of other inputs.
 *
 * The caller has work of its own in a's and in c's stream: before, and in c's also after the call.
 * After all parts each function is called a second time, in a part of its own, AGAIN and the
 * first one's letter: other memory, other streams, the last elements of what it was
 * given, other times. In (a)'s another stream copies to the device meanwhile. (c)'s host is held up
 * there before it asks for the first time: `result` has arrived, and there is no slice.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define AGAIN "again "
#define COPIES_AHEAD 12         /* of (a)'s second call: what another stream copies meanwhile */
#define BYTES_AHEAD ((size_t)1 << 19)

struct task {
    int64_t a_n, b_n, c_n;
    int64_t a_again_n, again_n; /* fewer than any of them: of (a)'s second call, of the others' */
    int64_t kernel_ns;
    int64_t ns[4];              /* of the stages of b */
    int64_t scramble_ns, clear_ns, slice_ns;
};

struct answer {
    double a_ms;
    int64_t slices;
    uint64_t sum;
    int64_t a_changed;          /* elements of a's `in` that are not what they were */
    double a_ms_again;
    int64_t slices_again;
    uint64_t sum_again;
};

#define THREADS_OF_A_BLOCK 256          /* lesson.h knows it as THREADS */

#endif
