/* SPDX-License-Identifier: MIT */
/*
 * slots.h - what travels between check.c and driver.cu in the slots of exchange.h.
 *
 * Input 0: struct task. Input 1: its n elements. Output 0: struct answer.
 * Outputs 1 and 2: the n elements after parts (a) and (b). Outputs 3 and 4: the
 * house and the photo of part (d), whose site and photo are the first elements of input 1. Output
 * 5: the n elements after the jobs of part (c) that write to them.
 *
 * The functions of (a), (b) and (d) are called a second time after them, in a part of its own,
 * AGAIN and the first one's letter: (a)'s and (b)'s with the first elements of a fifth, (b)'s also
 * a third time, LATER, with the kernel of a quarter of the first one's time, as the second; (d)'s
 * on a quiet day and on a later one with LATER_LETTERS letters, whose sites are the last elements
 * of input 1, and on a busy one, which has more letters and a smaller site.
 *
 * Part (d) comes before (c), whose fault no call outlives. One more job comes after (c), whose
 * launch is refused for that fault. What the host does in (d) is in the log, as labels: PLAN, and
 * LETTER and its number.
 */
#ifndef SLOTS_H
#define SLOTS_H

#include <stdint.h>

#define JOBS 6
#define LATER_LETTERS 19
#define LATER "later "
#define AGAIN "again "
#define LETTERS 20
#define BUSY "busy "
#define BUSY_MOST 64
#define BUSY_NS 500             /* what a letter takes that day */

/* How many elements a second call has where the first had n: a grid that is enough for any
 * first call is too large for it. */
static inline int64_t fewer(int64_t n)
{
    return n / 5;
}
#define PLAN "plan"
#define LETTER "letter "

/* What plan() makes of the key. */
static inline uint32_t planned(uint32_t key)
{
    return (key ^ 0x5bd1e995u) | 1u;
}

struct task {
    int64_t n;
    int64_t a_kernel_ns, b_kernel_ns, b_host_ns, c_kernel_ns;
    int64_t again_host_ns,
        later_host_ns;   /* of (b)'s second and third call: more and less than the kernel */
    int64_t threads[JOBS];      /* of each job in (c), a block */
    int64_t elements[JOBS];     /* and how many it is for */
    int64_t jobs_before;        /* good ones, before the part */
    uint64_t wild;              /* the address that the last job of (c) writes to */
    int64_t site; /* elements of (d): few, so that each card runs all blocks of a kernel at once */
    int64_t busy_letters;
    int64_t survey_ns, plan_ns, polish_ns, build_ns, letter_ns[LETTERS];
};

struct answer {
    int64_t part_a; /* now_ns() at the beginning of part (a): ties the program's clock to the
                       timeline */
    int64_t before, returned, done;
    uint64_t sum, sum_again;
    struct { int32_t place, error; } report[JOBS], after;   /* after: of a job after the part's */
    int32_t left[JOBS];         /* the error that was pending when job k's function had returned */
    uint32_t planned_with;      /* the key that plan() was given last, in part (d) */
    uint32_t planned_quietly;   /* and on the day without letters, after the part */
    uint32_t planned_later;
    int32_t filed_later[LATER_LETTERS]; /* how often each letter */
    int32_t filed_busy[BUSY_MOST];
    int32_t site_changed;       /* elements of the site that the first day left as others */
    int32_t strays,
        stray; /* how often file_letter() got a number that no letter has, and the first of them */
};

#endif
