/* SPDX-License-Identifier: MIT */
/* stopwatch.h - processor time that this process has used so far, user and system, seconds. */
#ifndef BENCH_STOPWATCH_H
#define BENCH_STOPWATCH_H

#include <sys/resource.h>

enum { ROUNDS = 5 };

static inline double seconds_now(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

#endif
