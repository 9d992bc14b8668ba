/* SPDX-License-Identifier: MIT */
/* host_clock.h - the host's clocks as virtual time. */
#ifndef SIM_HOST_CLOCK_H
#define SIM_HOST_CLOCK_H

#include <stdint.h>
#include <time.h>

/* A moment of one of the C library's clocks, in ns of virtual time; NULL: never. */
int64_t host_clock_deadline(clockid_t clock, const struct timespec *moment);

#endif
