/* SPDX-License-Identifier: MIT */
/* stopwatch.h - processor time that was used so far, user and system, seconds. */
#ifndef BENCH_STOPWATCH_H
#define BENCH_STOPWATCH_H

#include <sys/resource.h>

enum { ROUNDS = 5 };

static inline double seconds_of(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec)
           + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* By this process. */
static inline double seconds_now(void)
{
    return seconds_of(RUSAGE_SELF);
}

#endif
