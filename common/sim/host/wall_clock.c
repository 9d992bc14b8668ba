/* SPDX-License-Identifier: MIT */
#include "sim/host/wall_clock.h"

#include "model/model.h"

/* The machine was started an hour before. */
static const int64_t begin_boot = 3600 * INT64_C(1000000000);

int64_t wall_clock_base(clockid_t id)
{
    switch (id) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_TAI: return WALL_CLOCK_BEGIN;
    case CLOCK_PROCESS_CPUTIME_ID: case CLOCK_THREAD_CPUTIME_ID: return 0;
    default: return begin_boot;
    }
}

int64_t wall_clock_deadline(clockid_t id, const struct timespec *deadline)
{
    return deadline
               ? deadline->tv_sec * INT64_C(1000000000) + deadline->tv_nsec - wall_clock_base(id)
               : TIME_NEVER;
}
