/* SPDX-License-Identifier: MIT */
/* host_clock.h - the host's clocks as virtual time. */
#ifndef SIM_HOST_CLOCK_H
#define SIM_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

/* When programs begin: 2025-01-01 00:00 UTC, in ns. */
#define HOST_CLOCK_BEGIN (1735689600 * INT64_C(1000000000))

/* What the clock shows when virtual time begins, in ns. */
int64_t host_clock_base(clockid_t clock);
/* A moment of one of the C library's clocks, in ns of virtual time; NULL: never. */
int64_t host_clock_deadline(clockid_t clock, const struct timespec *moment);

#endif
