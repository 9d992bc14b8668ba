/* SPDX-License-Identifier: MIT */
/* wall_clock.h - the host's clocks as virtual time. */
#ifndef SIM_HOST_WALL_CLOCK_H
#define SIM_HOST_WALL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* When programs begin: 2025-01-01 00:00 UTC, in ns. */
#define WALL_CLOCK_BEGIN (1735689600 * INT64_C(1000000000))

/* What the clock shows when virtual time begins, in ns. */
int64_t wall_clock_base(clockid_t clock);
/* A time of one of the C library's clocks, in ns of virtual time; NULL: never. */
int64_t wall_clock_deadline(clockid_t clock, const struct timespec *deadline);

#endif
