/* SPDX-License-Identifier: MIT */
#include "host_clock.h"

#include "model/model.h"

/* The machine was started an hour before. */
static const int64_t begin_boot = 3600 * INT64_C(1000000000);

int64_t host_clock_base(clockid_t id)
{
    switch (id) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_TAI: return HOST_CLOCK_BEGIN;
    case CLOCK_PROCESS_CPUTIME_ID: case CLOCK_THREAD_CPUTIME_ID: return 0;
    default: return begin_boot;
    }
}

int64_t host_clock_deadline(clockid_t id, const struct timespec *moment)
{
    return moment ? moment->tv_sec * INT64_C(1000000000) + moment->tv_nsec - host_clock_base(id) : TIME_NEVER;
}
