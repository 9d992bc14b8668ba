// SPDX-License-Identifier: MIT
// Calls the simulator's own log.
// expects: did not build
// says: undefined reference to 'log_write'
//@ top
extern "C" void log_write(void *, const void *, const void *);
//@ in overlap
    if (n < 0) log_write(nullptr, nullptr, nullptr);
