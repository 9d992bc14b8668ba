// SPDX-License-Identifier: MIT
// Brings a clock of its own.
// expects: refused
// says: clock_gettime
//@ top
#include <ctime>
extern "C" int clock_gettime(clockid_t, struct timespec *t) noexcept { t->tv_sec = t->tv_nsec = 0; return 0; }
